"""The demo: a judge that measures pixels, on photographs edited by rule, offline."""

from lmms_eval_tasks.build.photos import SOURCES
from lmms_eval_tasks.viescore.demo import demo_museum
from pairbench_ext.judges.pixel_judge import PixelJudge
from tests.judges import evaluate, numbers


def test_the_judge_sees_quality_but_reads_no_instruction(task_manager):
    results = evaluate(PixelJudge(), "viescore_demo", task_manager)
    for task in ("mie", "cig"):
        found = numbers(results, f"viescore_demo_{task}")
        assert (found["images"], found["image_models"], found["coverage"]) == (48, 3, 1)
        assert found["ci95_o_low"] > 0.1
    assert numbers(results, "viescore_demo")["spearman_pq"] > 0.8
    assert numbers(results, "viescore_demo_mie")["spearman_sc"] < 0.6
    human = numbers(results, "viescore_demo")["human_spearman_o"]
    assert human != human  # NaN: one constructed rater agrees with nobody
    card = (demo_museum() / "README.md").read_text()
    assert "No\nhuman gave them" in card
    assert all(source.author in card for source in SOURCES)
