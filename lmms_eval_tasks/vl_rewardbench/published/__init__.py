"""The numbers that VL-RewardBench's paper (arXiv 2411.17451) prints in Tables 2 to 5, Figure 4.

Table 2's Overall column follows from its groups if undecided items leave all denominators, as in
the authors' code. The last column of Table 3 is the mean over two of the three groups.
"""

from pathlib import Path

from pairbench_ext.runs.published import Place, Published, Table

_SIZES = {"general": 183, "hallucination": 749, "reasoning": 318}  # the paper's Table 1
_DECODING = "K = 5, temperature 0.2, top-p 0.2 (Section 3.2)"
_MEANS = {"overall_accuracy": "overall_accuracy", "macro_accuracy": "macro_accuracy"}
_PLACE = Place("vl_rewardbench_k5", _MEANS, authors="vl_rewardbench_authors")
_FIGURE_4 = (
    "correlation of accuracy with the gain on MMMU-Pro, over 6 models that pick the best of 8"
)
_TABLES: tuple[tuple[str, str, tuple[Place, ...], str], ...] = (
    ("Table 2", "16 models", (_PLACE,), _DECODING),
    (
        "Table 3",
        "accuracy on the benchmark's pairs, compared with randomly drawn pairs",
        (),
        _DECODING,
    ),
    ("Table 4", "accuracy of GPT-4o-mini by temperature and top-p", (), "K = 5"),
    ("Table 5", "billions of parameters of the language model", (), ""),
    ("Figure 4", f"{_FIGURE_4} answers (Section 3.3)", (), ""),
)
PUBLISHED = Published(
    folder=Path(__file__).parent,
    tables=tuple(
        Table(name, f"{name.lower().replace(' ', '_')}.csv", about, "", places, decoding)
        for name, about, places, decoding in _TABLES
    ),
    counts={**_SIZES, "overall_accuracy": sum(_SIZES.values())},
    rule="authors",
    titles={
        "general": "General",
        "hallucination": "Hallucination",
        "reasoning": "Reasoning",
        "overall_accuracy": "Overall Accuracy",
        "macro_accuracy": "Macro Average Accuracy",
    },
)
