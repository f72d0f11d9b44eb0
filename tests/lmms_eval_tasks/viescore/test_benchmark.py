from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from lmms_eval_tasks.viescore.tasks import TASKS
from pairbench_ext.core.registry import module_name
from pairbench_ext.harness.task_files import folder_files, tasks_dir

ASPECTS = ("sc", "pq", "o")


def test_generated_files_are_in_step_with_the_declaration():
    folder = tasks_dir() / "viescore"
    on_disk = {f.name: f.read_text(encoding="utf-8") for f in folder.iterdir()}
    assert on_disk == folder_files([BENCHMARK], module_name("viescore"))


def test_every_task_and_group_is_there(task_manager):
    ours = {name for name in task_manager.all_tasks if name.startswith("viescore")}
    variants = {"", "_1shot", "_pq_with_inputs", "_authors", "_authors_rounds"}
    variants |= {"_1shot_authors"}
    expected = {f"viescore_{name}{variant}" for name in TASKS for variant in variants}
    expected -= {"viescore_t2i_pq_with_inputs"}  # its input is the prompt alone
    expected |= {f"viescore{variant}" for variant in (*variants, "_demo", "_demo_mie", "_demo_cig")}
    assert ours == expected


def test_every_number_of_version_0_1_is_there():
    """Under its own name, or under the one that it has now as well."""
    names = {name for number in BENCHMARK.numbers for name in number.names}
    by_aspect = (
        "spearman_{}", "pearson_{}", "kendall_{}", "human_spearman_{}", "mean_{}", "ci95_{}_low",
        "ci95_{}_high", "spearman_{}_notebook", "human_spearman_{}_notebook",
    )  # fmt: skip
    expected = {name.format(aspect) for name in by_aspect for aspect in ASPECTS}
    expected |= {"ranking_footrule", "ranking_rho"}
    expected |= {"coverage", "refusals", "images", "image_models"}
    assert expected <= names
    assert {name.replace("_notebook", "_authors") for name in expected} <= names
