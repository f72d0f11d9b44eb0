"""Samples beside what their task asks: limited runs, logs that are cut short, plain rows."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core import registry
from pairbench_ext.core.records import RecordError, read_up_to_cut
from pairbench_ext.runs.completeness import judge_of
from pairbench_ext.runs.scoring import read_file
from tests.files import pairbench, write_lines
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
    return read_file(registry.every_benchmark(), file).asked


def test_a_whole_log_says_nothing(log):
    found = asked(log())
    assert (found.samples, found.of, found.items, found.of_items) == (192, 192, 48, 48)
    assert found.complete
    assert found.describe() == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"lines": 36},
            f"36 of 192 samples, 9 of 48 items (n-samples in {DATE}_results.json)",
        ),
        ({"lines": 38}, "only 38 of 192 samples, 9 of 48 items"),
        ({"lines": 36, "results": False, "trials": 192}, "9 of 48 items (as the trials say)"),
        ({"lines": 36, "effective": 36}, "the run was limited (--limit)"),
        ({"lines": 30, "effective": 36}, "limited to 36, and its log is cut short"),
        ({"lines": 37, "cut": 9}, "the file ends in the middle of a sample"),
        ({"lines": 193, "cut": 9, "results": False}, "only 191 samples: the file ends in the mid"),
        # Of one item alone nobody knows how many samples it has.
        ({"lines": 1}, "only 1 of 192 samples (n-samples"),
        ({"lines": 4}, "only 4 of 192 samples (n-samples"),
    ],
)
def test_what_is_missing_is_said(log, given, said):
    [line] = asked(log(**given)).describe()
    assert said in line
    assert line.endswith("one" if "only 191" in said else "the numbers are of these alone")


def test_plain_rows_are_asked_for_by_no_task(log):
    file = log(lines=36)
    rows = [json.loads(line)["trial"] | {"response": "5"} for line in file.open()]
    write_lines(file, rows)
    assert asked(file).describe() == []


@pytest.mark.parametrize("results", ["{", "[]", '{"n-samples": {"x": 1}}', "\udcff"])
def test_results_that_say_nothing_are_passed_over(log, results):
    file = log(lines=36)
    name = file.with_name(f"{DATE}_results.json")
    name.write_bytes(results.encode("utf-8", "surrogateescape"))
    assert asked(file).of is None


def test_commands_say_it_first(log):
    whole, part = log(), log(lines=36, folder="part")
    score = pairbench("score", "pairbench", part.parent)
    assert score.exit_code == 0
    assert score.stdout.startswith(f"{TASK}: only 36 of 192 samples, 9 of 48 items")
    both = pairbench("compare", whole.parent, part.parent)
    said = f"{TASK}, part: only 36 of 192 samples, 9 of 48 items"
    assert both.stdout.startswith(said)
    panel = pairbench("panel", whole.parent, part.parent)
    assert panel.stdout.startswith(said)
    card = pairbench("card", part.parent)
    assert card.stdout.startswith(f"part, {TASK}: only 36 of 192 samples")


def test_json_has_it(log):
    whole, part = log(), log(lines=36, folder="part")
    made = pairbench("score", "pairbench", part, "--json")
    [run] = json.loads(made.stdout)["runs"]
    assert (run["asked"]["items"], run["asked"]["of_items"]) == (9, 48)
    assert run["asked"]["complete"] is False
    assert run["remarks"][0].startswith("only 36 of 192 samples")
    made = pairbench("compare", whole, part, "--json")
    found = json.loads(made.stdout)["asked"][TASK]
    assert {name: one["complete"] for name, one in found.items()} == {"run": True, "part": False}


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


@pytest.mark.parametrize(
    ("results", "name"),
    [
        ({"model_name": "Qwen/Qwen2-VL-7B", "config": {"model": "qwen2_vl"}}, "Qwen2-VL-7B"),
        ({"config": {"model": "qwen2_vl", "model_args": "a=1"}}, "qwen2_vl (a=1)"),
        ({"config": {"model": "qwen2_vl", "model_args": "a=1," * 20}}, "qwen2_vl"),
        ({"config": None}, "run"),
        (None, "run"),
    ],
)
def test_a_judge_is_called_by_the_model_in_its_results(tmp_path, results, name):
    (tmp_path / "run").mkdir()
    if results is not None:
        (tmp_path / "run" / f"{DATE}_results.json").write_text(json.dumps(results))
    assert judge_of(tmp_path / "run" / f"{DATE}_samples_{TASK}.jsonl") == name
    assert judge_of(tmp_path / "run" / "gpt.jsonl") == "gpt"
