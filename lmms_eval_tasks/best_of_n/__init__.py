"""Best of N with a judge: what a judge's preferences are worth downstream.

Paper: "VL-RewardBench: A Challenging Benchmark for Vision-Language Generative Reward Models",
Section 3.3. A file gives each question N candidate answers and what they are worth; the judge sees
two at a time, and the task says what the candidates that it picks are worth.

    BEST_OF_N_DATA=candidates.jsonl lmms-eval --model qwen2_5_vl --tasks best_of_n
    pairbench score best_of_n samples_best_of_n.jsonl
"""
