"""Which requests a base is asked, and what comes back for those that it is not."""

import resource

import pytest
from lmms_eval.api.instance import GenerationResult, Instance, TokenCounts
from PIL import Image

from pairbench_ext.resumable.model import Resumable
from tests.asked_models import Asked

GREEDY = {"temperature": 0}
DRAWN = {"temperature": 0.7}


def requests_for(table, settings=GREEDY, repeats=1, task="task", **metadata):
    made = [
        Instance(
            request_type="generate_until",
            arguments=(doc["question"], dict(settings), lambda doc: doc["images"], k, task, "test"),
            idx=0,
            metadata={"task": task, "doc_id": k, "repeats": repeats, **metadata},
        )
        for k, doc in enumerate(table)
    ]
    return [request for request in made for _ in range(repeats)]


def docs(*questions):
    image = Image.new("RGB", (8, 8), "red")
    return [{"question": question, "images": [image]} for question in questions]


def ask(base, journal, table, requests=None, **options):
    """What the wrapper returns for requests about the documents of a table."""
    base.task_dict = {"task": {"test": table}, "other": {"test": table}}
    arguments = options.pop("arguments", {})
    model = Resumable(base, journal, block=options.pop("block", 4), arguments=arguments)
    outputs = model.generate_until(requests or requests_for(table, **options))
    model.clean()
    return outputs


class Drawing(Asked):
    """Never answers the same."""

    drawn = 0

    def _answer(self, task, doc_id, shown):
        Drawing.drawn += 1
        return f"{super()._answer(task, doc_id, shown)} {Drawing.drawn}"


def test_repeats_are_draws_of_their_own(tmp_path):
    table = docs("a", "b")
    first = ask(Drawing(), tmp_path, table, settings=DRAWN, repeats=3)
    assert len(set(first)) == 6
    base = Drawing()
    more = ask(base, tmp_path, table, settings=DRAWN, repeats=5)
    assert [more[k] for k in (0, 1, 2, 5, 6, 7)] == first
    assert len(base.asked) == 4
    assert len(set(more)) == 10


@pytest.mark.parametrize("settings", [DRAWN, GREEDY, {}], ids=str)
def test_documents_that_ask_the_same_are_answered_each_for_itself(settings, tmp_path):
    table = docs("a", "a", "a")
    first = ask(Drawing(), tmp_path, table, settings=settings)
    assert len(set(first)) == 3
    assert ask(Drawing(), tmp_path, table, settings=settings) == first


def by_doc(requests, outputs):
    answers = {}
    for request, output in zip(requests, outputs, strict=True):
        answers.setdefault(request.doc_id, []).append(output)
    return answers


def test_draws_do_not_depend_on_what_else_is_asked_or_on_ranks(tmp_path):
    requests = requests_for(docs("a", "a", "b", "a"), DRAWN, repeats=2)
    table = docs("a", "a", "b", "a")
    first = by_doc(requests, ask(Drawing(), tmp_path, table, requests))
    for share in (requests[:4], requests[4:], [*requests[2:4], *requests[6:]], requests[::-1]):
        for doc, answers in by_doc(share, ask(Drawing(), tmp_path, table, share)).items():
            assert answers == first[doc]


def test_tasks_share_an_answer_but_never_a_draw(tmp_path):
    table = docs("a", "b")
    for settings, asked in ((GREEDY, 0), (DRAWN, 2)):
        ask(Drawing(), tmp_path, table, settings=settings)
        base = Drawing()
        ask(base, tmp_path, table, settings=settings, task="other")
        assert len(base.asked) == asked


def test_arguments_tell_models_apart(tmp_path):
    table = docs("a")
    ask(Asked(), tmp_path, table, arguments={"pretrained": "one"})
    for arguments, asked in (({"pretrained": "one", "batch_size": 7}, 0), ({"pretrained": "x"}, 1)):
        base = Asked()
        ask(base, tmp_path, table, arguments=arguments)
        assert len(base.asked) == asked


