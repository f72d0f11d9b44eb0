"""docs/numbers.md: every number of every benchmark, from the declarations.

python -m tests.number_page    # writes the page again
"""

from __future__ import annotations

from collections import Counter, defaultdict

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.numbers import Number
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "numbers.md"
_HEAD = """# Numbers

These are the names that logs, `--json` and `compare --number` use. A benchmark's own page defines
its numbers and says when to distrust them.

- ↑: higher is better. ↓: lower is better.
- CI: there is a 95% interval, `NAME_ci95_low` and `NAME_ci95_high`.
- Empty title: tables print the name.

`python -m tests.number_page` writes this page from the declarations.
"""
_TABLE = "| name | title | value |\n| --- | --- | --- |\n"
_COMMON = 2  # a number that benchmarks of so many folders share stands once
_ARROWS = {"higher": " ↑", "lower": " ↓", None: ""}


def _row(number: Number) -> str:
    value = f"{number.kind}{_ARROWS[number.better]}{', CI' if number.interval else ''}"
    title = "" if number.title == number.name.replace("_", " ") else number.title
    return f"| `{number.name}` | {title} | {value} |\n"


def _definition(benchmark: Benchmark) -> str:
    folder = registry.folder_of(benchmark.name)
    return f"[{folder}](../lmms_eval_tasks/{folder}/README.md)"


def page() -> str:
    """Return the text of the page."""
    ours = [known for group in registry.benchmarks(ours=True).values() for known in group]
    rows = {known.name: [*map(_row, known.numbers)] for known in ours}
    shared = Counter(
        row for _, row in {(registry.folder_of(name), row) for name in rows for row in rows[name]}
    )
    common = {row for row, count in shared.items() if count >= _COMMON}
    parts = [_HEAD, "## In several benchmarks\n", _TABLE + "".join(sorted(common))]
    alike: dict[str, list[Benchmark]] = defaultdict(list)
    for benchmark in sorted(ours, key=lambda known: known.name):
        alike["".join(row for row in rows[benchmark.name] if row not in common)].append(benchmark)
    for own, benchmarks in alike.items():
        named = {_definition(benchmark): None for benchmark in benchmarks}
        parts.append(f"## {', '.join(each.title for each in benchmarks)}\n")
        parts.append(f"{', '.join(named)}\n")
        parts.append(_TABLE + own if own else "Only numbers of the first table.\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
