"""Commands of VLM-SubtleBench."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "build subtle": Command(
        "lmms_eval_tasks.subtlebench.commands:build",
        "Build synthetic pairs with questions, in VLM-SubtleBench's format.",
    ),
    "rate questions": Command(
        "lmms_eval_tasks.subtlebench.human.commands:rate_questions",
        "Serve a page on which people answer VLM-SubtleBench's questions.",
    ),
    "people answers": Command(
        "lmms_eval_tasks.subtlebench.human.commands:answers",
        "How often people answer VLM-SubtleBench's questions correctly.",
    ),
    "score subtlety": Command(
        "lmms_eval_tasks.subtlebench.data_commands:subtlety",
        "How similar the images of VLM-SubtleBench's pairs are to an encoder.",
    ),
    "export subtlebench-training": Command(
        "lmms_eval_tasks.subtlebench.data_commands:export_training",
        "Write VLM-SubtleBench's validation split as training data.",
    ),
}
