"""The leaderboard of judges from the README of Multimodal RewardBench's repository.

How many items each area has is not there, and the released data lack a part of those that the paper
asked about, so that no relation between the columns can be checked.
"""

from pathlib import Path

from pairbench_ext.runs.published import Place, Published, Table

PUBLISHED = Published(
    source="the authors' README",
    folder=Path(__file__).parent,
    tables=(
        Table(
            "Leaderboard",
            "leaderboard.csv",
            "8 models",
            places=(
                Place(
                    "multimodal_rewardbench_authors", {"overall_accuracy": "vote_accuracy_authors"}
                ),
            ),
        ),
    ),
    rule="authors",
    titles={"vote_accuracy_authors": "Overall", "vqa": "VQA"},
)
