"""`pairbench score replies`: how would this reply be read?"""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from pairbench_ext import replies as parsing
from pairbench_ext.core.records import RecordError, parse_lines
from pairbench_ext.show.cli.console import fail_on


def parse(
    grammar: Annotated[str, typer.Argument(help=f"One of: {', '.join(parsing.grammars())}.")],
    rule: Annotated[
        str | None,
        typer.Option(help="Rule of the grammar: careful (the default), strict, authors."),
    ] = None,
    n: Annotated[
        int | None, typer.Option(min=1, help="How many numbers were asked for (subscores).")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="The two answers, such as yes/no (yesno).")
    ] = None,
    options: Annotated[
        str | None,
        typer.Option(help="How many options there were, or a JSON list of their texts (letter)."),
    ] = None,
) -> None:
    """Read JSON lines {"response": ...} on standard input, write {"value": ..., "reason": ...}.

    An unusable reply has the value null (-1 under the rule `authors` of `rating`, as theirs).
    """
    with fail_on(RecordError, ValueError):
        known = {"n": n, "labels": labels, "options": _number_or_texts(options)}
        given = {name: value for name, value in known.items() if value is not None}
        parsing.find_rule(grammar, rule, given)  # what is wrong is said before the first line
        for record in parse_lines(sys.stdin, "standard input"):
            parsed = parsing.parse(grammar, record.get("response", str), rule, given)
            line = {"value": parsed.value, "reason": parsed.reason}
            sys.stdout.write(json.dumps(line) + "\n")


def _number_or_texts(options: str | None) -> object:
    """Return the parsed JSON; the grammar knows whether it is a number or a list of texts."""
    try:
        return None if options is None else json.loads(options)
    except json.JSONDecodeError as error:
        raise ValueError(f"--options must be a number or a JSON list, not {options!r}") from error
