"""`pairbench parse`: how would this reply be read?"""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from pairbench_ext import parsing
from pairbench_ext.cli.console import fail_on
from pairbench_ext.records import RecordError, parse_lines


def parse(
    grammar: Annotated[str, typer.Argument(help=f"One of: {', '.join(parsing.grammars())}.")],
    rule: Annotated[
        str | None, typer.Option(help="Rule of the grammar; the strictest by default.")
    ] = None,
    n: Annotated[
        int | None, typer.Option(min=1, help="How many numbers were asked for (subscores).")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="The two answers, such as yes/no (yesno).")
    ] = None,
) -> None:
    """Read JSON lines {"response": ...} on standard input, write {"value": ..., "reason": ...}.

    An unusable reply has the value null (-1 under the rule `notebook`, as its authors).
    """
    options = {"n": n, "labels": labels}
    given = {name: value for name, value in options.items() if value is not None}
    with fail_on(RecordError, ValueError):
        read = parsing.find_rule(grammar, rule, given)
        for record in parse_lines(sys.stdin, "standard input"):
            parsed = read(record.get("response", str))
            line = {"value": parsed.value, "reason": parsed.reason}
            sys.stdout.write(json.dumps(line) + "\n")
