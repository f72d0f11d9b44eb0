"""From files to numbers, for any benchmark: what is read, what is said, the shape of the JSON."""

from dataclasses import replace

import pytest

from lmms_eval_tasks.pairbench.benchmark import BENCHMARK as PAIRBENCH
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.readers import one_reply
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.files import owner
from tests.files import score_file, write_lines
from tests.toy_benchmark import TOY


def row(item="a", wording="plain", truth="yes", response="yes", **more):
    return {"item": item, "wording": wording, "truth": truth, "response": response, **more}


@pytest.fixture
def write(tmp_path):
    return lambda *rows, name="rows.jsonl": write_lines(tmp_path / name, rows)


def changed(**fields):
    return Benchmark(**{**TOY.__dict__, **fields})


def logged(**trial):
    return {"doc_id": 0, "filtered_resps": "yes", "trial": {"benchmark": "toy", **trial}}


def test_plain_rows_and_logged_samples_are_read_alike(write):
    plain = score_file(TOY, write(row(), row("b", truth="no")))
    trials = [row(), row("b", truth="no")]
    for trial in trials:
        del trial["response"]
    log = [{**logged(**trial), "doc_id": n} for n, trial in enumerate(trials)]
    assert plain.numbers == score_file(TOY, write(*log, name="l.jsonl")).numbers
    assert plain.numbers["accuracy"] == 0.5


@pytest.mark.parametrize("reply", ["", " \n\u200b\ufeff", "\u3164", "<think>Both are red, and"])
def test_a_reply_that_says_nothing_has_a_reason_of_its_own(reply, write):
    benchmark = changed(read=one_reply(TOY.outcome, "yesno"))
    run = score_file(benchmark, write(row(), row("b", response=reply), row("c", response="hm")))
    assert run.unusable["an empty reply"] == 1
    assert run.unusable.total() == 2
    [remark] = [line for line in run.remarks() if "may help" in line]
    assert remark.startswith("1 reply is empty; more tokens may help (--gen_kwargs max_")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], r"rows\.jsonl: no samples in it"),
        ([row(), row(wording="rude")], r"line 2: field 'wording' must be 'plain' or 'polite'"),
        ([{"item": "a"}], "line 1: no field 'wording', only"),
        (
            [row(), row(response="no")],
            r"rows\.jsonl: item 'a', wording 'plain', repeat 0, order 'fwd' occurs twice",
        ),
        ([row(rule="lenient")], "line 1: grammar 'yesno' has no rule 'lenient'; its rules are "),
        ([{"bypass": 1}], "line 1: a run with --predict_only logs replies without their trials"),
    ],
)
def test_what_is_wrong_is_named(write, rows, message):
    with pytest.raises(RecordError, match=message):
        score_file(TOY, write(*rows))


def test_whose_samples_a_file_holds(write):
    other, mine = changed(name="other", read=replace(TOY.read, fields=PAIRBENCH.outcome)), TOY
    assert owner([other, mine], write(row())) is mine
    assert owner([other, mine], write(sample_of("other"))) is other
    message = "samples of 'subtlebench_caption', not of 'other'; run: pairbench score subtlebench "
    with pytest.raises(RecordError, match=message):
        owner([other, mine], write(sample_of("subtlebench_caption")))
    with pytest.raises(RecordError, match=r"samples of 'third', .* not installed here"):
        owner([other, mine], write(sample_of("third")))
    with pytest.raises(RecordError, match="samples of 'mme', which is not a task of pairbench-ext"):
        owner([other], write({"doc_id": 0, "filtered_resps": ["Yes"]}, name="1_samples_mme.jsonl"))


def sample_of(benchmark):
    return {"filtered_resps": "", "trial": {"benchmark": benchmark}}
