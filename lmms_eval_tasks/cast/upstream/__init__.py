"""CAST for a checkout of the harness: the authors' 100 pairs, in rounds."""

from lmms_eval_tasks.cast.benchmark import BENCHMARK
from lmms_eval_tasks.cast.upstream.hooks import METRICS
from pairbench_ext.upstream.export import Export, Leaf

COMMIT = "b31004f878c73e7e6b22b9670a0c9dc7b31391a8"
REPOSITORY = "https://github.com/gautierdag/cast"

EXPORT = Export(
    name="cast_consistency",
    title="CAST",
    url=REPOSITORY,
    benchmark=BENCHMARK,
    package=__name__,
    settings={
        "dataset_path": "imagefolder",
        "dataset_kwargs": {
            "data_files": {"test": f"{REPOSITORY}/archive/{COMMIT}.zip"},
            "drop_labels": True,
        },
        "test_split": "test",
        "process_docs": "utils.process_docs",
        "output_type": "generate_until_multi_round",
        "reasoning_tags": "none",
    },
    leaves=(Leaf("cast_consistency", "Self-consistency", "cast_rounds"),),
    metrics=METRICS,
)
