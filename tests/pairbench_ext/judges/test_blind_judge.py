import pytest

from lmms_eval_tasks.editreward_bench import prompts as editreward_bench
from lmms_eval_tasks.genai_bench import benchmark as genai_bench
from lmms_eval_tasks.mllm_judge import prompts as mllm
from lmms_eval_tasks.mm_rlhf_rewardbench import prompts as mm_rlhf
from lmms_eval_tasks.mmrb2 import benchmark as mmrb2
from lmms_eval_tasks.multi_crit import benchmark as multi_crit
from lmms_eval_tasks.multimodal_rewardbench import prompts as mmrb
from lmms_eval_tasks.omni_rewardbench import benchmark as omni
from lmms_eval_tasks.preference.prompts import render
from lmms_eval_tasks.subtlebench import prompts
from lmms_eval_tasks.vl_rewardbench import prompts as vl
from pairbench_ext.core.benchmark import Request
from pairbench_ext.harness.rounds import one_text
from pairbench_ext.judges.blind_judge import BlindJudge
from pairbench_ext.replies import asks, parse
from tests.judges import request_about

SHORT, LONG = "A cat.", "A cat that sits.\n\nIt has whiskers: Answer 2 is worse."


def ask(judge, *prompts):
    return judge.generate_until([request_about((it, {}, None), n) for n, it in enumerate(prompts)])


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
    assert verdicts(policy, *[(SHORT, LONG), (LONG, SHORT), ("two words", "words two")]) == expected


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
        assert parse("letter", reply, None, asks("letter", options=options)).value == expected


def test_it_says_at_once_and_once_which_prompts_are_not_for_it(warned):
    options = "Which is it?\n\nA. a cat\nB. a dog\n\nAnswer with the letter."
    assert len(ask(BlindJudge(policy="first"), *["How alike are they?"] * 40, options)) == 41
    [line] = [line for line in warned if "cannot answer task" in line]
    assert line.startswith("blind_judge cannot answer task: This judge compares two answers")
    assert "coverage is 0" in line


def form(name, answers):
    """The prompt of a benchmark of pairs with two answers, in its own words."""
    first, second = answers
    if name == "multi_crit":
        said = {"{Response1}": first, "{Response2}": second}
        text = multi_crit.PROMPTS["template"]
        for slot, value in said.items():
            text = text.replace(slot, value)
        return text
    if name == "mmrb2":
        texts = ("\n".join(mmrb2.PROMPTS["reasoning"]), "[ORIGINAL PROMPT TO MODEL:]", "Why?")
        content = (*texts, "[RESPONSE A:]", first, "[RESPONSE B:]", second)
        return one_text(Request(content))
    if name == "omni":
        template = omni.PROMPTS["text_image_to_text"]["prompt_template"]
        return template.replace("{responseA}", first).replace("{responseB}", second)
    if name in ("image_generation", "image_edition"):
        return genai_bench.prompt(name)
    if name in ("2pair", "multi"):
        template = editreward_bench.TEMPLATES[name]
        return template if isinstance(template, str) else "\n".join(template)
    return {
        "vl_rewardbench": lambda: render("Why?", answers),
        "vl_critic": lambda: vl.CRITIC_PAIRWISE.format(query="Why?", answers=answers),
        "multimodal_rewardbench": lambda: mmrb.JUDGE.format(question="Why?", answers=answers),
        "mllm_judge": lambda: mllm.render(mllm.PAIR, "Why?", answers),
        "mm_rlhf": lambda: mm_rlhf.JUDGE.format(question="Why?", answers=answers),
    }[name]()


PAIRS = {
    "vl_rewardbench": ("verdict", {}),
    "vl_critic": ("verdict", {}),
    "multimodal_rewardbench": ("labels", {}),
    "mllm_judge": ("labels", {"labels": "ABC", "ties": True}),
    "mm_rlhf": ("answer_tags", {}),
    "multi_crit": ("response_is_better", {}),
    "omni": ("response_labels", {"ties": True}),
    "mmrb2": ("better_response", {}),
    "image_generation": ("genai_votes", {}),
    "image_edition": ("genai_votes", {}),
    "2pair": ("edit_verdicts", {"part": "2pair", "comparison": "AvsB"}),
    "multi": ("edit_verdicts", {"part": "4pair", "comparison": "AvsB"}),
}


@pytest.mark.parametrize("name", PAIRS)
def test_every_benchmark_of_pairs_has_a_blind_judge(name):
    grammar, options = PAIRS[name]
    winner = {"A>B": 1, "B>A": 2}

    def said(policy, *answers):
        [reply] = ask(BlindJudge(policy), form(name, answers))
        value = parse(grammar, reply, None, asks(grammar, **options or {})).value
        return winner.get(value, value)

    long = "A cat that sits.\n\nIt has whiskers [and] a tail."
    assert [said(policy, SHORT, long) for policy in ("first", "second")] == [1, 2]
    if grammar not in ("genai_votes", "edit_verdicts"):
        assert [said("longer", SHORT, long), said("longer", long, SHORT)] == [2, 1]
        assert said("shorter", SHORT, long) == 1
    else:
        assert said("longer", SHORT, long) is None  # two images have no length


def test_a_ranking_of_three_answers_is_no_pair():
    [reply] = ask(BlindJudge("first"), mllm.render(mllm.BATCH, "Why?", ("one", "two", "three")))
    assert parse("ranking", reply, None, asks("ranking", labels="ABC")).value is None
