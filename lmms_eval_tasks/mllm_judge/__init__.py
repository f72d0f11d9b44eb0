"""MLLM-as-a-Judge: judgments of answers about images, compared with people's."""
