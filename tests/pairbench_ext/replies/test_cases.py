"""Single replies, their form by form, and exactly what each rule makes of them: `cases.jsonl`."""

import json
from itertools import groupby
from pathlib import Path

import pytest

from lmms_eval_tasks.cast.numbered_list import statements
from pairbench_ext.replies import parse

FILE = Path(__file__).with_name("cases.jsonl")
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").split("\n") if line]
RULES = {
    rule: list(cases)
    for rule, cases in groupby(CASES, lambda case: f"{case['grammar']}-{case['rule']}")
}


def read(case):
    """The value and the reason as JSON has them."""
    if case["grammar"] == "numbered_list":
        return statements(case["response"]), ""
    value, reason = parse(case["grammar"], case["response"], case["rule"], case.get("options"))
    return list(value) if isinstance(value, tuple) else value, reason


@pytest.mark.parametrize("cases", RULES.values(), ids=RULES)
def test_every_case_is_read_as_it_says(cases):
    amiss = []
    for case in cases:
        value, reason = read(case)
        if (value, reason) != (case["value"], case.get("reason", reason)):
            amiss.append(f"{case['response']!r}: read {value!r}, {reason!r:.80}; meant {case}")
    assert not amiss, "\n".join(amiss)
