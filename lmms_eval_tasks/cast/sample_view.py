"""Show a list of statements in the report, each with the model's nine verdicts on it."""

from collections.abc import Iterator, Sequence

from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from pairbench_ext.core.benchmark import Exchange, SampleTable, Trial, View

_SIGNS = {1: "yes", 0: "no", None: "unread"}


def _condition(trial: Trial) -> str:
    """The modality that the statements are generated from, and whether they are another pair's."""
    swapped = ", of another pair" if trial.get("swapped") else ""
    return f"from {trial.get('generated', '')}{swapped}"


def _tables(trial: Trial, exchanges: Sequence[Exchange]) -> Iterator[SampleTable]:  # noqa: ARG001
    """Yield a table for each prompt, with a row per statement and a column per modality."""
    rows = [exchange.log for exchange in exchanges if exchange.log.get("step") == "evaluate"]
    for prompt in PROMPTS:
        statements: dict[int, str] = {}
        signs: dict[tuple[int, str], str] = {}
        for row in rows:
            if row.get("prompt") == prompt:
                statements.setdefault(row["position"], str(row.get("statement") or row["position"]))
                signs[row["position"], row["evaluated"]] = _SIGNS.get(row.get("said"), "")
        lines = tuple(
            (text, *(signs.get((position, modality), "") for modality in MODALITIES))
            for position, text in sorted(statements.items())
        )
        if lines:
            columns = ("statement", *(f"from {modality}" for modality in MODALITIES))
            yield SampleTable(f"confirmed, asked for {prompt}", columns, lines)


VIEW = View(group=lambda _: "", condition=_condition, tables=_tables)
