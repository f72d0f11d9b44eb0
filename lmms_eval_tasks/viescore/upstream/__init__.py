"""VIEScore for a checkout of the harness: all tasks of ImagenHub's museum, 0-shot."""

from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from lmms_eval_tasks.viescore.tasks import TASKS
from lmms_eval_tasks.viescore.upstream.hooks import METRICS
from pairbench_ext.upstream.export import Export, Leaf

NAME = "viescore_imagenhub"
COMMIT = "2cbea4e8ce5721425a8772590ecdbe7d2edd1721"
RATINGS = (
    f"https://raw.githubusercontent.com/TIGER-AI-Lab/VIEScore/{COMMIT}"
    "/paper_implementation/_human_annotations/ImagenHub_human_eval_results"
)
# How the raters' files are called where they are not called as their folder.
FILES = {"t2i": "Text-To-Image", "mcic": "Multi-Subject_IG"}


def _ratings(name: str, folder: str) -> list[str]:
    file = FILES.get(name, folder.removeprefix("ImagenHub_"))
    return [f"{RATINGS}/{folder}/{file}_rater{number}.tsv" for number in (1, 2, 3)]


EXPORT = Export(
    name=NAME,
    title="VIEScore",
    url="https://tiger-ai-lab.github.io/VIEScore/",
    benchmark=BENCHMARK,
    package=__name__,
    settings={
        "dataset_path": "text",
        "dataset_kwargs": {
            "data_files": {task.name: _ratings(task.name, task.folder) for task in TASKS.values()},
            "split": {"test": "all"},
        },
        "test_split": "test",
        "process_docs": "utils.process_docs",
    },
    leaves=(Leaf(NAME, "Agreement with human raters", "viescore_tie"),),
    metrics=METRICS,
)
