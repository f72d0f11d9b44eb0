"""Commands about benchmarks of pairs of answers."""

from pairbench_ext.show.cli.app import Command

_TASKS = "lmms_eval_tasks"

COMMANDS = {
    "build best-of-n": Command(
        f"{_TASKS}.best_of_n.build:build_best_of_n",
        "Build data for best-of-N selection from logged samples of any task.",
    ),
    "build preference": Command(
        f"{_TASKS}.vl_rewardbench.own.command:build_preference",
        "Build a preference benchmark from your own questions and models' answers to them.",
    ),
    "papers lengths": Command(
        f"{_TASKS}.preference.lengths:lengths",
        "Compare the numbers of words in better and worse answers.",
    ),
}
