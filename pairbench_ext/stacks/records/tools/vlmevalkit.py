"""Read VLMEvalKit's predictions: `answer` is the right answer; judges' scores may be there."""

from pairbench_ext.stacks.records.tools.model import Tool, roles, with_fields

_COMMON = {"item": "index", "prompt": "question", "source": "category"}
#: A judge's score of each prediction, from 0 to 1, as for MM-Vet.
JUDGED = Tool(
    "judged predictions of VLMEvalKit",
    with_fields("answer", "index", "prediction", "question", "log", "score"),
    roles("rating", **_COMMON, verdict="score", remark="log"),
)
TOOL = Tool(
    "predictions of VLMEvalKit",
    with_fields("answer", "index", "prediction", "question"),
    roles(**_COMMON, reply="prediction", people="answer"),
)
