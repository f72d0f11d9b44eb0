"""VLM-SubtleBench for a checkout of the harness: the standard and the reasoning prompt."""

from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from lmms_eval_tasks.subtlebench.upstream.hooks import METRICS, REPOSITORY
from pairbench_ext.upstream.export import Export, Leaf

EXPORT = Export(
    name="vlm_subtlebench",
    title="VLM-SubtleBench",
    url=f"https://huggingface.co/datasets/{REPOSITORY}",
    benchmark=CHOICES,
    package=__name__,
    settings={
        "dataset_path": REPOSITORY,
        "dataset_kwargs": {"data_files": {"test": "data/test.jsonl"}},
        "test_split": "test",
        "process_docs": "utils.process_docs",
    },
    leaves=(
        Leaf(
            "vlm_subtlebench_standard",
            "Letter only (Figure 8)",
            "subtlebench",
            {"lmms_eval_specific_kwargs": {"default": {"prompt": "standard"}}},
        ),
        Leaf(
            "vlm_subtlebench_reasoning",
            "Reasons, then answers (Figure 9)",
            "subtlebench_reasoning",
            {"lmms_eval_specific_kwargs": {"default": {"prompt": "reasoning"}}},
        ),
    ),
    metrics=METRICS,
    section="Multi-image Tasks",
)
