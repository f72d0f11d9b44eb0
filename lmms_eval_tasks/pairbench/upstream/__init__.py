"""PairBench for a checkout of the harness: a task for each data set, over all of its splits."""

from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.upstream.hooks import METRICS, REPOSITORY
from pairbench_ext.upstream.export import Export, Leaf

NAME = "pairbench_similarity"

EXPORT = Export(
    name=NAME,
    title="PairBench",
    url="https://github.com/aarashfeizi/pairbench",
    benchmark=BENCHMARK,
    package=__name__,
    settings={
        "dataset_path": REPOSITORY,
        "dataset_kwargs": {"split": {"test": "all"}},
        "test_split": "test",
        "process_docs": "utils.process_docs",
    },
    leaves=tuple(
        Leaf(f"{NAME}_{end}", title, of, {"dataset_name": config})
        for end, title, of, config in (
            ("coco", "MS-COCO", "pairbench_coco_rotate", "coco"),
            ("in100", "ImageNet-100", "pairbench_in100_rotate", "in100"),
            ("wu_ii", "WhatsUp, image and image", "pairbench_wu_ii_a_sp", "wu_img_img"),
            ("wu_it", "WhatsUp, image and text", "pairbench_wu_it_a", "wu_img_text"),
        )
    ),
    metrics=METRICS,
    grouped=False,
)
