"""Every benchmark declares the answer that its prompt asks for, and both say the same."""

from pathlib import Path

import pytest

from lmms_eval_tasks.cast import prompts as cast
from lmms_eval_tasks.editreward_bench import prompts as editreward
from lmms_eval_tasks.editreward_bench.grammars import edit_verdicts
from lmms_eval_tasks.editscore_bench import prompts as editscore
from lmms_eval_tasks.genai_bench.grammars import genai_votes
from lmms_eval_tasks.mllm_judge import prompts as mllm_judge
from lmms_eval_tasks.mm_rlhf_rewardbench import prompts as mm_rlhf
from lmms_eval_tasks.mm_rlhf_rewardbench.grammars import answer_tags
from lmms_eval_tasks.mmrb2 import benchmark as mmrb2
from lmms_eval_tasks.mmrb2.grammars import better_response
from lmms_eval_tasks.multimodal_rewardbench import prompts as multimodal
from lmms_eval_tasks.pairbench import prompts as pairbench
from lmms_eval_tasks.preference import prompts as preference
from lmms_eval_tasks.vl_rewardbench import prompts as vl_rewardbench
from pairbench_ext.core import registry
from pairbench_ext.replies import parse

GENAI = Path(genai_votes.__file__).parents[1] / "prompts" / "image_generation.txt"

# The prompt, its declaration, and what the prompt has of it besides labels, keys and names.
DECLARED = {
    "pairbench": (pairbench.IMAGE_IMAGE_TEMPLATES[0], pairbench.ASKS, ("1", "10", "Score:")),
    "vl_rewardbench": (preference.TABLE_18, preference.ASKS, ("Overall Judgment: Answer X",)),
    "critic_points": (vl_rewardbench.CRITIC_POINTWISE, vl_rewardbench.ASKS_POINTS, ("100",)),
    "critic_pair": (vl_rewardbench.CRITIC_PAIRWISE, vl_rewardbench.ASKS_PAIR, ()),
    "multimodal_rewardbench": (multimodal.JUDGE, multimodal.ASKS, ("[[A]]", "[[B]]")),
    "mllm_pair": (mllm_judge.PAIR, mllm_judge.asks("chosen", "ABC"), ("[[C]]", "tie")),
    "mllm_score": (mllm_judge.SCORE, mllm_judge.asks("rated", "12345"), ("[[1]]", "[[5]]")),
    "mllm_batch": (mllm_judge.BATCH, mllm_judge.asks("text", "ABCD"), ("[[A]], [[B]]",)),
    "editscore": (editscore.SC, editscore.ASKS, ("0", "25")),
    "genai": (GENAI.read_text(encoding="utf-8"), genai_votes.asks(), ("[[",)),
}
REPLIES = {
    "pairbench": [("Score: 8\nReason: alike", 8)],
    "vl_rewardbench": [("Overall Judgment: Answer 2 is better.", 2)],
    "critic_points": [("Score: 85", 85)],
    "multimodal_rewardbench": [("Both are right.\n\n[[B]]", 2)],
    "mllm_pair": [('{"Analysis": "Alike.", "Judgement": "[[C]]"}', 0)],
    "mllm_score": [('{"Analysis": "Good.", "Judgement": "[[4]]"}', 4)],
    "mllm_batch": [("[[B]], [[A]], [[D]], [[C]]", "BADC")],
    "editscore": [('{"score": [18, 25], "reasoning": "lit"}', (18, 25))],
    "genai": [("[[A=B=Bad]]", "A=B=Bad"), ("[[A>B]]", "A>B")],
}


@pytest.mark.parametrize("name", DECLARED)
def test_a_prompt_asks_for_what_is_declared(name):
    prompt, asks, further = DECLARED[name]
    folded = prompt.lower()
    labels = [text.lower() for text, value in asks.texts if not name.startswith("genai")]
    for text in (*labels, *asks.keys, *asks.names, *map(str.lower, further)):
        assert text.lower() in folded, (name, text)


@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_as_asked_is_read_in_the_first_step(name):
    asks = DECLARED[name][1]
    for reply, value in REPLIES[name]:
        parsed = parse(asks.kind, reply, None, asks)
        assert (parsed.value, parsed.step) == (value, "asked")


@pytest.mark.parametrize("words", ["yes/no", "both/one", "true/false"])
def test_the_two_words_of_a_confirmation_are_those_of_its_prompt(words):
    asks = cast.asks(words)
    for evaluation in (wording.evaluation[words] for wording in cast.WORDINGS.values()):
        for prompt in evaluation.values():
            assert all(text in prompt.lower() for text, _ in asks.texts)


def test_keys_and_labels_in_grammars_are_those_of_their_prompts():
    of_mmrb2 = str(mmrb2.PROMPTS)
    assert all(key in of_mmrb2 for key in better_response.asks().keys)
    assert f"<{answer_tags.asks().keys[0]}>" in mm_rlhf.JUDGE
    named = [text for name, text in editreward.TEMPLATES.items() if "2" in name]
    assert named
    assert all("[[A>B]]" in text for text in named)
    assert dict(edit_verdicts.asks().texts)["A>B"] == 1


def test_every_benchmark_that_reads_by_a_grammar_declares_its_answer():
    undeclared = [
        benchmark.name
        for benchmark in registry.every_benchmark()
        if benchmark.read.grammar is not None and benchmark.read.asks is None
    ]
    assert {name for name in undeclared if not name.startswith("judgments")} <= {"cast"}
