"""Models that note everything they are asked and answer by what they are shown, nothing else."""

import hashlib
import json
import os
import time
from pathlib import Path

import torch
from lmms_eval.api.instance import GenerationResult, TokenCounts
from lmms_eval.api.model import lmms
from PIL import Image


def fingerprint(value):
    """A few digits that change with texts, pictures and files, and with their order."""
    return hashlib.sha256(_bytes(value)).hexdigest()[:8]


def _bytes(value):
    if isinstance(value, Image.Image):
        return f"{value.mode}{value.size}".encode() + value.tobytes()
    if isinstance(value, dict):
        return b"".join(_bytes(item) for pair in sorted(value.items()) for item in pair)
    if isinstance(value, (list, tuple)):
        return b"[" + b",".join(_bytes(item) for item in value) + b"]"
    if isinstance(value, str) and value.endswith(".mp4"):
        return Path(value).read_bytes()
    return str(value).encode()


class Asked(lmms):
    """A simple backend that works in batches, with the habits of the harness's own.

    It takes the function that shows a document, and the names of task and split, from the first
    request of a batch, and it takes `until` out of the settings.

    Args:
        log: a file to which it writes a line per request, before it answers.
        pause: seconds per batch.
        fail: replies instead of an answer, by number of the document.
        counts: whether to report token counts.
        stall_after: how many requests to answer before it stands still, so that it can be killed.
    """

    is_simple = True

    def __init__(
        self, log=None, pause=0.0, batch_size=3, fail=None, counts=False, stall_after=None
    ):
        super().__init__()
        self.log = log
        self.pause = pause
        self.batch_size = batch_size
        self.fail = fail or {}
        self.counts = counts
        self.stall_after = stall_after
        self.calls = []
        self.asked = []
        self.device = torch.device("cpu")

    def generate_until(self, requests):
        self.calls.append(len(requests))
        outputs = []
        for start in range(0, len(requests), self.batch_size):
            outputs += self._batch(
                [request.args for request in requests[start:][: self.batch_size]]
            )
        return outputs

    def _batch(self, batch):
        _, settings, show, _, task, split = batch[0]
        docs = self.task_dict[task][split]
        settings.pop("until", None)
        time.sleep(self.pause)
        return [
            self._answer(task, doc_id, [text, settings, show(docs[doc_id])])
            for text, _, _, doc_id, _, _ in batch
        ]

    def _answer(self, task, doc_id, shown):
        mark = fingerprint(shown)
        self.asked.append((task, int(doc_id), mark))
        if self.log is not None:
            with Path(self.log).open("a") as file:
                file.write(json.dumps([os.getpid(), task, int(doc_id), mark]) + "\n")
        if len(self.asked) == self.stall_after:
            time.sleep(600)
        text = self.fail.get(int(doc_id), f"{'Yes' if int(mark, 16) % 2 else 'No'} {mark}")
        if not self.counts:
            return text
        return GenerationResult(text, TokenCounts(input_tokens=3, output_tokens=len(text)))

    def _say(self, *request):
        """The text alone: backends that hold conversations themselves report no tokens."""
        answer = self._answer(*request)
        return getattr(answer, "text", answer)

    def generate_until_multi_round(self, requests):
        """One document at a time, as the harness's backends do it."""
        results = []
        for request in requests:
            text, settings, show, doc_to_text, doc_id, task, split = request.args
            doc = self.task_dict[task][split][doc_id]
            settings = {name: value for name, value in settings.items() if name != "until"}
            shown, said, information, number = show(doc), [], None, 0
            while True:
                said.append(self._say(task, doc_id, [text, settings, shown]))
                number += 1
                shown, text, over, said, information = doc_to_text(
                    doc, previous_output=said, round_idx=number, previous_round_info=information
                )
                if over:
                    break
            results.append(list(said))
        return results

    def loglikelihood(self, requests):
        return [(-1.0, True) for _ in requests]


class AskedChat(Asked):
    """The same as a chat backend: each request shows its own messages."""

    is_simple = False

    def _batch(self, batch):
        time.sleep(self.pause)
        return [
            self._answer(task, doc_id, [settings, show(self.task_dict[task][split][doc_id])])
            for _, show, settings, doc_id, task, split in batch
        ]

    def generate_until_multi_round(self, requests):
        """One document at a time, as the harness's chat backend of vLLM does it."""
        results = []
        for request in requests:
            _, show, settings, doc_id, task, split = request.args
            doc = self.task_dict[task][split][doc_id]
            settings = {**settings, "until": []}
            messages, said, information = show(doc), [], None
            while True:
                said.append(self._say(task, doc_id, [settings, messages]))
                messages, over, _, information = show(
                    doc,
                    round_idx=len(said),
                    previous_output=list(said),
                    previous_round_info=information,
                )
                if over:
                    break
            results.append(said)
        return results


def evaluate(model, tasks, folder, **options):
    """The harness's results for tasks in `folder`, as its command line has them."""
    from types import SimpleNamespace

    from lmms_eval import evaluator
    from lmms_eval.tasks import TaskManager

    arguments = SimpleNamespace(
        process_with_media=False, reasoning_tags=None, model=None, output_path=str(folder)
    )
    return evaluator.simple_evaluate(
        model=model,
        tasks=list(tasks),
        task_manager=TaskManager(include_defaults=False, include_path=str(folder)),
        cli_args=arguments,
        bootstrap_iters=0,
        log_samples=True,
        **options,
    )


def replies(results):
    """What the harness logged: task -> document -> replies and token counts, in their order."""
    return {
        task: {
            sample["doc_id"]: (sample["filtered_resps"], sample["token_counts"])
            for sample in sorted(samples, key=lambda sample: sample["doc_id"])
        }
        for task, samples in sorted(results["samples"].items())
    }


def scores(results):
    """The harness's numbers, without names and times."""
    return {task: repr(sorted(it.items())) for task, it in sorted(results["results"].items())}


def outcome(results):
    """All that a run is for: numbers and replies."""
    return scores(results), replies(results)
