"""Commands about GenAI-Bench."""

from functools import partial
from pathlib import Path

from pairbench_ext.show.cli.app import Command
from pairbench_ext.show.cli.import_judgments import import_with

COMMANDS = {
    "import genai-bench": Command(
        partial(import_with, Path(__file__).with_name("recorded.toml")),
        "Convert the judges recorded in GenAI-Bench's repository.",
    ),
}
