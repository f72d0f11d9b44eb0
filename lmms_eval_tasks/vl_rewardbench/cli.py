"""Commands of VL-RewardBench."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "build draft-labels": Command(
        "lmms_eval_tasks.vl_rewardbench.commands:label_pairs",
        "Add a judge's draft labels to pairs, for people to check.",
    )
}
