"""Draft labels of new pairs: from candidates to pairs to a judge's drafts beside them."""

import json

import pytest

from lmms_eval_tasks.vl_rewardbench.labels import LABELS, LabelTrials
from pairbench_ext.runs.scoring import score_file
from tests.conftest import picture
from tests.files import pairbench, write_lines
from tests.judges import PromptChatJudge, PromptJudge, evaluate, numbers

TASK = "vl_rewardbench_label"


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """Three pairs of answers as `build response-pairs` writes them, with their images."""
    folder = tmp_path / "pairs"
    folder.mkdir()
    picture(0, 0).save(folder / "q.png")
    texts = (["It is B so.", "It is A so."], ["A it is.", "B it is."], ["Who knows?", "Not me, no"])
    lines = [
        {"id": f"q{n}", "query": f"Which? ({n})", "image": "q.png", "ground_truth": "A"}
        | {"response": response}
        for n, response in enumerate(texts)
    ]
    write_lines(folder / "pairs.jsonl", lines)
    monkeypatch.setenv("VL_REWARDBENCH_PAIRS", str(folder))
    return folder / "pairs.jsonl"


def answer(prompt):
    """For the answer that names A; always for the first one of the last question."""
    shown = prompt.partition("\nAnswer 1: ")[2].partition("\n\nPlease evaluate")[0]
    second = shown.partition("\n\nAnswer 2: ")[2]
    place = 2 if " A " in f" {second} " or second.startswith("A ") else 1
    return f"It fits the right answer. Overall Judgment: Answer {place} is superior."


def log(task_manager, folder, judge=PromptJudge):
    folder.mkdir(exist_ok=True)
    results = evaluate(judge(answer), TASK, task_manager)
    file = folder / f"20261122_120000_samples_{TASK}.jsonl"
    lines = (json.dumps(one, default=str) + "\n" for one in results["samples"][TASK])
    file.write_text("".join(lines))
    return file, numbers(results, TASK)


@pytest.mark.parametrize("judge", [PromptJudge, PromptChatJudge], ids=["simple", "chat"])
def test_drafts_beside_the_pairs(pairs, task_manager, tmp_path, judge):
    file, found = log(task_manager, tmp_path / "gpt", judge)
    assert (found["pairs"], found["votes"], found["coverage"]) == (3, 6, 1)
    assert found["labelled"] == pytest.approx(2 / 3)
    assert found["position_consistency"] == pytest.approx(2 / 3)
    done = pairbench("build", "draft-labels", pairs, file, "--out", tmp_path / "drafts.jsonl")
    assert done.exit_code == 0, done.output
    assert "3 pairs, 1 of them without a draft; 0 pairs not judged" in " ".join(done.output.split())
    rows = [json.loads(line) for line in (tmp_path / "drafts.jsonl").read_text().splitlines()]
    assert [row["draft_ranking"] for row in rows] == [[1, 0], [0, 1], None]
    assert [row["draft_votes"] for row in rows] == [[0, 2, 0], [2, 0, 0], [1, 1, 0]]
    assert rows[0]["judge"] == "gpt"
    assert [one["order"] for one in rows[0]["rationales"]] == ["fwd", "rev"]
    assert rows[0]["rationales"][0]["reply"].startswith("It fits")
    assert rows[0]["response"] == ["It is B so.", "It is A so."]
    again = score_file(LABELS, file)
    assert again.numbers["labelled"] == found["labelled"]
    assert any("1 pair has no draft" in said for said in again.remarks())


def test_a_pair_without_a_right_answer_costs_that_pair(pairs, warned):
    rows = [json.loads(line) for line in pairs.read_text().splitlines()]
    del rows[0]["ground_truth"]
    rows[1]["image"] = "missing.png"
    write_lines(pairs, rows)
    assert len(LabelTrials({"orders": "both"})) == 2
    [said] = [line for line in warned if "skipped" in line]
    assert "no field 'ground_truth'" in said
    assert "missing.png" in said
