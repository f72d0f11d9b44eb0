"""The command `pairbench build cast`."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "build cast": Command(
        "lmms_eval_tasks.cast.build:build", "Build pairs of scenes for CAST from your own pictures."
    )
}
