"""Read results of reward-bench: scores of both answers, or a generative judge's verdicts."""

from dataclasses import replace

from pairbench_ext.stacks.records.tools.model import Tool, roles, with_fields

_COMMON = {
    "item": "subset+id", "judge": "model", "source": "subset", "first_answer": "text_chosen",
    "second_answer": "text_rejected",
}  # fmt: skip
SCORED = Tool(
    "scores of reward-bench",
    with_fields("scores_chosen", "scores_rejected", "text_chosen", "text_rejected"),
    roles("pair", **_COMMON, scores="scores_chosen+scores_rejected"),
)
TOOL = Tool(
    "results of reward-bench",
    with_fields("results", "text_chosen", "text_rejected"),
    replace(
        roles("pair", **_COMMON, winner="results"),
        values={"1": "first", "0": "second", "0.5": "tie"},
    ),
)
