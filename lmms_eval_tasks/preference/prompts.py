"""Prompts that ask which of two answers is better.

Source: "VL-RewardBench: A Challenging Benchmark for Vision-Language Generative Reward Models",
Table 18. The paper sets the first sentence apart as system prompt; the authors' logs show that all
of it was one prompt, so it is one here, on every kind of backend.
"""

from pairbench_ext.replies.answer_format import AnswerFormat

#: What is asked for wherever answers are numbered.
ASKS = AnswerFormat("verdict", {"1": 1, "2": 2}, names=("answer",), form="announced", place="end")

TABLE_18 = """You are a highly capable multimodal AI assistant tasked with evaluating answers to visual questions. Please analyze the following image and question, then determine which of the two provided answers is better.

Question: {query}

Answer 1: {answers[0]}

Answer 2: {answers[1]}

Please evaluate both answers based on the following criteria:
1. Accuracy: How well does the answer align with the visual information in the image?
2. Completeness: Does the answer fully address all aspects of the question?
3. Clarity: Is the answer easy to understand and well-articulated?
4. Relevance: Does the answer directly relate to the question and the image?

After your evaluation, please:
1. Explain your reasoning for each criterion.
2. Provide an overall judgment on which answer is better (Answer 1 or Answer 2). For example: Overall Judgment: Answer X is better.

Your response should be structured and detailed, demonstrating your understanding of both the visual and textual elements of the task."""


def render(query: str, answers: tuple[str, ...]) -> str:
    """Return the prompt for a question and two answers in the order in which they are shown."""
    return TABLE_18.format(query=query, answers=answers)
