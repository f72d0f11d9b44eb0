"""Commands of best of N."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "build best-of-n": Command(
        "lmms_eval_tasks.best_of_n.build:build_best_of_n",
        "Build best-of-N data from logged samples of any task.",
    ),
}
