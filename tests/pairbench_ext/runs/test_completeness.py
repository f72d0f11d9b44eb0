"""Samples beside what their task asks: limited runs, logs that are cut short, plain rows."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core.records import RecordError, read_up_to_cut
from pairbench_ext.runs.scoring import read_run
from tests.files import pairbench
from tests.pairbench_ext.runs.test_compare import ratings

TASK = "pairbench_demo_rotate"
DATE = "20261122_163255"


@pytest.fixture
def log(tmp_path):
    """Writes the first lines of a log of 48 pairs, four samples each."""

    def log(lines=192, *, effective=None, results=True, trials=None, cut=0, folder="run"):
        place = tmp_path / folder
        place.mkdir()
        samples = [{"doc_id": n, **row} for n, row in enumerate(ratings(0.5, 0, rows=16))][:lines]
        for sample in samples if trials else ():
            sample["trial"]["trials"] = trials
        text = "".join(json.dumps(sample) + "\n" for sample in samples)
        file = place / f"{DATE}_samples_{TASK}.jsonl"
        file.write_text(text[: len(text) - cut])
        if results:
            counts = {TASK: {"original": 192, "effective": effective or 192}}
            (place / f"{DATE}_results.json").write_text(json.dumps({"n-samples": counts}))
        return file

    return log


def asked(file):
    return read_run(file).asked


def test_a_whole_log_says_nothing(log):
    counts = asked(log())
    assert (counts.samples, counts.of, counts.items, counts.of_items) == (192, 192, 48, 48)
    assert counts.complete
    assert counts.describe() == []


def test_commands_say_it_first(log):
    whole, part = log(), log(lines=36, folder="part")
    score = pairbench("score", "pairbench", part.parent)
    assert score.exit_code == 0
    assert score.stdout.startswith(f"{TASK}: only 36 of 192 samples, 9 of 48 items")
    both = pairbench("compare", whole.parent, part.parent)
    expected = f"{TASK}, part: only 36 of 192 samples, 9 of 48 items"
    assert both.stdout.startswith(expected)
    panel = pairbench("panel", whole.parent, part.parent)
    assert panel.stdout.startswith(expected)
    card = pairbench("card", part.parent)
    assert card.stdout.startswith(f"part, {TASK}: only 36 of 192 samples")


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


def test_a_bad_line_that_is_whole_is_refused(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(RecordError, match="line 2: not a JSON object"):
        read_up_to_cut(file)
