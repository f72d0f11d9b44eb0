"""PairBench, "Are Vision-Language Models Reliable at Comparing What They See?".

A model scores the similarity of two images, or of an image and a text, from 1 to 10, told to be
sensitive or invariant to a change, in both orders. Data: `feiziaarash/pairbench` on the hub.

    lmms-eval --model qwen2_5_vl --tasks pairbench_coco
    pairbench score pairbench samples_pairbench_coco_rotate.jsonl
"""
