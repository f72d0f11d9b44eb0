"""What VLM-SubtleBench's paper prints: Tables 2 to 13, without 11 and the summary in Table 1.

Averages are over questions, whose numbers are in Table 7. Of guesses and people, who were shown a
tenth of the questions, only means are checked, not counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lmms_eval_tasks.subtlebench.items import DOMAINS, TYPES
from lmms_eval_tasks.subtlebench.paper import FOLDER, HUMAN, RANDOM, Questions, questions
from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.orders import RankCorrelated, Same
from pairbench_ext.runs.published.relations import Averaged, Relation
from pairbench_ext.runs.published.shares import Pooled, Possible
from pairbench_ext.runs.published.tables import Cells, Place, Published, Table, all_of

_NOT_MODELS = frozenset([RANDOM, HUMAN])
_TYPES = tuple(f"accuracy_{name}" for name in TYPES)
_DOMAINS = tuple(f"domain_{name}" for name in DOMAINS)
# Table 13 does not tell natural and game apart, which share a source.
_OF_ONE_DOMAIN = ("industrial", "medical", "synthetic", "aerial")
_STRATEGIES = ("reasoning", "two_step", "grid", "concat", "overlap", "subtract", "highlight")
# What their code calls some of them: prompt types.
_AUTHORS = {
    "grid": "subtlebench_authors_grid",
    "concat": "subtlebench_authors_concatenated",
    "overlap": "subtlebench_authors_overlapped",
    "subtract": "subtlebench_authors_substract",
}
_OTHERS = ("mmad", "qag")
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


def _of_sources(wanted: Iterable[Questions]) -> dict[str, int]:
    """How many questions Table 13's lines have, of some of Table 7's."""
    found: dict[str, int] = {}
    for one in wanted:
        line = f"{one.category} / {one.source}"
        found[line] = found.get(line, 0) + one.n
    return found


def _pooled(parts: Sequence[Cell], counts: Sequence[int], total: Cell) -> Relation:
    if total.model in _NOT_MODELS:
        return Averaged(tuple(parts), total, tuple(counts), how="mean over questions")
    return Pooled(tuple(parts), tuple(counts), total)


def _from_lines(cells: Cells, total: Cell) -> Iterator[Relation]:
    """A type or domain from the lines of Table 13."""
    kind, _, name = total.number.partition("_")
    if kind == "domain" and name in _OF_ONE_DOMAIN:
        lines = _of_sources(one for one in questions() if _domain(one) == name)
    elif kind == "accuracy" and name:
        lines = _of_sources(one for one in questions() if one.category == name)
    else:
        return
    found = [cells.find(total.model, "accuracy", part=line) for line in lines]
    parts = tuple(filter(None, found))
    if not total.setting and len(parts) == len(lines):
        yield _pooled(parts, tuple(lines.values()), total)


def _relations(cells: Cells, _: float) -> Iterable[Relation]:
    counts = _counts()
    lines = _of_sources(questions())
    for row in cells.rows().values():
        for names in (_TYPES, _DOMAINS):
            parts = all_of(row, names)
            if parts is not None:
                model, setting = parts[0].model, parts[0].setting
                total = row.get("accuracy") or cells.find(model, "accuracy", setting=setting)
                if total is not None:
                    yield _pooled(parts, [counts[name] for name in names], total)
    for cell in cells:
        n = lines.get(cell.part, 0) if cell.part else counts.get(cell.number, 0)
        if n and cell.model not in _NOT_MODELS:
            yield Possible(cell, n)
        yield from _from_lines(cells, cell)
    yield from (Same(first, again) for first, again in cells.twice())
    yield from _correlations(cells)


def _correlations(cells: Cells) -> Iterator[Relation]:
    rows = [row for key, row in cells.rows().items() if "mllm_compbench" in row and key[1]]
    for mine in ("accuracy", "mllm_compbench"):
        for other in _OTHERS:
            total = cells.find("", f"{mine} ~ {other}")
            pairs = [all_of(row, (mine, other)) for row in rows]
            known = [pair for pair in pairs if pair is not None]
            if total is not None and known:
                first, second = zip(*known, strict=True)
                yield RankCorrelated(first, second, total)


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
    relations=_relations,
    counts=_counts(),
    names={
        "avg": "accuracy",
        "overall": "accuracy",
        **{name: f"accuracy_{name}" for name in TYPES},
        **{name: f"domain_{name}" for name in DOMAINS},
    },
    rule="authors",
    not_models=_NOT_MODELS,
    served="the paper does not say; the authors' code asks Qwen2.5-VL through OpenRouter and "
    "LLaVA on a vLLM server",
)
