"""Files of other harnesses, each laid out as its harness writes it, as judgments."""

import json
import shutil
import struct
import zipfile
import zlib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from tests.files import json_of, judge_of, pairbench, text_of, write_lines

LOGS = Path(__file__).parents[2] / "vectors/harness_logs"  # inspect 0.3.285; promptfoo's version 3
JUDGED = 12
WON = [i % 3 > 0 for i in range(JUDGED)]  # whether the first, or chosen, answer does


def inspect_members():
    log = json.loads((LOGS / "inspect.json").read_text())
    samples = log.pop("samples")
    yield "_journal/start.json", json.dumps(log)
    for sample in samples:
        yield f"samples/{sample['id']}_epoch_1.json", json.dumps(sample)
    yield "header.json", json.dumps(log)


def inspect_archive(folder):
    with zipfile.ZipFile(folder / "log.eval", "w", zipfile.ZIP_DEFLATED) as log:
        for name, text in inspect_members():
            log.writestr(name, text)
    return folder / "log.eval"


def inspect_zstandard(folder):
    """An archive whose files are compressed as inspect does it: `zipfile` cannot write those."""
    body, central, count = b"", b"", 0
    for name, text in inspect_members():
        packed = pa.compress(text.encode(), codec="zstd", asbytes=True)
        sizes = zlib.crc32(text.encode()), len(packed), len(text.encode()), len(name), 0
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 93, 0, 0, *sizes)
        place = struct.pack("<HHHII", 0, 0, 0, 0, len(body))
        central += b"PK\1\2" + struct.pack("<H", 20) + fields + place + name.encode()
        body += b"PK\3\4" + fields + name.encode() + packed
        count += 1
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(central), len(body), 0)
    (folder / "log.eval").write_bytes(body + central + b"PK\5\6" + end)
    return folder / "log.eval"


def scored(folder, *words):
    """What is printed, and the numbers by judge."""
    done = pairbench("import", "judgments", *words, "--out", folder / "out", status=0)
    runs = json_of("score", "judgments", folder / "out")["runs"]
    return done.output, {judge_of(run): run["numbers"] for run in runs}


def as_it_is(name):
    return lambda folder: shutil.copy(LOGS / name, folder / "judge.json")


@pytest.mark.parametrize(
    "write",
    [
        inspect_archive, inspect_zstandard, as_it_is("inspect.json"), as_it_is("promptfoo.json"),
        lambda folder: shutil.copy(LOGS / "every_eval_ever.jsonl", folder),
    ],
    ids=["archive", "zstandard", "inspect", "promptfoo", "every eval ever"],
)  # fmt: skip
def test_replies_that_another_harness_recorded(write, tmp_path):
    said, numbers = scored(tmp_path, write(tmp_path))
    assert "read as" in said
    assert list(numbers) == ["lab_judge"]
    right = sum(won == (i % 2 == 0) for i, won in enumerate(WON)) / JUDGED  # A, B in turns
    assert numbers["lab_judge"]["accuracy"] == right
    assert numbers["lab_judge"]["first_position_rate"] == sum(WON) / JUDGED
    assert numbers["lab_judge"]["judgments"] == JUDGED


@pytest.mark.parametrize("name", ["reward_bench.json", "reward_bench_scored.json"])
def test_results_of_reward_bench(name, tmp_path):
    _, numbers = scored(tmp_path, as_it_is(name)(tmp_path))
    assert list(numbers) == ["lab_judge"]
    assert numbers["lab_judge"]["accuracy"] == sum(WON) / JUDGED
    assert numbers["lab_judge"]["judgments"] == JUDGED


def test_ties_of_reward_bench_are_no_second_answers(tmp_path):
    written = json.loads((LOGS / "reward_bench.json").read_text())
    ties = {**written, "results": [1, 0.5, 0] * (JUDGED // 3)}
    (tmp_path / "judge.json").write_text(json.dumps(ties))
    _, numbers = scored(tmp_path, tmp_path / "judge.json")
    assert numbers["lab_judge"]["tie_rate"] == pytest.approx(1 / 3)
    assert numbers["lab_judge"]["accuracy"] == pytest.approx(1 / 3)


def vlmevalkit(folder, answers, predictions, **options):
    rows = [
        {"index": i, "question": f"q{i}", **options, "answer": answer, "category": "c"}
        | {"prediction": prediction}
        for i, (answer, prediction) in enumerate(zip(answers, predictions, strict=True))
    ]
    pd.DataFrame(rows).to_excel(folder / "judge_MMBench.xlsx", index=False)
    return folder / "judge_MMBench.xlsx"


def test_choices_that_vlmevalkit_asked_for(tmp_path):
    """Nobody chose D here; C is an option nevertheless, and no tie."""
    options = {letter: f"the {letter}" for letter in "ABCD"}
    file = vlmevalkit(tmp_path, "ABCABC", ["A", "B. the B", "C", "B", "Answer: B", "C"], **options)
    _, numbers = scored(tmp_path, file)
    assert numbers["judge_MMBench"]["accuracy"] == 5 / 6
    assert "tie_rate" not in numbers["judge_MMBench"]


def test_yes_or_no_that_vlmevalkit_asked_for(tmp_path):
    file = vlmevalkit(tmp_path, ["Yes", "No"] * 4, ["Yes", "No, it is not."] * 3 + ["No", "Yes"])
    _, numbers = scored(tmp_path, file)
    assert numbers["judge_MMBench"]["accuracy"] == 6 / 8


def test_answers_of_a_batch_of_ours_are_named(tmp_path):
    line = {"custom_id": "vl_rewardbench_both:0:0:0123abcd", "response": {"body": {}}}
    file = write_lines(tmp_path / "batch.jsonl", [line])
    assert "to `pairbench import batch`" in text_of(
        "import", "judgments", file, "--out", tmp_path / "out", status=1
    )
