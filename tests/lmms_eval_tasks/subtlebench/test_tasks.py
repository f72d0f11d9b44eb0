from lmms_eval_tasks.subtlebench.benchmark import BENCHMARKS
from lmms_eval_tasks.subtlebench.choices import LANGUAGE_ONLY, STANDARD, TWO_STEP
from lmms_eval_tasks.subtlebench.items import DOMAINS, TYPES
from lmms_eval_tasks.subtlebench.tasks import AUTHORS, CONTROLS, ONE_STEP
from pairbench_ext.harness.task_files import folder_files, tasks_dir


def test_task_files_are_in_step_with_the_declaration():
    folder = tasks_dir() / "subtlebench"
    on_disk = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    assert on_disk == folder_files(BENCHMARKS, "lmms_eval_tasks.subtlebench.benchmark")


def test_every_strategy_type_domain_and_control_is_a_task(task_manager):
    ours = {name for name in task_manager.all_tasks if name.startswith("subtlebench")}
    strategies = {*ONE_STEP, TWO_STEP, LANGUAGE_ONLY} - {STANDARD}
    ends = {*strategies, *TYPES, *DOMAINS, *(f"control_{name}" for name in CONTROLS)}
    more = {
        "greedy",
        "swapped",
        "val",
        "two_step_rounds",
        "language_only_rounds",
        "synthetic_hub",
        "control",
        "demo",
    }
    more |= {"control_single", *(f"control_single_{name}" for name in CONTROLS)}
    more |= {"caption", "caption_greedy", "synthetic_caption"}
    more |= {"authors", *(f"authors_{kind}" for kind in AUTHORS if kind != "standard")}
    more |= {"caption_authors", "caption_authors_simple"}
    assert ours == {"subtlebench", *(f"subtlebench_{end}" for end in ends | more)}
    assert "subtlebench_control" in task_manager.all_groups
