"""What the harness writes beside samples, whatever is left of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.runs.completeness import RunResults, judge_of, results_of

TASK, DATE = "a_task", "20261122_120000"


@pytest.fixture
def samples(tmp_path):
    def samples(results=None):
        file = tmp_path / f"{DATE}_samples_{TASK}.jsonl"
        if results is not None:
            (tmp_path / f"{DATE}_results.json").write_bytes(results)
        return file

    return samples


SAID = {
    "model_name": "Qwen/Qwen2-VL-7B",
    "config": {"model": "qwen2_vl", "model_args": "a=1"},
    "n-samples": {TASK: {"original": 9, "effective": 4}},
    "configs": {TASK: {"generation_kwargs": {"temperature": 0}}},
}


def test_a_judge_of_a_folder_that_is_no_text_can_be_drawn(tmp_path):
    folder = tmp_path / "a\udcff\x1b"  # a name in another encoding, with an escape
    assert judge_of(folder / f"{DATE}_samples_{TASK}.jsonl") == "a\ufffd\\x1b"


def test_what_results_say(samples):
    file = samples(json.dumps(SAID).encode())
    found = results_of(file)
    assert found.counts(TASK) == (9, 4)
    assert found.decoding(TASK) == {"temperature": 0}
    assert (found.judge, judge_of(file), found.unread) == ("Qwen2-VL-7B", "Qwen2-VL-7B", "")


@pytest.mark.parametrize(
    ("results", "unread"),
    [
        (None, ""),
        (b'{"config": {', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff", "not JSON"),
        (b"[]", "an object is expected, not []"),
        (b'{"configs": {}, "n-samples": [], "config": null}', ""),
    ],
)
def test_results_that_do_not_say(samples, results, unread, tmp_path):
    file = samples(results)
    found = results_of(file)
    assert (found.counts(TASK), found.decoding(TASK), found.judge) == (None, {}, "")
    assert judge_of(file) == tmp_path.name
    assert unread in found.unread
    assert bool(unread) == bool(found.unread)
    assert not unread or str(found.file) in found.unread


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.sampled_from([*SAID, TASK]), inner)
    ),
)


@given(st.dictionaries(st.sampled_from([*SAID]), ANYTHING))
def test_results_of_any_shape_are_none_or_said(said):
    found = RunResults(None, said)
    assert isinstance(found.judge, str)
    assert isinstance(found.decoding(TASK), dict)
    counts = found.counts(TASK)
    assert counts is None or counts.of > 0
