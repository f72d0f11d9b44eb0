"""Commands about GenAI-Bench."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "import genai-bench": Command(
        "lmms_eval_tasks.genai_bench.recorded:import_recorded",
        "Convert the judges recorded in GenAI-Bench's repository.",
    ),
}
