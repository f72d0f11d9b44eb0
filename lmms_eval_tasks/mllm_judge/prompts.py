"""The prompts of MLLM-as-a-Judge, as the authors' `scripts/prompt.py` and `api_benchmark.py` have them.

Their setting "No COT", which is the default of their script.
"""

from collections.abc import Sequence
from dataclasses import replace

from pairbench_ext.replies import labels as marked
from pairbench_ext.replies.answer_format import AnswerFormat

_START = "Please serve as an unbiased judge in assessing the quality of the responses from AI assistants regarding the user's instruction and a figure. "
_STEPS = "Please examine the provided image attentively. Begin by conducting a detailed analysis of the responses provided. Capture your comprehensive observations and insights in the 'Analysis' section. Following your analysis, move on to the judgement phase, where you will make informed decisions or conclusions based on the analysis conducted. Give your final judgements in the 'Judgement' section. Ensure that your final output in a JSON format with keys 'Analysis' for the initial response analysis, and 'Judgement' for your final judgement only. Ensure that the content under each key does not contain any nested JSON structures."
_NOTICE = """Your assessment should identify whether the assistant effectively adheres to the user's instruction and addresses the user's inquiry.
In your evaluation, weigh factors such as relevance, accuracy, comprehensiveness, creativity, and the granularity of the responses.
Do not allow the length of the responses to influence your evaluation.
Do not favor certain names or position of the assistants. Be as objective as possible."""
SCORE = """
You will receive a single response from the AI assistant to user's instruction. Use scores to show the quality of the response. Here is the detailed scoring rubric for evaluating the quality of responses from AI assistants:
Poor (1): The response significantly deviates from the user's instruction and fails to address the query effectively. It shows a lack of relevance, accuracy, and comprehensiveness. Creativity and granularity are absent or poorly executed.
Fair (2): The response addresses the user's instruction partially, with evident shortcomings in relevance, accuracy, or comprehensiveness. It lacks depth in creativity and granularity, indicating a superficial understanding of the user's inquiry.
Average (3): The response adequately addresses the user's instruction, showing a fair level of relevance, accuracy, and comprehensiveness. It reflects a basic level of creativity and granularity but may lack sophistication or depth in fully capturing the user's inquiry.
Good (4): The response is well-aligned with the user's instruction, demonstrating a high degree of relevance, accuracy, and comprehensiveness. It shows creativity and a nuanced understanding of the topic, with detailed granularity that enhances the response quality.
Excellent (5): The response perfectly adheres to the user's instruction, excelling in relevance, accuracy, comprehensiveness, creativity, and granularity. It provides an insightful, detailed, and thorough answer, indicating a deep and nuanced understanding of the user's inquiry.

Use "[[1]]", "[[2]]", "[[3]]", "[[4]]", "[[5]]" to indicate your evaluate score in the key 'Judgement'.
"""
PAIR = """You will be presented with two responses from different assistants to the same user instruction.
Your task is to assess and compare these responses based on how effectively they adhere to the user's original instruction and how aptly they address the user's inquiry.

Indicate your decision in the key 'Judgement', use "[[A]]" if assistant A prevails, "[[B]]" if assistant B does, and "[[C]]" for a tie.
"""
BATCH = """You will be presented with several responses from different assistants to the same user instruction.
Your task is to assess and  compare these responses based on how effectively they adhere to the user's original instruction and how aptly they address the user's inquiry.
After your assessment and comparison, you should RANK the responses from best to worst as the following template. If Assistant A is the best response, Assistant D is the worst response, you should output like [[A]], [[B]], [[C]], [[D]]. Indicate your final rank in the key 'Judgement'."""


def asks(kind: str, labels: str) -> AnswerFormat:
    """Declare the answer of `SCORE` (rated), `PAIR` (chosen) or `BATCH` (text), by its labels."""
    if kind == "text":
        return AnswerFormat("ranking", tuple((label, label) for label in labels), form="brackets")
    return replace(marked.asks(labels, ties=kind == "chosen"), keys=("judgement",), form="brackets")


def render(method: str, instruction: str, answers: Sequence[str]) -> str:
    """Return the prompt for an instruction and its answers, by `SCORE`, `PAIR` or `BATCH`."""
    start = (
        f"{_START}\nEvaluation Steps:\n{_STEPS}\nEvaluation Method:\n{method}\nNotice:\n{_NOTICE}"
    )
    asked = f"\n[The Start of User Instruction]\n{instruction}\n[The End of User Instruction]"
    if method == BATCH:
        shown = "".join(f"{_answer(n, answer)}\n" for n, answer in enumerate(answers))
    elif method == PAIR:
        shown = "".join(f"\n{_answer(n, answer)}" for n, answer in enumerate(answers))
    else:
        shown = (
            f"\n[The Start of Assistant’s Answer]\n{answers[0]}\n[The End of Assistant’s Answer]"
        )
    return f"{start}\nHere is the input:\n{asked}{shown}"


def _answer(number: int, answer: str) -> str:
    name = f"Assistant {'ABCDEFGH'[number]}"
    return f"[The Start of {name}’s Answer]\n{answer}\n[The End of {name}’s Answer]"
