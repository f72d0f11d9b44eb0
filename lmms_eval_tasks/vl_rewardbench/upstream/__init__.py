"""VL-RewardBench for a checkout of the harness, whose own task of that name asks each pair once."""

from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK
from lmms_eval_tasks.vl_rewardbench.upstream.hooks import METRICS
from pairbench_ext.upstream.export import Export, Leaf

EXPORT = Export(
    name="vl_rewardbench_votes",
    title="VL-RewardBench, K votes per pair",
    url="https://vl-rewardbench.github.io",
    benchmark=BENCHMARK,
    package=__name__,
    leaves=(
        Leaf(
            "vl_rewardbench_votes_k1",
            "One vote per pair",
            "vl_rewardbench_k1",
            {"process_docs": "utils.process_docs_k1"},
        ),
        Leaf(
            "vl_rewardbench_votes_k5",
            "Five votes per pair",
            "vl_rewardbench_k5",
            {"process_docs": "utils.process_docs_k5"},
        ),
    ),
    metrics=METRICS,
)