@pytest.mark.parametrize(("settings", "asked"), [(DRAWN, 1), (GREEDY, 0)])
def test_the_seed_counts_where_answers_are_drawn(settings, asked, tmp_path):
    import torch

    base = Asked()
    with torch.random.fork_rng():
        torch.manual_seed(1)
        ask(Asked(), tmp_path, docs("a"), settings=settings)
        torch.manual_seed(2)
        ask(base, tmp_path, docs("a"), settings=settings)
        torch.manual_seed(1)
        ask(base, tmp_path, docs("a"), settings=settings)
    assert len(base.asked) == asked


def test_a_journal_needs_to_know_what_the_model_was_built_from(tmp_path):
    with pytest.raises(ValueError, match="a journal needs the base's `arguments`"):
        Resumable(Asked(), tmp_path)


def test_an_exception_of_the_base_frees_the_journal(tmp_path):
    class Breaks(Asked):
        def generate_until(self, requests):
            raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        ask(Breaks(), tmp_path, docs("a"))
    assert len(ask(Asked(), tmp_path, docs("a"))) == 1  # in this process: it is not in use


def agentic(doc, previous_output=None, round_idx=None, previous_round_info=None, **_):
    """Asks the same thing three times."""
    return [], "Again?", round_idx == 3, None, None


def test_steps_of_an_agentic_task_are_recorded(tmp_path):
    """The harness asks for them one by one; steps that ask the same are draws of their own."""
    from lmms_eval.evaluator import _run_generate_until_agentic

    def steps(base):
        base.task_dict = {"task": {"test": docs("a", "b")}}
        model = Resumable(base, tmp_path, arguments={})
        requests = [
            Instance(
                request_type="generate_until_agentic",
                arguments=("Again?", dict(DRAWN), lambda doc: [], agentic, k, "task", "test"),
                idx=0,
                metadata={"task": "task", "doc_id": k, "repeats": 1},
            )
            for k in (0, 1)
        ]
        outputs = _run_generate_until_agentic(model, requests * 2)
        model.clean()
        return outputs

    first, again = Drawing(), Drawing()
    outputs = steps(first)
    assert len(first.asked) == 12
    assert len(set(outputs)) == 4
    assert steps(again) == outputs
    assert again.asked == []


@pytest.mark.parametrize(
    "reply", ["", "  ", "[LMMS_EVAL_REQUEST_FAILED after 3 retries] busy"], ids=repr
)
def test_failures_are_asked_again(reply, tmp_path, said):
    table = docs(*"abcdef")
    first = ask(Asked(fail={1: reply, 4: reply}), tmp_path, table)
    assert [first[1], first[4]] == [reply, reply]
    assert "2 requests failed" in said[0]
    base = Asked()
    assert ask(base, tmp_path, table) == ask(Asked(), None, table)
    assert [doc for _, doc, _ in base.asked] == [1, 4]


def test_an_empty_answer_with_tokens_is_an_answer(tmp_path):
    class Silent(Asked):
        def _answer(self, task, doc_id, shown):
            super()._answer(task, doc_id, shown)
            return GenerationResult("", TokenCounts(output_tokens=1))

    again = Silent()
    assert ask(Silent(), tmp_path, docs("a")) == ask(again, tmp_path, docs("a"))
    assert again.asked == []


@pytest.mark.parametrize(
    "output",
    [
        "text",
        GenerationResult("text"),
        GenerationResult("text", TokenCounts()),
        GenerationResult("text", TokenCounts(1, 2, 3)),
        GenerationResult("\ud800 é\n", TokenCounts(output_tokens=2)),
        ("text", {"output_tokens": 2}),
    ],
    ids=repr,
)
def test_outputs_come_back_as_the_harness_reads_them(output, tmp_path):
    from lmms_eval.api.instance import unwrap_generation_output

    class Fixed(Asked):
        def _answer(self, *_):
            return output

    fresh, recorded = (ask(Fixed(), tmp_path, docs("a"))[0] for _ in range(2))
    assert fresh == output
    assert unwrap_generation_output(recorded) == unwrap_generation_output(output)


def test_what_cannot_be_compared_is_asked_each_time(tmp_path, said):
    table = docs("a", "b")
    table[1]["images"] = [print]
    ask(Asked(), tmp_path, table)
    assert "document 1 of task shows a builtins.builtin_function_or_method" in said[0]
    assert "1 requests showed something that cannot be compared" in said[1]
    base = Asked()
    ask(base, tmp_path, table)
    assert [doc for _, doc, _ in base.asked] == [1]


