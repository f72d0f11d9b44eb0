import pytest

from lmms_eval_tasks.subtlebench import prompts
from lmms_eval_tasks.subtlebench.tasks import ONE_STEP
from pairbench_ext.core.benchmark import Request
from pairbench_ext.harness.rounds import one_text
from pairbench_ext.judges.choice_prompt import read_prompt
from pairbench_ext.replies import letter

OPTIONS = ("The car moved up.", "B. stands first here", "The car moved down.")


def shown(strategy, options=OPTIONS, description=None):
    prompt = prompts.render(strategy, "Which car moved?", options, description)
    return one_text(Request((prompt.user,), prompt.system))


@pytest.mark.parametrize("strategy", ONE_STEP)
def test_every_prompt_of_the_benchmark(strategy):
    asked = read_prompt(shown(strategy))
    assert asked == ("Which car moved?", OPTIONS, strategy == "reasoning")


@pytest.mark.parametrize(
    ("prompt", "options"),
    [
        ("How similar are the images?", None),
        ("Options:\nB. it starts with the second", None),
        ("Options:\nA. one\nB. two\n\nA. again", ("one", "two")),
        ("Options:\nA. one\nC. not the next", ("one",)),
        ("Options:\n" + "\n".join(f"{c}. x{c}" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 26),
    ],
)
def test_other_prompts(prompt, options):
    asked = read_prompt(prompt)
    if options is None:
        assert asked is None
    else:
        assert asked.question == ""
        assert options in (asked.options, len(asked.options))


@pytest.mark.parametrize("strategy", ["standard", "reasoning"])
@pytest.mark.parametrize("rule", letter.RULES)
def test_answers_are_read_as_they_are_meant(strategy, rule):
    asked = read_prompt(shown(strategy))
    reply = asked.answer(2, "A car went down, not up. Option A is wrong.")
    assert letter.RULES[rule](reply, asked.options).value == "C"
    assert (reply == "C") == (strategy == "standard")
