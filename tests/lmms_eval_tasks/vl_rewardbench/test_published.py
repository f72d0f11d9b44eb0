"""Runs beside the printed ones: by rank (Table 2)."""

from tests.files import pairbench, text_of, write_lines

TASK = "vl_rewardbench_k5"
ROW = {"source": "povid", "repeat": 0, "order": "fwd", "truth": 0}


def test_runs_stand_among_the_models_of_the_paper(tmp_path):
    rows = [{**ROW, "item": n, "response": "Answer 1 is better."} for n in range(4)]
    judge = tmp_path / "Qwen2-VL-7B"
    file = write_lines(judge / f"20261122_120000_samples_{TASK}.jsonl", rows)
    shown = text_of("score", "vl_rewardbench", file)
    assert f"{TASK}: overall_accuracy 1.000 is rank 1 of 17 in Table 2 of the paper" in shown
    assert (
        "items, paper 1,250; replies are read by rule careful, in the paper by rule authors"
        in shown
    )
    pairbench("report", judge, "--out", tmp_path / "page.html", status=0)
    page = (tmp_path / "page.html").read_text()
    assert "is rank 1 of 17 in Table 2" in page
    assert "Qwen2-VL-7B is printed with 0.283" in page
