"""Commands about the benchmark GenAI-Bench."""

from collections.abc import Callable
from pathlib import Path

from pairbench_ext.show.cli.app import Command


def _import() -> Callable[..., None]:
    from pairbench_ext.show.cli.import_judgments import import_with

    return import_with(Path(__file__).with_name("recorded.toml"))


COMMANDS = {
    "import genai-bench": Command(
        _import, "Convert the recorded replies of judges in GenAI-Bench's repository."
    )
}
