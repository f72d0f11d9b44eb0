"""VLM-SubtleBench: can a model tell what differs between two nearly equal images?

Paper: "VLM-SubtleBench: How Far Are VLMs from Human-Level Subtle Comparative Reasoning?". Ten types
of difference, eight prompting strategies, multiple choice and captions. Data:
`KRAFTON/VLM-SubtleBench` on the hub, or scenes drawn by this package, which need no download.

    lmms-eval --model qwen2_5_vl --tasks subtlebench
    pairbench score subtlebench samples_subtlebench.jsonl
"""
