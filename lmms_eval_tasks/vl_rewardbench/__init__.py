"""VL-RewardBench, "A Challenging Benchmark for Vision-Language Generative Reward Models".

A model sees an image, a question and two answers, and says which answer is better: K times, each
time in a newly drawn order. Data: `MMInstruction/VL-RewardBench` on the hub.

    lmms-eval --model qwen2_5_vl --tasks vl_rewardbench_k5
    pairbench score vl_rewardbench samples_vl_rewardbench_k5.jsonl
"""
