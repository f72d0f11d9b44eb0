"""The numbers that VL-RewardBench's paper (arXiv 2411.17451) prints in Tables 2 to 5, Figure 4.

Table 2's Overall column follows from its groups if undecided items leave all denominators, as in
the authors' code. The last column of Table 3 is the mean over two of the three groups.
"""

from pathlib import Path

from pairbench_ext.runs.published import Place, Published, Table

_SIZES = {"general": 183, "hallucination": 749, "reasoning": 318}  # the paper's Table 1
_DECODING = "K = 5, temperature 0.2, top-p 0.2 (Section 3.2)"
_MEANS = {"overall_accuracy": "overall_accuracy", "macro_accuracy": "macro_accuracy"}


PUBLISHED = Published(
    folder=Path(__file__).parent,
    tables=(
        Table(
            "Table 2",
            "table_2.csv",
            "16 models",
            places=(Place("vl_rewardbench_k5", _MEANS, authors="vl_rewardbench_authors"),),
            decoding=_DECODING,
        ),
        Table(
            "Table 3",
            "table_3.csv",
            "accuracy on the benchmark's pairs, compared with randomly drawn pairs",
            decoding=_DECODING,
        ),
        Table(
            "Table 4",
            "table_4.csv",
            "accuracy of GPT-4o-mini by temperature and top-p",
            decoding="K = 5",
        ),
        Table("Table 5", "table_5.csv", "billions of parameters of the language model"),
        Table(
            "Figure 4",
            "figure_4.csv",
            "correlation of accuracy with the gain on MMMU-Pro, over 6 models that pick the best "
            "of 8 answers (Section 3.3)",
        ),
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
