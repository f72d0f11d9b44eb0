"""Tasks that ask in rounds: what the harness makes of their replies, and what it is told to ask."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lmms_eval.api.instance import GenerationResult, unwrap_generation_output
from PIL import Image

from pairbench_ext.core.benchmark import Benchmark, Reading, Request, TaskTrials
from pairbench_ext.core.items import ItemEntry
from pairbench_ext.harness import evaluated, hooks, probes, rounds
from pairbench_ext.harness.documents import TrialDocs
from pairbench_ext.resumable.model import Resumable
from tests.judges import SightedJudge, request_about
from tests.toy_benchmark import TOY, answer

RED, BLUE = Image.new("RGB", (2, 2), "red"), Image.new("RGB", (2, 2), "blue")
SETTINGS = {"max_new_tokens": 8, "temperature": 0, "until": []}
plain = st.lists(st.text().filter(lambda text: "<" not in text), min_size=1, max_size=4)


def handed_over(output):
    """What a task is given of what a backend returned."""
    return unwrap_generation_output(output)[0]


@given(replies=plain)
def test_every_form_of_replies_is_read(replies):
    expected = [rounds.without_thoughts(reply) for reply in replies]
    assert rounds.unpack(rounds.pack(replies)) == expected
    assert rounds.unpack(handed_over(GenerationResult(text=list(replies)))) == expected
    if len(replies) > 1:
        assert rounds.unpack(handed_over(list(replies))) == expected
        assert rounds.unpack(handed_over(tuple(replies))) == expected


@pytest.mark.parametrize(
    ("result", "replies"),
    [
        (None, []),
        (3, []),
        ("", [""]),
        ("Yes.", ["Yes."]),
        (" Yes.\n", [" Yes.\n"]),
        ([" a", "\nb"], [" a", "\nb"]),
        (rounds.pack([" a", "\nb"]), [" a", "\nb"]),
        ("(not a tuple)", ["(not a tuple)"]),
        ("(1 + 1)", ["(1 + 1)"]),
        ("('a', None)", ["a", ""]),
        ("('a',)", ["a"]),
        ("('a')", ["('a')"]),
        ("('a', 1)", ["('a', 1)"]),
        (["a", None], ["a", ""]),
        ('{"answer": "yes"}', ['{"answer": "yes"}']),
        ("{broken", ["{broken"]),
        ("(" * 10_000 + ")", ["(" * 10_000 + ")"]),
        (rounds.pack(["a", None]), ["a", ""]),
        (rounds.pack(["<think>1. no</think>Yes", "<analysis>x</analysis> No"]), ["Yes", "No"]),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_backends_make_of_replies(result, replies):
    assert rounds.unpack(result) == replies


class Doubts(TaskTrials[ItemEntry]):
    """Shows a picture and asks; asks once more, without it, unless the reply was "No"."""

    entry_type = ItemEntry
    text_only = True
    requests = ({"row": 0}, {"row": 1})

    def describe(self, request):
        return {"row": request["row"], "rule": self.entry.rule}

    def ask(self, trial):
        image = (RED, BLUE)[trial["row"]]
        reply = yield Request((lambda: [image], "Round 1?"), "Be brief.", {"step": 1})
        if reply != "No":
            yield Request((f"You said {reply}. Sure?",), log={"step": 2})


def read(trial, exchanges, rule):
    reply = exchanges[-1].reply if exchanges else ""
    outcome = answer(str(trial["row"]), "plain", "yes", {"Yes": 1.0, "No": 0.0}.get(reply))
    return Reading((outcome,), rows=tuple({"words": len(e.reply.split())} for e in exchanges))


ASKS_TWICE = Benchmark(
    **{**TOY.__dict__, "name": "twice", "trials": Doubts, "read": replace(TOY.read, read=read)}
)


@pytest.fixture
def docs():
    return TrialDocs(ASKS_TWICE, Doubts({}))


@pytest.mark.parametrize(
    ("replies", "steps", "complete"),
    [
        (["Yes", "Yes"], [1, 2], True),
        (["No"], [1], True),
        (["Yes"], [1], False),
        ([], [], False),
        (["No", "Yes"], [1], False),
    ],
    ids=str,
)
def test_each_exchange_is_logged_as_a_row_and_an_incomplete_document_says_so(
    docs, replies, steps, complete
):
    for result in (replies, rounds.pack(replies)):
        trial = hooks.process_results(docs[1], [result])["trial"]
        assert [row["step"] for row in trial["exchanges"]] == steps
        assert [row["response"] for row in trial["exchanges"]] == replies[: len(steps)]
        assert [row["words"] for row in trial["exchanges"]] == [1] * len(steps)
        assert trial.get("complete", True) is complete
        assert (trial["benchmark"], trial["rule"], trial["row"]) == ("twice", "careful", 1)
        assert "blank_image" not in trial


def doubtful(prompt, images):
    return "Yes" if prompt.endswith("Round 1?") else f"No, {len(images)}"


def conversations(base, docs):
    """What `resumable` makes of the documents' conversations."""
    base.task_dict = {"task": {"test": docs}}
    shown = dict(SETTINGS), hooks.doc_to_visual, hooks.doc_to_text
    requests = [
        request_about((hooks.doc_to_text(doc), *shown), row, kind="generate_until_multi_round")
        for row, doc in enumerate(docs)
    ]
    outputs = Resumable(base, None, arguments={}).generate_until_multi_round(requests)
    return [unwrap_generation_output(output)[0] for output in outputs]


class NeedsAnImage(SightedJudge):
    """As llava_hf does: a request without an image is an IndexError."""

    def _reply(self, prompt, images):
        assert images[0].mode == "RGB"
        return super()._reply(prompt, images)


def test_a_model_that_needs_an_image_is_shown_a_blank_one(docs, said, monkeypatch):
    monkeypatch.setattr(evaluated, "_models", [])
    base = NeedsAnImage(doubtful)
    replies = conversations(base, docs)
    assert [rounds.unpack(reply) for reply in replies] == [["Yes", "No, 1"]] * 2
    shown = base.shown
    for [_, *images] in shown[2:]:
        assert [(image.size, image.getextrema()) for image in images] == [
            ((probes.BLANK_SIZE,) * 2, ((255, 255),) * 3)
        ]
    assert [images for _, *images in shown[:2]] == [[RED], [BLUE]]
    trial = hooks.process_results(docs[0], [replies[0]])["trial"]
    assert trial["blank_image"] is True
    assert [row.get("blank_image") for row in trial["exchanges"]] == [None, True]
    assert len([line for line in said if "cannot be asked without an image" in line]) == 1
    assert "blank_image" not in hooks.process_results(docs[0], [["No"]])["trial"]
