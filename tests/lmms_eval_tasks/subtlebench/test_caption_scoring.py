"""Captions from files of plain rows: read, judged by a real endpoint, scored, printed."""

import math

import pytest

from lmms_eval_tasks.subtlebench.benchmark import BENCHMARKS, CAPTIONS
from lmms_eval_tasks.subtlebench.captions import NO, UNCLEAR, UNJUDGED, YES, measured, verdict_of
from pairbench_ext.runs import controls
from pairbench_ext.runs.files import owner
from tests import files
from tests.endpoints import Endpoint
from tests.files import pairbench, write_lines

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 3 retries] boom"
NOWHERE = "no/such-model"


def row(item, response, category="state", **others):
    reference = f"The reference of {item}."
    return {
        "item": item, "category": category, "reference": reference, "response": response, **others,
    }  # fmt: skip


def said(reply, model="gpt-4o"):
    return {"model": model, "reply": reply}


LINES = [
    row("a", "Caption a.", judge=said("Yes"), domain="natural"),
    row("b", "Caption b.", judge=said("**No**, it does not.")),
    row("c", "Caption c.", "quantity", judge=said("Perhaps.")),
    row("d", "<think>Hm", "quantity", judge=said(None), pair="c"),
    row("e", FAILED, "quantity", judge=said(None)),
    row("f", "Caption f.", "action", judge=said(None)),
]


@pytest.fixture(autouse=True)
def _environment(tmp_path, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("SUBTLEBENCH_SENTENCE_MODEL", NOWHERE)
    for name in ("SUBTLEBENCH_JUDGE", "API_TYPE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def endpoint(monkeypatch):
    with Endpoint(lambda prompt: "Yes") as started:
        monkeypatch.setenv("OPENAI_API_URL", started.url)
        yield started


def score_file(path, **options):
    return files.score_file(CAPTIONS, path, options=options)


def verdicts(scored):
    return [verdict_of(caption) for caption in measured(scored.table)]


def test_numbers_of_plain_rows(tmp_path):
    path = write_lines(tmp_path / "1_samples_subtlebench_caption.jsonl", LINES)
    assert owner(BENCHMARKS, path) is CAPTIONS
    scored = score_file(path)
    assert verdicts(scored) == [YES, NO, UNCLEAR, NO, NO, UNJUDGED]
    assert (scored.name, measured(scored.table).options["judge"], scored.failed) == (
        "subtlebench_caption",
        "gpt-4o",
        1,
    )
    assert dict(scored.unusable) == {"an empty caption": 1, "the request failed": 1}
    expected = {"llm_judge": 1 / 5, "judged": 5, "judge_unclear": 1, "coverage": 4 / 6}
    expected |= {"captions": 6, "pairs": 5, "css": math.nan}
    assert {name: scored.numbers[name] for name in expected} == pytest.approx(expected, nan_ok=True)
    assert NOWHERE in measured(scored.table).options["problem"]


def test_a_judge_is_asked_for_what_it_has_not_said(tmp_path, endpoint):
    path = write_lines(tmp_path / "a.jsonl", LINES)
    assert verdicts(score_file(path, judge="gpt-4o")) == [YES, NO, UNCLEAR, NO, NO, YES]
    assert ["Caption f." in prompt for prompt in endpoint.prompts] == [True]
    assert verdicts(score_file(path, judge="another")) == [YES, YES, YES, NO, NO, YES]
    assert len(endpoint.requests) == 1 + 4


def test_a_judge_that_cannot_be_asked_is_one_clear_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "")
    done = pairbench(
        "score",
        "subtlebench",
        write_lines(tmp_path / "mine.jsonl", LINES),
        "--judge",
        "gpt-4o",
        status=0,
    )
    assert "mine: the judge gpt-4o: Missing credentials" in done.output


def test_a_control_repeats_captions_of_others_and_asks_no_judge(tmp_path, endpoint, monkeypatch):
    """By a sentence model to which captions are alike in the share of their common words."""

    def alike(pairs, _):
        words = [[set(text.split()) for text in pair] for pair in pairs]
        return [len(a & b) / len(a | b) for a, b in words]

    monkeypatch.setattr("lmms_eval_tasks.subtlebench.sentences.css", alike)
    lines = [row(item, f"The reference of {item}.") for item in "abcd"]
    run = score_file(write_lines(tmp_path / "captions.jsonl", lines), judge="gpt-4o")
    [llm_judge, css] = (CAPTIONS.number(name) for name in CAPTIONS.main)
    assert (run.number(llm_judge), run.number(css)) == (1, 1)
    asked = len(endpoint.requests)
    [found] = controls.reached(run)
    assert (found.number, found.control.name, found.value) == (css, "another", 3 / 5)
    assert len(endpoint.requests) == asked == 4
