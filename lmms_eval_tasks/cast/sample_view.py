"""How the report shows a list of statements: each with the nine answers to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from pairbench_ext.core.benchmark import Exchange, SampleTable, SampleView, Trial

_SIGNS = {1: "yes", 0: "no", None: "unread"}


def _condition(trial: Trial) -> str:
    """What the statements are generated from, and whether they are another pair's."""
    swapped = ", of another pair" if trial.get("swapped") else ""
    return f"from {trial.get('generated', '')}{swapped}"


def _tables(trial: Trial, exchanges: Sequence[Exchange]) -> Iterator[SampleTable]:  # noqa: ARG001
    """A table per way to ask: a row per statement, a column per modality."""
    rows = [one.log for one in exchanges if one.log.get("step") == "evaluate"]
    for prompt in PROMPTS:
        asked = [row for row in rows if row.get("prompt") == prompt]
        positions = sorted({row["position"] for row in asked})
        found = {(row["position"], row["evaluated"]): row for row in asked}
        lines = tuple(
            (
                next(str(r.get("statement") or p) for r in asked if r["position"] == p),
                *(
                    _SIGNS.get(found[p, shown].get("said"), "") if (p, shown) in found else ""
                    for shown in MODALITIES
                ),
            )
            for p in positions
        )
        if lines:
            columns = ("statement", *(f"from {shown}" for shown in MODALITIES))
            yield SampleTable(f"confirmed, asked for {prompt}", columns, lines)


VIEW = SampleView(group=lambda _: "", condition=_condition, tables=_tables)
