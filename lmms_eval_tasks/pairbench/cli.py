"""Commands of PairBench: build data, and collect people's ratings of pairs."""

from pairbench_ext.show.cli.app import Command

COMMANDS = {
    "build images": Command(
        "lmms_eval_tasks.pairbench.build_commands:images",
        "Build a PairBench data set from your own images.",
    ),
    "build whatsup": Command(
        "lmms_eval_tasks.pairbench.build_commands:spatial",
        "Build PairBench's pairs in which objects change position, from WhatsUp's photographs.",
    ),
    "rate pairs": Command(
        "lmms_eval_tasks.pairbench.rating_commands:rate",
        "Serve a page on which people score pairs.",
    ),
    "papers agreement": Command(
        "lmms_eval_tasks.pairbench.rating_commands:agreement",
        "Print how well raters of pairs agree, and the ground truth that their ratings give.",
    ),
}
