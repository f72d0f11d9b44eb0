"""Logs beside what their task asks: cut short, written to twice, of more runs than one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core import registry
from pairbench_ext.core.records import RecordError, read_up_to_cut
from pairbench_ext.runs.scoring import read_run
from tests.files import pairbench, score_file, write_lines
from tests.pairbench_ext.runs.test_compare import ratings

TASK = "pairbench_demo_rotate"
DATE = "20261122_163255"


@pytest.fixture
def log(tmp_path):
    """Writes a log of 48 pairs, four samples each, of which the first cannot be read."""

    def log(change=lambda samples: samples, folder="run"):
        samples = [{"doc_id": n, **row} for n, row in enumerate(ratings(0.5, 0, rows=16))]
        samples[0]["filtered_resps"] = ["no number"]
        counts = {TASK: {"original": 192, "effective": 192}}
        write_lines(tmp_path / folder / f"{DATE}_results.json", [{"n-samples": counts}])
        return write_lines(tmp_path / folder / f"{DATE}_samples_{TASK}.jsonl", change(samples))

    return log


def test_commands_say_it_first(log):
    whole, part = log(), log(lambda samples: samples[:36], folder="part")
    score = pairbench("score", "pairbench", part.parent, status=0)
    assert score.stdout.startswith(f"{TASK}: only 36 of 192 samples, 9 of 48 items")
    both = pairbench("compare", whole.parent, part.parent)
    expected = f"{TASK}, part: only 36 of 192 samples, 9 of 48 items"
    assert both.stdout.startswith(expected)
    assert pairbench("panel", whole.parent, part.parent).stdout.startswith(expected)
    assert pairbench("card", part.parent).stdout.startswith(f"{TASK}, part: only 36 of 192 samples")


@given(st.integers(0, 3), st.text(max_size=12), st.integers(0, 40))
def test_a_cut_costs_the_last_line_alone(tmp_path_factory, lines, text, cut):
    file = tmp_path_factory.getbasetemp() / "cut.jsonl"
    row = json.dumps({"text": text}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    whole = row * (lines + 1)
    file.write_bytes(whole[: max(len(row) * lines, len(whole) - cut)])
    if len(row) > cut > 1 and not lines:
        with pytest.raises(RecordError):
            read_up_to_cut(file)
        return
    records, was_cut = read_up_to_cut(file)
    assert len(records) == lines + (cut <= 1)
    assert was_cut == (1 < cut < len(row))
    file.write_bytes(whole[:-3] + b"\n")  # whole and bad
    with pytest.raises(RecordError, match=f"line {lines + 1}: not a JSON object"):
        read_up_to_cut(file)


def run(file):
    [benchmark] = registry.benchmarks()["pairbench"]
    return score_file(benchmark, file)


def test_a_doubled_log_counts_once_and_says_so(log):
    once = run(log())
    twice = run(log(lambda samples: samples * 2))
    assert dict(twice.unusable) == dict(once.unusable)
    assert sum(once.unusable.values()) == 1
    assert repr(twice.numbers) == repr(once.numbers)
    [line] = twice.asked.describe()
    assert line == f"{once.asked.samples} repeated lines: each sample counts once"
    assert once.asked.describe() == []


def changed(**fields):
    def change(samples):
        for field, value in fields.items():
            place = samples[1] if field in samples[1] else samples[1]["trial"]
            place[field] = value
        return samples

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda samples: [*samples, {**samples[3], "filtered_resps": ["Score: 1"]}],
            r"line 193: field 'doc_id' is 3, as on line 4, with a different reply or trial: the",
        ),
        (
            changed(benchmark="cast"),
            "line 2, trial: field 'benchmark' is 'cast', not 'pairbench' as before: the file ",
        ),
        (lambda samples: [{**samples[0], "doc_id": None}], "line 1: field 'doc_id' must be int"),
        (changed(rule=["careful"]), r"line 2, trial: field 'rule' must be str, not \['careful'\]"),
    ],
)
def test_what_cannot_be_a_log_of_one_run_is_named(log, change, message):
    with pytest.raises(RecordError, match=message):
        read_run(log(change))
