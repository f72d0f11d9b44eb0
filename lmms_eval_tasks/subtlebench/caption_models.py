"""The two models that captions are measured with: one that embeds sentences, and a judge.

`SUBTLEBENCH_SENTENCE_MODEL` names another sentence model (on the hub, or a local folder) than the
paper's. `SUBTLEBENCH_JUDGE` names the judge, such as gpt-4o; without it there is none. Where the
judge is and by which key is up to the harness's own variables: see
`pairbench_ext.harness.llm_judge`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from loguru import logger

from lmms_eval_tasks.subtlebench import prompts, sentences
from lmms_eval_tasks.subtlebench.caption_numbers import Caption, cosine_similarity
from pairbench_ext.harness.llm_judge import Judge

SENTENCE_VARIABLE = "SUBTLEBENCH_SENTENCE_MODEL"
JUDGE_VARIABLE = "SUBTLEBENCH_JUDGE"
SENTENCE_MODEL = "sentence-transformers/paraphrase-MiniLM-L6-v2"  # Appendix B.3
TASK = "subtlebench_caption"  # under which the judge's answers are kept
LATER = "`pairbench score subtlebench FILE` computes it from the samples that --log_samples keeps"


def sentence_model() -> str:
    """The sentence model that is asked for, or the paper's."""
    return os.environ.get(SENTENCE_VARIABLE) or SENTENCE_MODEL


def configured_judge() -> Judge | None:
    """The judge that `SUBTLEBENCH_JUDGE` names; None if it names none."""
    name = os.environ.get(JUDGE_VARIABLE)
    return Judge(name) if name else None


def css(captions: Sequence[Caption], model: str) -> list[float]:
    """Cosine similarity of reference and candidate (Appendix B.3); 0 for an unusable caption.

    Args:
        captions: n of them.
        model: name of the sentence model.

    Returns:
        n numbers in [-1, 1].

    Raises:
        SentenceModelError: if the model cannot be had.
    """
    usable = [caption for caption in captions if caption.candidate]
    if not usable:
        return [0.0] * len(captions)
    embed = sentences.load(model).embed
    references = embed([caption.reference for caption in usable])
    candidates = embed([caption.candidate or "" for caption in usable])
    found = iter(cosine_similarity(references, candidates).tolist())
    return [next(found) if caption.candidate else 0.0 for caption in captions]


def judged_by(judge: Judge, captions: Sequence[Caption]) -> list[Caption]:
    """The captions with this judge's replies; it is asked for those that it has not given.

    Replies of another judge are left out.
    """
    named = [
        caption if caption.judge == judge.model else caption._replace(judge=judge.model, said=None)
        for caption in captions
    ]
    missing = [caption for caption in named if caption.to_be_judged]
    asked = (prompts.render_judge(each.reference, each.candidate or "") for each in missing)
    replies = judge.ask_all(asked, TASK)
    return [
        caption._replace(said=next(replies)) if caption.to_be_judged else caption
        for caption in named
    ]


def announce(judge: Judge | None) -> None:
    """Warn of what a run will lack in the end, while it has not begun.

    CSS is computed by rank 0 alone, so the others need no sentence model.
    """
    if os.environ.get("RANK", "0") == "0":
        try:
            sentences.load(sentence_model())
        except sentences.SentenceModelError as error:
            logger.warning(f"css will be nan: {error}. {LATER}")
    if judge is not None and judge.problem is not None:
        logger.warning(f"{JUDGE_VARIABLE}={judge.model}: {judge.problem}; llm_judge may be nan")
