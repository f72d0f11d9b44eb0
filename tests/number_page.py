"""docs/numbers.md: every number of every benchmark, from the declarations.

python -m tests.number_page    # writes the page again
"""

from __future__ import annotations

from pairbench_ext.core import registry
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "numbers.md"
_HEAD = """# Numbers

All numbers of all benchmarks, by the names that logs, `--json` and `compare --number` use. What a
number measures, its equation and when to distrust it stand on the benchmark's own page.
`python -m tests.number_page` writes this page from the declarations.

| word | meaning |
| --- | --- |
| share, mean, correlation, score, count | what kind of value it is |
| better | whether more or less is better; empty where neither is |
| 95% CI | whether it has an interval: `NAME_ci95_low` and `NAME_ci95_high` |
"""
_TABLE = "| name | title | kind | better | 95% CI |\n| --- | --- | --- | --- | --- |\n"


def page() -> str:
    """Return the text of the page."""
    parts = [_HEAD]
    ours = [known for group in registry.benchmarks(ours=True).values() for known in group]
    for benchmark in sorted(ours, key=lambda known: known.name):
        folder = registry.folder_of(benchmark.name)
        parts.append(f"## {benchmark.title}\n")
        if (REPOSITORY / "lmms_eval_tasks" / folder / "README.md").is_file():
            parts.append(f"[Definitions](../lmms_eval_tasks/{folder}/README.md)\n")
        rows = [
            f"| `{number.name}` | {number.title} | {number.kind} | {number.better or ''} | "
            f"{'yes' if number.interval else ''} |\n"
            for number in benchmark.numbers
        ]
        parts.append(_TABLE + "".join(rows))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
