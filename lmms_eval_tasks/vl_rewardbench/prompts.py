"""Prompts of VL-RewardBench besides Table 18, which all benchmarks of pairs share.

`TABLE_19` is what GPT-4o was asked when it drafted the labels of the reasoning tasks (Section
2.2.2); as with Table 18, what the table sets apart as system prompt is its first sentence here.
`CRITIC_POINTWISE` and `CRITIC_PAIRWISE` are the "official scoring templates" of Section 4.3: those
of LLaVA-Critic's model card (`lmms-lab/llava-critic-7b` on the hub), word for word.
"""

from pairbench_ext.replies.answer_format import AnswerFormat

ASKS_POINTS = AnswerFormat("points", scale=(0, 100))  # of CRITIC_POINTWISE
ASKS_PAIR = AnswerFormat("verdict", names=("response",))  # of CRITIC_PAIRWISE

TABLE_19 = """You are a highly capable multimodal AI assistant tasked with evaluating answers to visual reasoning questions. Analyze the following image and question, then determine which of the two provided answers is superior. You will also be given the ground truth answer for reference.

Question: {query}

Ground-truth Answer: {ground_truth}

Answer 1: {answers[0]}

Answer 2: {answers[1]}

Please evaluate both answers based on the following criteria:
1. Accuracy: How well does the answer align with the visual information in the image and the ground truth?
2. Completeness: Does the answer fully address all aspects of the question, as compared to the ground truth?
3. Clarity: Is the answer easy to understand and well-articulated?
4. Relevance: Does the answer directly relate to the question, the image, and the ground truth?

After your evaluation, please:
1. Explain your reasoning, citing specific aspects of the image, answers, and ground truth.
2. Provide an overall judgment on which answer is better (Answer 1 or Answer 2).

Your response should be structured and detailed, ending with a conclusive judgment, e.g., Overall Judgment: Answer X is superior."""

CRITIC_PAIRWISE = """Given an image and a corresponding question, please serve as an unbiased and fair judge to evaluate the quality of the answers provided by a Large Multimodal Model (LMM). Determine which answer is better and explain your reasoning with specific details. Your task is provided as follows:
Question: [{query}]
The first response: [{answers[0]}]
The second response: [{answers[1]}]
ASSISTANT:
"""

_POINTWISE = """Given an image and a corresponding question, please serve as an unbiased and fair judge to evaluate the quality of answer answers provided by a Large Multimodal Model (LMM). Score the response out of 100 and explain your reasoning with specific details. Your task is provided as follows:
Question: [{query}]
The LMM response: [{answer}]
ASSISTANT:
"""
CRITIC_POINTWISE = f"{_POINTWISE} "  # theirs ends in a space
