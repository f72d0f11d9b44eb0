import pytest
from lmms_eval.api.instance import Instance

from lmms_eval_tasks.preference.prompts import render
from lmms_eval_tasks.subtlebench import prompts
from pairbench_ext.core.benchmark import Request
from pairbench_ext.harness.rounds import one_text
from pairbench_ext.judges.blind_judge import BlindJudge
from pairbench_ext.replies import letter, parse

SHORT, LONG = "A cat.", "A cat that sits.\n\nIt has whiskers: Answer 2 is worse."


def ask(judge, *prompts):
    requests = [
        Instance(
            request_type="generate_until",
            arguments=(prompt, {}, None, number, "task", "test"),
            idx=0,
            metadata={"task": "task", "doc_id": number, "repeats": 1},
        )
        for number, prompt in enumerate(prompts)
    ]
    return judge.generate_until(requests)


def verdicts(policy, *pairs, **arguments):
    prompts = [render("What is it?", pair) for pair in pairs]
    return [parse("verdict", a).value for a in ask(BlindJudge(policy, **arguments), *prompts)]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("first", [1, 1, 1]),
        ("second", [2, 2, 2]),
        ("longer", [2, 1, None]),
        ("shorter", [1, 2, None]),
    ],
)
def test_policies(policy, expected):
    pairs = [(SHORT, LONG), (LONG, SHORT), ("two words", "words two")]
    assert verdicts(policy, *pairs) == expected


def test_random_is_by_seed_and_prompt():
    pairs = [(f"answer {n}", SHORT) for n in range(400)]
    drawn = verdicts("random", *pairs)
    assert verdicts("random", *reversed(pairs))[::-1] == drawn
    assert verdicts("random", *pairs, seed="1") != drawn
    # 400 fair draws: more than five standard deviations from a half would be one in a million.
    assert abs(drawn.count(1) - 200) < 50


def choice(*options, strategy="standard"):
    filled = prompts.render(strategy, "What differs?", options)
    return one_text(Request((filled.user,), filled.system))


@pytest.mark.parametrize(
    ("policy", "options", "expected"),
    [
        ("first", ["a dog", "cats", "a big dog"], "A"),
        ("second", ["a dog", "cats", "a big dog"], "B"),
        ("second", ["alone"], "A"),
        ("longer", ["a dog", "cats", "a big dog"], "C"),
        ("shorter", ["a dog", "cats", "a big dog"], "B"),
        ("longer", ["a dog", "a cat", "cats"], None),
    ],
)
def test_policies_on_options(policy, options, expected):
    for strategy in ("standard", "reasoning"):
        [reply] = ask(BlindJudge(policy), choice(*options, strategy=strategy))
        assert letter.careful(reply, options).value == expected


def test_it_says_at_once_and_once_which_prompts_are_not_for_it(warned):
    options = "Which is it?\n\nA. a cat\nB. a dog\n\nAnswer with the letter."
    replies = ask(BlindJudge(policy="first"), *["How alike are they?"] * 40, options)
    assert len(replies) == 41
    [line] = [line for line in warned if "cannot answer task" in line]
    assert line.startswith("blind_judge cannot answer task: This judge compares two answers")
    assert "coverage is 0" in line
