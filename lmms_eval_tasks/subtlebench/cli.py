"""Commands about the benchmark VLM-SubtleBench."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "build subtle": Command(
        "lmms_eval_tasks.subtlebench.build:build",
        "Build synthetic pairs with questions, in VLM-SubtleBench's format.",
    ),
    "rate questions": Command(
        "lmms_eval_tasks.subtlebench.people:rate_questions",
        "Serve a page on which people answer VLM-SubtleBench's questions.",
    ),
    "papers subtlety": Command(
        "lmms_eval_tasks.subtlebench.subtlety:subtlety",
        "Measure how similar the images of VLM-SubtleBench's pairs are.",
    ),
    "papers answers": Command(
        "lmms_eval_tasks.subtlebench.people:answers",
        "Turn people's answers to VLM-SubtleBench's questions into logged samples.",
    ),
}
