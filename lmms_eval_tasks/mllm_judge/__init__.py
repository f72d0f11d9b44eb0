"""MLLM-as-a-Judge: a model's judgments of answers about images, compared with people's."""
