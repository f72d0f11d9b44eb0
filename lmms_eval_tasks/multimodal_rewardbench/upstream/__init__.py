"""Multimodal RewardBench for a checkout of the harness, whose own task asks in one order."""

from lmms_eval_tasks.multimodal_rewardbench.benchmark import BENCHMARK
from lmms_eval_tasks.multimodal_rewardbench.upstream.hooks import METRICS
from pairbench_ext.upstream.export import Export, Leaf

EXPORT = Export(
    name="multimodal_rewardbench_orders",
    title="Multimodal RewardBench, both orders",
    url="https://github.com/facebookresearch/multimodal_rewardbench",
    benchmark=BENCHMARK,
    package=__name__,
    settings={"process_docs": "utils.process_docs"},
    leaves=(Leaf("multimodal_rewardbench_orders", "Both orders", "multimodal_rewardbench_both"),),
    metrics=METRICS,
)
