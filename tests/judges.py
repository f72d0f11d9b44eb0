"""Judges that answer by rule, run by the harness's own evaluator."""

import functools
import json
import math
from pathlib import Path
from types import SimpleNamespace

import pytest
from lmms_eval import evaluator
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms

from pairbench_ext.core import registry
from pairbench_ext.core.records import Record
from pairbench_ext.harness.probes import QUESTION
from pairbench_ext.runs.groups import means
from pairbench_ext.runs.samples import read_record
from pairbench_ext.runs.scoring import Run

# Each evaluation asks git four times.
evaluator.get_git_commit_hash = functools.cache(evaluator.get_git_commit_hash)
evaluator.get_git_branch_name = functools.cache(evaluator.get_git_branch_name)


class CannedJudge(lmms):
    """Answers every trial with `answer(doc)`, after looking at what it is shown."""

    is_simple = True

    def __init__(self, answer):
        super().__init__()
        self.answer = answer
        self.shown = []

    def generate_until(self, requests):
        return [self.reply(*request.args) for request in requests]

    def reply(self, prompt, _, shows, doc_id, task, split):
        if prompt == QUESTION:  # whether it can be asked without an image, or with several
            return "Paris"
        doc = self.task_dict[task][split][doc_id]
        self.shown.append([prompt, *shows(doc)])
        return self.answer(doc)

    def loglikelihood(self, requests):
        raise NotImplementedError

    def generate_until_multi_round(self, requests):
        raise NotImplementedError


class CannedChatJudge(CannedJudge):
    """The same as a chat backend: it is shown messages."""

    is_simple = False

    def reply(self, _, shows, __, doc_id, task, split):
        doc = self.task_dict[task][split][doc_id]
        self.shown.append(shows(doc))
        return self.answer(doc)


class SightedJudge(CannedJudge):
    """Answers by `answer(prompt, images)`: by all that it is shown, and nothing else."""

    def reply(self, *arguments):
        return self._reply(*self._simple(*arguments))

    def _simple(self, prompt, _, shows, doc_id, task, split):
        return prompt, shows(self.task_dict[task][split][doc_id])

    def _reply(self, prompt, images):
        if prompt == QUESTION:
            return "Paris"
        self.shown.append([prompt, *images])
        return self.answer(prompt, images)


class SightedChatJudge(SightedJudge):
    """The same as a chat backend."""

    is_simple = False

    def _simple(self, _, shows, __, doc_id, task, split):
        [message] = shows(self.task_dict[task][split][doc_id])
        *images, text = message["content"]
        return text["text"], [image["url"] for image in images]


class PromptJudge(CannedJudge):
    """Answers by `answer(prompt)`: it knows what it is asked, nothing else."""

    def reply(self, prompt, _, shows, doc_id, task, split):
        if prompt == QUESTION:
            return "Paris"
        self.shown.append([prompt, *shows(self.task_dict[task][split][doc_id])])
        return self.answer(prompt)


class PromptChatJudge(CannedJudge):
    """The same as a chat backend: it is given the texts of its messages."""

    is_simple = False

    def reply(self, _, shows, __, doc_id, task, split):
        messages = shows(self.task_dict[task][split][doc_id])
        self.shown.append(messages)
        texts = [item["text"] for item in messages[-1]["content"] if item["type"] == "text"]
        return self.answer("\n".join(texts))


class SightedRoundsJudge(SightedJudge):
    """Takes several rounds as the harness's simple backends do: each reply is a tuple."""

    def generate_until_multi_round(self, requests):
        return [tuple(self._rounds(*request.args)) for request in requests]

    def _rounds(self, prompt, _, doc_to_visual, doc_to_text, doc_id, task, split):
        doc = self.task_dict[task][split][doc_id]
        images, replies, over, told = doc_to_visual(doc), [], False, None
        while not over:
            replies.append(self._reply(prompt, images))
            images, prompt, over, replies, told = doc_to_text(
                doc, previous_output=replies, round_idx=len(replies), previous_round_info=told
            )
        return replies


def request_about(arguments, doc, *, task="task", kind="generate_until", **metadata):
    """A request of the harness about a document, without the tasks around it."""
    return Instance(
        request_type=kind,
        arguments=(*arguments, doc, task, "test"),
        idx=0,
        metadata={"task": task, "doc_id": doc, "repeats": 1, **metadata},
    )


def evaluate(judge, task, task_manager, **options):
    """The harness's results for a task or group, or for several."""
    return evaluator.simple_evaluate(
        model=judge,
        tasks=[task] if isinstance(task, str) else list(task),
        task_manager=task_manager,
        cli_args=SimpleNamespace(process_with_media=False, reasoning_tags=None, model=None),
        bootstrap_iters=0,
        **{"log_samples": True, **options},
    )


def run(judge, task, task_manager, **options):
    """The numbers of a task, and its trials as they are logged."""
    results = evaluate(judge, task, task_manager, **options)
    return numbers(results, task), [s["trial"] for s in results["samples"].get(task, [])]


def numbers(results, task):
    """Number -> value of one task or group: the harness's, and those of its logged samples."""
    printed = {
        key.split(",")[0]: value
        for key, value in results["results"][task].items()
        if "," in key and "stderr" not in key and isinstance(value, (int, float))
    }
    runs = [scored(results["samples"][leaf], leaf) for leaf in leaves_of_run(results, task)]
    if not runs or None in runs:
        return printed
    return {**(means(runs) if results["group_subtasks"].get(task) else runs[0].numbers), **printed}


def leaves_of_run(results, task):
    """The tasks of a group whose samples were logged; a task is its own."""
    members = results.get("group_subtasks", {}).get(task) or [task]
    below = [leaf for one in members if one != task for leaf in leaves_of_run(results, one)]
    return [leaf for leaf in below or members if leaf in results.get("samples", {})]


def scored(samples, task):
    """The run of a task's logged samples; None if no benchmark knows them."""
    known = {benchmark.name: benchmark for benchmark in registry.every_benchmark()}
    names = {sample.get("trial", {}).get("benchmark") for sample in samples}
    if len(names) != 1 or not names <= set(known):
        return None
    benchmark = known[names.pop()]
    logged = json.loads(json.dumps(samples, default=str))
    readings = [read_record(benchmark, Record(f"{task} {n}", one)) for n, one in enumerate(logged)]
    return Run(benchmark, Path(f"1_samples_{task}.jsonl"), tuple(readings), task).scored()


def same(one, other):
    """Equality in which NaN equals NaN."""
    return one == other or (math.isnan(one) and math.isnan(other))


def rate(score):
    """A reply in the format that the prompts ask for."""
    return f"Score: {score}\nReason: because."


def expect(found, **expected):
    """Numbers are those that are expected; others are not looked at."""
    assert {x: found[x] for x in expected} == pytest.approx(expected, nan_ok=True, abs=1e-6)
