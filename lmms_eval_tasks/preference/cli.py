"""Commands about pairs of answers: how VL-RewardBench was made, and best of N."""

from pairbench_ext.show.cli.app import Command

_TASKS = "lmms_eval_tasks"

COMMANDS = {
    "build hard-items": Command(
        f"{_TASKS}.preference.hard_items:filter_hard",
        "List the items that every judge misjudges.",
    ),
    "build response-pairs": Command(
        f"{_TASKS}.preference.candidates:pair_responses",
        "Pair candidate answers of similar length.",
    ),
    "build draft-labels": Command(
        f"{_TASKS}.vl_rewardbench.commands:label_pairs",
        "Add a judge's draft labels to pairs, for people to check.",
    ),
    "build best-of-n": Command(
        f"{_TASKS}.best_of_n.build:build_best_of_n",
        "Build best-of-N data from logged samples of any task.",
    ),
    "score lengths": Command(
        f"{_TASKS}.preference.lengths:lengths",
        "How long better and worse answers are.",
    ),
}
