"""Commands about pairs of answers."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "score lengths": Command(
        "lmms_eval_tasks.preference.lengths:lengths",
        "How long better and worse answers are.",
    ),
}
