"""What VLM-SubtleBench's paper prints: Tables 2 to 13, without 11 and the summary in Table 1.

Averages are over questions, whose numbers are in Table 7. Of guesses and people, who were shown a
tenth of the questions, only means are checked, not counts.
"""

from __future__ import annotations

from lmms_eval_tasks.subtlebench.items import DOMAINS, TYPES
from lmms_eval_tasks.subtlebench.paper import FOLDER, HUMAN, RANDOM, Questions, questions
from pairbench_ext.runs.published import Place, Published, Table

_NOT_MODELS = frozenset([RANDOM, HUMAN])
_TYPES = tuple(f"accuracy_{name}" for name in TYPES)
_DOMAINS = tuple(f"domain_{name}" for name in DOMAINS)
_STRATEGIES = ("reasoning", "two_step", "grid", "concat", "overlap", "subtract", "highlight")
# What their code calls some of them: prompt types.
_AUTHORS = {
    "grid": "subtlebench_authors_grid",
    "concat": "subtlebench_authors_concatenated",
    "overlap": "subtlebench_authors_overlapped",
    "subtract": "subtlebench_authors_substract",
}
_DECODING = "temperature 0.5, repetition penalty 1 (Appendix B.1)"


def _domain(one: Questions) -> str:
    """As Table 10 counts them."""
    return "aerial" if one.source == "UBC" else one.domain


def _counts() -> dict[str, int]:
    found = dict.fromkeys((*_TYPES, *_DOMAINS, "accuracy"), 0)
    for one in questions():
        for name in (f"accuracy_{one.category}", f"domain_{_domain(one)}", "accuracy"):
            found[name] += one.n
    return found


def _table(number: int, about: str, *places: Place) -> Table:
    return Table(f"Table {number}", f"table_{number}.csv", about, places=places, decoding=_DECODING)


PUBLISHED = Published(
    source="the paper",
    folder=FOLDER,
    tables=(
        _table(
            2,
            "accuracy by type of difference",
            Place("subtlebench", {"accuracy": "accuracy"}, authors="subtlebench_authors"),
        ),
        _table(
            3,
            "captions",
            Place(
                "subtlebench_caption",
                {"css": "css", "llm_judge": "llm_judge"},
                authors="subtlebench_caption_authors",
            ),
        ),
        _table(
            4,
            "ways of asking GPT-5-main, and fine-tuning",
            *(
                Place(
                    f"subtlebench_{name}",
                    {"accuracy": "accuracy"},
                    setting=name,
                    authors=_AUTHORS.get(name, ""),
                )
                for name in _STRATEGIES
            ),
        ),
        _table(5, "rank correlations with other benchmarks"),
        _table(6, "after fine-tuning"),
        _table(8, "the models on other benchmarks"),
        _table(9, "one image at a time"),
        _table(10, "accuracy by domain"),
        _table(12, "ways of asking Qwen2.5-VL-72B"),
        _table(13, "accuracy by type and source"),
    ),
    counts=_counts(),
    rule="authors",
    not_models=_NOT_MODELS,
)
