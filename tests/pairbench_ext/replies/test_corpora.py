"""Replies as models write them, by form and language, and what a careful person makes of them.

The goal is that the default rules read 95% of the readable replies of every corpus, and fewer than
1% of its replies amiss: otherwise than meant, or where there is nothing to read.
`python -m benchmarks.reading` prints what is reached.
"""

import pytest

from benchmarks import reading
from pairbench_ext.replies import grammars, parse

READ, AMISS = 0.95, 0.01
# Those named after a grammar alone, `unseen`, `second` or `fresh`, are read to the last reply.
WHOLE = [
    file
    for file in reading.default_files()
    if file.parent.name == "tuned"
    and file.stem.partition(".")[0] in grammars()
    and file.stem.partition(".")[2] in ("", "unseen", "second", "fresh")
]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_a_careful_person_reads(path):
    amiss, grammar = [], reading.grammar_of(path)
    for sample in reading.load(path):
        parsed = parse(grammar, sample.response, "careful", sample.asked(grammar))
        value = list(parsed.value) if isinstance(parsed.value, tuple) else parsed.value
        if value != sample.value:
            amiss.append(f"line {sample.line}: meant {sample.value!r}, read {tuple(parsed)!r:.200}")
        if parsed.span is not None:
            start, end = parsed.span
            assert 0 <= start < end <= len(sample.response), sample
    assert not amiss, "\n".join(amiss)


@pytest.mark.parametrize(
    "path", reading.default_files(), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_the_default_rule_reads_as_a_careful_person(path):
    result = reading.read(path)
    amiss = result.count("wrong", "invented")
    lines = [
        f"line {row.sample.line}: {row.outcome}, meant {row.sample.value!r}, read {row.said!r}"
        for row in result.read
        if row.outcome in ("wrong", "invented")
    ]
    assert amiss < AMISS * len(result.read), "\n".join(lines)
    unread = [row.sample.line for row in result.read if row.outcome == "unread"]
    assert result.count("right") >= READ * result.readable, f"unread lines: {unread}"
