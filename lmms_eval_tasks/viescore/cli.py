"""Commands about the benchmark VIEScore."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "build viescore": Command(
        "lmms_eval_tasks.viescore.build:build", "Build a folder of images to rate for VIEScore."
    ),
    "papers viescore": Command(
        "lmms_eval_tasks.viescore.commands:correlate",
        "Correlate recorded judgments or metrics of images with human ratings.",
    ),
}
