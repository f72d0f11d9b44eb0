"""Files of other harnesses, each laid out as its harness writes it, as judgments."""

import json
import struct
import zipfile
import zlib

import pandas as pd
import pyarrow as pa
import pytest

from tests.files import pairbench, write_lines

JUDGED = 12
WON = [i % 3 > 0 for i in range(JUDGED)]  # whether the first, or chosen, answer does


def reply(i):
    return f"My verdict: [[{'BA'[WON[i]]}]]"


def label(i):
    return "AB"[i % 2]


def inspect_sample(i):
    """A sample of inspect 0.3.285, without its events."""
    message = {"content": reply(i), "source": "generate", "role": "assistant", "model": "judge"}
    return {
        "id": i,
        "epoch": 1,
        "input": f"Which, {i}?",
        "target": label(i),
        "messages": [{"content": f"Which, {i}?", "source": "input", "role": "user"}, message],
        "output": {
            "model": "judge",
            "choices": [{"message": message, "stop_reason": "stop"}],
            "completion": reply(i),
            "usage": {"input_tokens": 3, "output_tokens": 3, "total_tokens": 6},
        },
        "scores": {"includes": {"value": "C", "answer": reply(i), "explanation": reply(i)}},
        "metadata": {},
        "uuid": f"u{i}",
    }


INSPECT = {"version": 2, "status": "success", "eval": {"task": "t", "model": "lab/judge"}}


def inspect_members():
    yield "_journal/start.json", json.dumps(INSPECT)
    for i in range(JUDGED):
        yield f"samples/{i}_epoch_1.json", json.dumps(inspect_sample(i))
    yield "header.json", json.dumps(INSPECT)


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


def inspect_json(folder):
    log = {**INSPECT, "samples": [inspect_sample(i) for i in range(JUDGED)]}
    (folder / "log.json").write_text(json.dumps(log))
    return folder / "log.json"


def promptfoo(folder):
    """What `promptfoo eval -o` writes (version 3 of its results)."""
    results = []
    for i in range(JUDGED):
        assertion = {"type": "equals", "value": label(i)}
        part = {"pass": True, "score": 1, "reason": "Assertion passed", "assertion": assertion}
        graded = {"pass": True, "score": 1, "reason": "", "componentResults": [part]}
        results.append(
            {
                "cost": 0.1,
                "gradingResult": {**graded, "namedScores": {}, "assertion": None},
                "id": f"u{i}",
                "latencyMs": 11,
                "namedScores": {},
                "prompt": {"raw": f"Which, {i}?", "label": "Which, {{n}}?"},
                "promptId": "p",
                "promptIdx": 0,
                "provider": {"id": "lab/judge", "label": ""},
                "response": {"output": reply(i), "tokenUsage": {"total": 9}, "cached": False},
                "score": 1,
                "success": True,
                "testCase": {"vars": {"n": i}, "assert": [assertion], "options": {}},
                "testIdx": i,
                "vars": {"n": i},
                "failureReason": 0,
            }
        )
    prompts = [{"raw": "Which, {{n}}?", "provider": "lab/judge", "metrics": {"score": 12}}]
    summary = {"version": 3, "prompts": prompts, "results": results, "stats": {"successes": 12}}
    content = {"evalId": "e", "results": summary, "config": {"description": ""}}
    (folder / "promptfoo.json").write_text(json.dumps(content, indent=2))
    return folder / "promptfoo.json"


def every_eval_ever(folder):
    table = [
        {
            "schema_version": "0.3.0",
            "evaluation_id": "e",
            "model_id": "lab/judge",
            "evaluation_name": "pairs",
            "sample_id": f"s{i}",
            "interaction_type": "single_turn",
            "input": {"raw": f"Which, {i}?", "reference": [label(i)]},
            "output": {"raw": [reply(i)]},
            "answer_attribution": [],
            "evaluation": {"score": 1.0, "is_correct": True},
        }
        for i in range(JUDGED)
    ]
    return write_lines(folder / "samples.jsonl", table)


def reward_bench(**columns):
    """Columns of a file of `eval-set-scores`, which are sorted."""
    turns, every = [{"role": "user", "content": "Q"}], range(JUDGED)
    asked = {
        f"text_{side}": [[*turns, {"role": "assistant", "content": side * i}] for i in every]
        for side in ("chosen", "rejected")
    }
    about = {"subset": ["math"] * JUDGED, "id": [*range(JUDGED)], "model": "lab/judge"}
    return json.dumps({**asked, **about, "model_type": "m", **columns}, indent=4, sort_keys=True)


def reward_bench_written(folder):
    results = [1 if won else 0 for won in WON]
    (folder / "judge.json").write_text(reward_bench(results=results))
    return folder / "judge.json"


def reward_bench_scored(folder):
    text = reward_bench(
        results=[int(won) for won in WON],
        scores_chosen=[[2.0 if won else -1.5] for won in WON],
        scores_rejected=[[0.25]] * JUDGED,
    )
    (folder / "judge.json").write_text(text)
    return folder / "judge.json"


def scored(folder, *words):
    """What is printed, and the numbers by judge."""
    done = pairbench("import", "judgments", *words, "--out", folder / "out")
    assert done.exit_code == 0, done.output
    runs = json.loads(pairbench("score", "judgments", folder / "out", "--json").stdout)["runs"]
    return done.output, {run["file"].split("/")[-2]: run["numbers"] for run in runs}


@pytest.mark.parametrize(
    "write",
    [inspect_archive, inspect_zstandard, inspect_json, promptfoo, every_eval_ever],
)
def test_replies_that_another_harness_recorded(write, tmp_path):
    said, numbers = scored(tmp_path, write(tmp_path))
    assert "taken for" in said
    assert list(numbers) == ["lab_judge"]
    right = sum(reply(i).endswith(f"[[{label(i)}]]") for i in range(JUDGED)) / JUDGED
    assert numbers["lab_judge"]["accuracy"] == right
    assert numbers["lab_judge"]["first_position_rate"] == sum(WON) / JUDGED
    assert numbers["lab_judge"]["judgments"] == JUDGED


@pytest.mark.parametrize("write", [reward_bench_written, reward_bench_scored])
def test_results_of_reward_bench(write, tmp_path):
    _, numbers = scored(tmp_path, write(tmp_path))
    assert list(numbers) == ["lab_judge"]
    assert numbers["lab_judge"]["accuracy"] == sum(WON) / JUDGED
    assert numbers["lab_judge"]["judgments"] == JUDGED


def test_ties_of_reward_bench_are_no_second_answers(tmp_path):
    (tmp_path / "judge.json").write_text(reward_bench(results=[1, 0.5, 0] * (JUDGED // 3)))
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
    answers = ["Yes", "No"] * 4
    file = vlmevalkit(tmp_path, answers, ["Yes", "No, it is not."] * 3 + ["No", "Yes"])
    _, numbers = scored(tmp_path, file)
    assert numbers["judge_MMBench"]["accuracy"] == 6 / 8


def test_answers_of_a_batch_of_ours_are_named(tmp_path):
    line = {"custom_id": "vl_rewardbench_both:0:0:0123abcd", "response": {"body": {}}}
    file = write_lines(tmp_path / "batch.jsonl", [line])
    done = pairbench("import", "judgments", file, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "to `pairbench import batch`" in " ".join(done.output.split())
