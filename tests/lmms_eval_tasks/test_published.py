"""Published tables: what is kept, what it says of itself, and where runs are placed."""

import pytest

from pairbench_ext.core import registry
from pairbench_ext.runs.placing import Asked, placements, same_model

KNOWN = [one for own in registry.benchmarks().values() for one in own if one.published is not None]
CELLS = {
    "cast": 405, "multimodal_rewardbench": 56, "pairbench": 1704, "subtlebench": 705,
    "subtlebench_caption": 705, "viescore": 780, "vl_rewardbench": 125,
}  # fmt: skip


@pytest.fixture(scope="module", params=KNOWN, ids=lambda one: one.name)
def benchmark(request):
    return request.param


def test_what_is_kept():
    assert {one.name: len(list(one.published.cells)) for one in KNOWN} == CELLS


@pytest.mark.parametrize(
    ("name", "table", "model", "number", "part", "setting", "value"),
    [
        ("vl_rewardbench", "Table 2", "Pixtral-12B", "hallucination", "", "", "25.9%"),
        ("pairbench", "Table 1", "Gemini-2.5-Pro", "controllability", "", "", "90.7%"),
        ("pairbench", "Table 8", "Qwen2.5-VL-32B", "relaxsym0_std", "wu_it", "", "24.50%"),
        ("pairbench", "Table 7", "InternVL2-8B", "wu_it_b_inv", "", "", "31.46%"),
        ("cast", "Table 3", "LLaVA 1.5 RLAIF", "both_by_image", "true/false", "", "0.74"),
        ("multimodal_rewardbench", "Leaderboard", "Aria", "safety", "", "", "0.502"),
        ("subtlebench", "Table 12", "Qwen2.5-VL-72B", "accuracy_quality", "", "subtract", "63.0%"),
        ("subtlebench", "Table 13", "o3", "accuracy", "quantity / UBC", "", "66.9%"),
    ],
)  # fmt: skip
def test_cells(name, table, model, number, part, setting, value):
    cells = registry.benchmark_of(name).published.cells
    wanted = (table, model, setting, part, number)
    [found] = [c for c in cells if (c.table, c.model, c.setting, c.part, c.number) == wanted]
    assert found.value == value


def test_tables_name_tasks_numbers_and_rows_that_there_are(benchmark):
    names = {one.name for own in registry.benchmarks().values() for b in own for one in b.tasks}
    for table in benchmark.published.tables:
        for place in table.places:
            assert place.task in names
            for printed in place.numbers:
                assert any(
                    (cell.table, cell.number, cell.part, cell.setting)
                    == (table.name, printed, place.part, place.setting)
                    for cell in benchmark.published.cells
                )


@pytest.mark.parametrize(
    ("folder", "model"),
    [
        ("Qwen__Qwen2-VL-7B-Instruct", "Qwen2-VL-7B"),
        ("gpt-4o-mini-2024-07-18", "GPT-4o-mini (2024-07-18)"),
        ("openai__gpt-4o", "GPT-4o (2024-08-06)"),
        ("Qwen__Qwen2-VL-2B-Instruct", None),
        ("", None),
    ],
)
def test_models_by_the_names_of_their_checkpoints(folder, model):
    published = registry.benchmark_of("vl_rewardbench").published
    assert same_model(folder, [cell.model for cell in published.cells]) == model


def placed(task, folder="", name="vl_rewardbench", rule=None, options=None, **numbers):
    asked = Asked(task, numbers, folder, rule, options or {})
    return placements(registry.benchmark_of(name), asked)


def test_a_run_among_the_models_of_the_paper():
    [one] = placed(
        "vl_rewardbench_k5", "Qwen__Qwen2-VL-72B-Instruct", rule="authors", overall_accuracy=0.42
    )
    assert (one.rank, one.of) == (9, 17)
    assert one.above == ("Llama-3.2-11B", pytest.approx(0.429))
    assert one.below == ("GPT-4o-mini (2024-07-18)", pytest.approx(0.415))
    assert one.same.value == pytest.approx(0.395)
    assert one.same.ci95 == pytest.approx((0.3677, 0.4227), abs=5e-4)  # 494 of 1,250
    assert (one.same.inside(0.42), one.same.inside(0.43)) == (True, False)
    assert one.differences == ()
    best, worst = (placed("vl_rewardbench_k5", macro_accuracy=value)[0] for value in (1.0, 0.0))
    assert (best.rank, best.above, worst.rank, worst.below) == (1, None, 17, None)
    assert best.same is None


def test_a_task_that_asks_as_the_authors_code_is_placed_where_the_same_is_asked():
    [one] = placed("viescore_1shot_authors", name="viescore", spearman_sc_authors=0.2)
    assert one.of == 3  # of GPT-4v and LLaVA alone Table 1 has one example
    assert one.above == ("gpt4v", pytest.approx(0.2689))
