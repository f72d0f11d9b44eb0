"""Commands of preference benchmarks: how VL-RewardBench was made."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "build hard-items": Command(
        "lmms_eval_tasks.preference.hard_items:filter_hard",
        "List the items that every judge misjudges.",
    ),
    "build response-pairs": Command(
        "lmms_eval_tasks.preference.candidates:pair_responses",
        "Pair candidate answers of similar length.",
    ),
    "score lengths": Command(
        "lmms_eval_tasks.preference.lengths:lengths",
        "How long better and worse answers are.",
    ),
}