def test_settings_are_the_task_s_own_at_each_asking(tmp_path):
    """Backends take `until` out of the dictionary that they are given."""
    table = docs(*"abcd")
    requests = requests_for(table, {**GREEDY, "until": ["\n"]}, repeats=2)
    ask(Asked(), tmp_path, table, requests, block=3)
    assert all(request.args[1]["until"] == ["\n"] for request in requests)
    base = Asked()
    ask(base, tmp_path, table, requests_for(table, {**GREEDY, "until": ["\n"]}, repeats=2))
    assert base.asked == []


def test_blocks_hold_one_task(tmp_path):
    """Backends take the names of task and split from the first request of a batch."""
    table = docs(*"abcde")
    base = Asked(batch_size=100)
    requests = [*requests_for(table), *requests_for(table, {**GREEDY, "top_k": 1}, task="other")]
    ask(base, tmp_path, table, requests, block=3)
    assert base.calls == [3, 2, 3, 2]
    assert [task for task, *_ in base.asked] == ["task"] * 5 + ["other"] * 5


def test_padding_of_the_harness_is_not_asked(tmp_path):
    table = docs("a", "b")
    requests = [*requests_for(table), *requests_for(table, __padding_only__=True)]
    base = Asked()
    assert len(ask(base, tmp_path, table, requests)) == 4
    assert len(base.asked) == 2


def test_without_a_journal_requests_go_to_the_base_as_they_are():
    class Looking(Asked):
        def generate_until(self, requests):
            self.seen = requests
            return super().generate_until(requests)

    base, table = Looking(), docs(*"abcdef")
    requests = requests_for(table)
    ask(base, None, table, requests, block=2)
    assert base.seen is requests


def test_a_wrong_number_of_answers_is_named(tmp_path):
    class Short(Asked):
        def generate_until(self, requests):
            return super().generate_until(requests)[1:]

    base = Short()
    with pytest.raises(RuntimeError, match="Short returned 1 answers to 2 requests"):
        ask(base, tmp_path, docs("a", "b"))


def test_a_journal_tells_what_is_left(tmp_path):
    from pairbench_ext.resumable import summarise

    class Stopping(Asked):
        def generate_until(self, requests):
            if len(self.calls) == 2:
                raise KeyboardInterrupt
            return super().generate_until(requests)

    with pytest.raises(KeyboardInterrupt):
        ask(Stopping(), tmp_path, docs(*"abcdefg"), block=2)
    task = summarise(tmp_path).tasks["task"]
    assert (task.answers, task.left) == (4, 3)


def test_the_log_says_what_is_there(tmp_path):
    from loguru import logger

    ask(Asked(), tmp_path, docs(*"abc"))
    heard = []
    sink = logger.add(heard.append, format="{message}")
    ask(Asked(), tmp_path, docs(*"abcde"))
    logger.remove(sink)
    assert "journal: 3 of 5 requests were answered before\n" in heard
    assert "journal: 3 answers were there, 2 were asked for\n" in heard


def test_a_journal_that_fills_up_does_not_stop_the_run(tmp_path, said):
    table = docs(*"abcdefgh")
    base = Asked()
    base.task_dict = {"task": {"test": table}}
    model = Resumable(base, tmp_path, block=2, arguments={})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    (file,) = tmp_path.glob("*.sqlite")

    generate = base.generate_until

    def generate_until(requests):
        """The disk is full after two blocks: a file-size limit acts as a full disk does."""
        if len(base.calls) == 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size, limits[1]))
        return generate(requests)

    base.generate_until = generate_until
    try:
        outputs = model.generate_until(requests_for(table))
        model.clean()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert outputs == ask(Asked(), None, table)
    assert "cannot write to the journal" in said[0]
    assert "4 answers could not be recorded" in said[1]
    again = Asked()
    assert ask(again, tmp_path, table) == outputs
    assert [doc for _, doc, _ in again.asked] == [4, 5, 6, 7]
