"""The numbers that VLM-SubtleBench's paper prints in Tables 2 to 13.

Averages are over questions; Table 7 has their numbers. Table 2 follows from Tables 7 and 13 to the
last digit, and so do the columns of Table 10 that they determine, if the questions of UBC are
counted as aerial. Random guesses and people were shown a tenth of the questions: of these only
means are checked, not counts. Table 13 says "DAiSE" where Table 7 has "DAiSEE", and "GPT-o3" for
o3.
"""

import csv
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pairbench_ext.runs.published import Place, Published, Table, read_cells

RANDOM, HUMAN = "Random Guess", "Human Eval"
FOLDER = Path(__file__).parent
_STRATEGIES = ("reasoning", "two_step", "grid", "concat", "overlap", "subtract", "highlight")
# Their tasks that ask as the authors' code does, by its prompt types.
_AUTHORS = {
    "grid": "subtlebench_authors_grid",
    "concat": "subtlebench_authors_concatenated",
    "overlap": "subtlebench_authors_overlapped",
    "subtract": "subtlebench_authors_substract",
}
_DECODING = "temperature 0.5, repetition penalty 1 (Appendix B.1)"


@cache
def questions() -> Mapping[tuple[str, str, str], int]:
    """Return the number of test questions for each type of difference, domain and source (Table 7).

    Domains are as Table 7 has them, which files UBC under natural.
    """
    with (FOLDER / "table_7.csv").open(encoding="utf-8", newline="") as file:
        return {(row[0], row[1], row[2]): int(row[3]) for row in list(csv.reader(file))[1:]}


@cache
def reference(name: str, strategy: str = "") -> dict[str, float]:
    """Return the values that the paper prints for one score, keyed by model or baseline.

    Args:
        name: of the score, such as "accuracy", "accuracy_state", "domain_aerial", "css".
        strategy: how the models were asked, such as "reasoning"; by default, of Tables 2, 3 and 10,
            with the standard prompt.

    Returns:
        Value in [0, 1] by model, in the order of the tables; empty if the paper has no numbers for
        the score or strategy.

    >>> reference("accuracy_state")["Human Eval"]
    0.93
    """
    values: dict[str, float] = {}
    for table in (2, 3, 4, 10, 12):
        for cell in read_cells(FOLDER / f"table_{table}.csv"):
            if (cell.number, cell.setting) == (name, strategy):
                values.setdefault(cell.model, cell.middle)
    return values


def _counts() -> Counter[str]:
    """Return how many questions each share is of; domains as Table 10 counts them."""
    counts: Counter[str] = Counter()
    for (category, domain, source), n in questions().items():
        domain = "aerial" if source == "UBC" else domain
        counts.update(dict.fromkeys((f"accuracy_{category}", f"domain_{domain}", "accuracy"), n))
    return counts


_ABOUT = {
    2: "accuracy by type of difference",
    3: "captions",
    4: "accuracy of GPT-5-main, asked in several ways, and of fine-tuned models",
    5: "rank correlations of the models' accuracy with their scores on other benchmarks",
    6: "accuracy on MMAD and QAG-360K after fine-tuning",
    8: "the scores of the models on other benchmarks",
    9: "accuracy of answers from descriptions of each image alone",
    10: "accuracy by domain",
    11: "accuracy of an unnamed model on real pairs, and on pairs with one regenerated image",
    12: "accuracy of Qwen2.5-VL-72B, asked in several ways",
    13: "accuracy by type of difference and data source",
}
_ACCURACY, _OF_CAPTIONS = {"accuracy": "accuracy"}, {"css": "css", "llm_judge": "llm_judge"}
_PLACES = {
    2: (Place("subtlebench", _ACCURACY, authors="subtlebench_authors"),),
    3: (Place("subtlebench_caption", _OF_CAPTIONS, authors="subtlebench_caption_authors"),),
    4: tuple(
        Place(f"subtlebench_{name}", _ACCURACY, setting=name, authors=_AUTHORS.get(name, ""))
        for name in _STRATEGIES
    ),
}
PUBLISHED = Published(
    folder=FOLDER,
    tables=tuple(
        Table(f"Table {n}", f"table_{n}.csv", about, "", _PLACES.get(n, ()), _DECODING)
        for n, about in _ABOUT.items()
    ),
    counts=_counts(),
    rule="authors",
    not_models=frozenset([RANDOM, HUMAN]),
    titles={"llm_judge": "LLM judge"},
)
