"""Single replies, their form by form, and exactly what each rule makes of them: `cases.jsonl`."""

import json
from itertools import groupby
from pathlib import Path

import pytest

from lmms_eval_tasks.best_of_n.correctness import final_answer, is_right
from lmms_eval_tasks.cast.lists import as_the_authors, statements
from lmms_eval_tasks.subtlebench.captions import candidate_of
from pairbench_ext.core.benchmark import Exchange
from pairbench_ext.replies import asks, parse
from pairbench_ext.replies.failures import is_answer, request_failed
from pairbench_ext.replies.refusals import refusal
from pairbench_ext.replies.subscores_authors import is_kept
from pairbench_ext.replies.thoughts import strip_thinking

FILE = Path(__file__).with_name("cases.jsonl")
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").split("\n") if line]
RULES = {
    rule: list(cases)
    for rule, cases in groupby(CASES, lambda case: f"{case['grammar']}-{case['rule']}")
}


OTHERS = {  # not grammars
    "authors_list": as_the_authors,
    "caption": lambda reply: candidate_of([Exchange({}, reply)]),
    "final_answer": final_answer,
    "is_answer": is_answer,
    "kept_by_viescore": is_kept,
    "numbered_list": statements,
    "refusal": lambda reply: refusal(reply) is not None,
    "request_failed": request_failed,
    "right_answer": is_right,
    "thoughts": strip_thinking,
}


def read(case):
    """The value and the reason as JSON has them."""
    options = case.get("options") or {}
    if case["grammar"] in OTHERS:
        return OTHERS[case["grammar"]](case["response"], **options), ""
    value, reason = parse(
        case["grammar"], case["response"], case["rule"], asks(case["grammar"], **options)
    )
    return list(value) if isinstance(value, tuple) else value, reason


@pytest.mark.parametrize("cases", RULES.values(), ids=RULES)
def test_every_case_is_read_as_it_says(cases):
    amiss = []
    for case in cases:
        value, reason = read(case)
        if (value, reason) != (case["value"], case.get("reason", reason)):
            amiss.append(f"{case['response']!r}: read {value!r}, {reason!r:.80}; meant {case}")
    assert not amiss, "\n".join(amiss)
