"""Read files that known tools wrote; there is one module per tool.

To add one, write a module with a `TOOL` and name it in `TOOLS`. Where the tool nests what was said,
`rows` makes a flat row of each judgment, with columns such as `item`, `judge`, `value`.
Tests are in `tests/pairbench_ext/stacks/test_tools.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from pairbench_ext.stacks.records.columns import Columns
from pairbench_ext.stacks.records.profile import TOOL
from pairbench_ext.stacks.records.tools import (
    argilla,
    deepeval,
    every_eval_ever,
    forms,
    helm,
    inspect_ai,
    label_studio,
    langfuse,
    lmms_eval,
    mlflow,
    mmrb2,
    omni_rewardbench,
    openai_evals,
    promptfoo,
    reward_bench,
    vl_rewardbench,
    vlmevalkit,
)
from pairbench_ext.stacks.records.tools.model import Placed, Tool

TOOLS: tuple[Tool, ...] = (
    label_studio.TOOL, argilla.TOOL, argilla.FLAT, openai_evals.TOOL, deepeval.TOOL, langfuse.TOOL,
    mlflow.TOOL, promptfoo.GRADED, promptfoo.TOOL, inspect_ai.GRADED, inspect_ai.TOOL,
    every_eval_ever.TOOL, reward_bench.SCORED, reward_bench.TOOL, vlmevalkit.JUDGED,
    vlmevalkit.TOOL, helm.TOOL, mmrb2.TOOL, omni_rewardbench.TOOL, vl_rewardbench.TOOL,
    lmms_eval.TOOL,
)  # fmt: skip


_LOOKED_AT = 20  # rows, one of which tells the tool


def as_known(rows: Iterable[Placed]) -> Iterator[Placed]:
    """Return the rows of a file, flattened if a known tool wrote the file."""
    rows = iter(rows)
    head = list(islice(rows, _LOOKED_AT))
    fields = [row for _, row in head if isinstance(row, dict)]
    tool = next((t for t in TOOLS for row in fields if t.recognises(row)), None)
    tool = forms.TOOL if tool is None and forms.is_form(fields) else tool
    every = chain(head, rows)
    return every if tool is None else _marked(tool, every)


def _marked(tool: Tool, rows: Iterator[Placed]) -> Iterator[Placed]:
    """Yield rows that say which tool wrote them; what is no row stays as it is."""
    for place, row in tool.rows(rows):
        yield place, {**row, TOOL: tool.title} if isinstance(row, dict) else row


def columns_of(row: Mapping[str, Any]) -> tuple[str, Columns] | None:
    """Return the name and column roles of the tool that wrote a row; None for an unknown tool."""
    return next(((t.title, t.columns) for t in TOOLS if t.title == row.get(TOOL)), None)
