"""Which requests a base is asked, and what comes back for those that it is not."""

import pytest
from lmms_eval.api.instance import GenerationResult, TokenCounts
from PIL import Image

from pairbench_ext.resumable.model import Resumable
from tests.asked_models import Asked
from tests.judges import request_about

GREEDY = {"temperature": 0}
DRAWN = {"temperature": 0.7}


def requests_for(table, settings=GREEDY, repeats=1, **options):
    made = [
        request_about((doc["question"], dict(settings), show), number, repeats=repeats, **options)
        for number, doc in enumerate(table)
    ]
    return [each for each in made for _ in range(repeats)]


def show(doc):
    return doc["images"]


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


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        ("", "an empty reply"),
        ("[LMMS_EVAL_REQUEST_FAILED after 3 retries] busy", "the backend returned [LMMS_EVAL_REQ"),
        (None, "the server sent no text"),
        (GenerationResult([{"type": "text", "text": "A"}]), "the server sends replies in parts"),
    ],
    ids=repr,
)
def test_failures_are_asked_again_and_their_cause_is_named(reply, cause, tmp_path, said):
    table = docs(*"abcdef")
    first = ask(Asked(fail={1: reply, 4: reply}), tmp_path, table)
    assert [first[1], first[4]] == [reply, reply]
    assert f"2 requests failed ({cause}" in said[0]
    base = Asked()
    assert ask(base, tmp_path, table) == ask(Asked(), None, table)
    assert [doc for _, doc, _ in base.asked] == [1, 4]


SPENT = 'Error: can only concatenate str (not "NoneType") to str'


@pytest.mark.parametrize(
    ("reply", "tokens"),
    [
        (" \n\u200b\ufeff", None),
        ("", TokenCounts(output_tokens=3)),
        (None, TokenCounts(output_tokens=64)),
        (SPENT, TokenCounts(output_tokens=64)),
        (SPENT, TokenCounts(output_tokens=9, reasoning_tokens=9)),
        ("[SAFETY_BLOCKED:finish_reason=FinishReason.MAX_TOKENS]", TokenCounts(output_tokens=0)),
    ],
    ids=repr,
)
def test_a_reply_that_says_nothing_is_an_answer_and_said_at_once(reply, tokens, tmp_path, said):
    reply = GenerationResult(reply, tokens)
    table, settings = docs(*"abcdef"), {**GREEDY, "max_new_tokens": 64}

    class Watched(Asked):
        def generate_until(self, requests):
            before.append(list(said))
            return super().generate_until(requests)

    before = []
    first = ask(Watched(fail={1: reply, 2: reply}), tmp_path, table, settings=settings)
    assert (first[1].text.strip(" \n\u200b\ufeff"), first[1].token_counts) == ("", tokens)
    assert "2 replies are empty" in before[1][0], "after the first block"
    assert "max_new_tokens" in before[1][0]
    again = ask(Watched(), tmp_path, table, settings=settings)
    assert [getattr(output, "text", output) for output in again[1:3]] == [first[1].text] * 2
    assert "2 replies are empty" in said[-1]
    more = Watched()
    ask(more, tmp_path, table, settings={**settings, "max_new_tokens": 8192})
    assert len(more.asked) == 6, "with more tokens they are asked again"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), "many", [3]], ids=repr)
def test_a_usage_that_is_no_number_is_left_out(number, tmp_path):
    output = GenerationResult("text", TokenCounts(7, number))
    assert ask(Asked(fail={1: output}), tmp_path, docs("a", "b"))[1] is output
    base = Asked()
    [_, again] = ask(base, tmp_path, docs("a", "b"))
    assert (again, base.asked) == (GenerationResult("text", TokenCounts(7)), [])


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


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        *((name, True) for name in ("hf_token", "token", "headers", "default_headers", "api_key")),
        *((name, True) for name in ("use_auth_token", "aws_secret_access_key", "password")),
        *((name, False) for name in ("eos_token", "image_token", "max_new_tokens", "key_frames")),
        ("base_url", False),
    ],
)
def test_a_key_that_is_renewed_asks_nothing_again(name, is_secret, tmp_path):
    for value in ("one", "other"):
        base = Asked()
        arguments = {name: value, "model_kwargs": {name: value}, "url": f"https://{value}@host/v1"}
        ask(base, tmp_path, docs("a"), arguments=arguments)
    assert len(base.asked) == (0 if is_secret else 1)


def test_what_cannot_be_compared_is_asked_each_time(tmp_path, said):
    table = docs("a", "b")
    table[1]["images"] = [print]
    ask(Asked(), tmp_path, table)
    assert "document 1 of task shows a builtins.builtin_function_or_method" in said[0]
    assert "1 request showed content that cannot be compared" in said[1]
    base = Asked()
    ask(base, tmp_path, table)
    assert [doc for _, doc, _ in base.asked] == [1]


def test_blocks_hold_one_task(tmp_path):
    """Backends take the names of task and split from the first request of a batch."""
    table = docs(*"abcde")
    base = Asked(batch_size=100)
    requests = [*requests_for(table), *requests_for(table, {**GREEDY, "top_k": 1}, task="other")]
    ask(base, tmp_path, table, requests, block=3)
    assert base.calls == [3, 2, 3, 2]
    assert [task for task, *_ in base.asked] == ["task"] * 5 + ["other"] * 5
