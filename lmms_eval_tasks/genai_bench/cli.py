"""Commands about GenAI-Bench."""

from functools import partial
from importlib.resources import files

from pairbench_ext.show.cli.app import Command
from pairbench_ext.show.cli.import_judgments import import_with

COMMANDS = {
    "import genai-bench": Command(
        partial(import_with, files("lmms_eval_tasks.genai_bench") / "recorded.toml"),
        "Convert the judges recorded in GenAI-Bench's repository.",
    ),
}
