"""Commands of CAST."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "build cast": Command(
        "lmms_eval_tasks.cast.build.command:build", "Build CAST's pairs of similar scenes."
    )
}
