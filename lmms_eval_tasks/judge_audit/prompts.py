"""The prompt of the audit's preferences; its other prompts are those of other benchmarks."""

# In the form of VL-RewardBench's prompt (Table 18), without the essay that it asks for.
PROMPT = """Look at the image and the question, then say which of the two answers is right.

Question: {query}

Answer 1: {answers[0]}

Answer 2: {answers[1]}

Please evaluate both answers by what the image shows. Reply with one line: "Overall Judgment: Answer X is better.\""""
