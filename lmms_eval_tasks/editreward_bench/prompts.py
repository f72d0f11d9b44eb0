"""The prompts of EditReward-Bench: of two images alone, and of two out of three or four.

Source: `EditReward/evaluate/genaibench/templates/image_edition` of `TIGER-AI-Lab/EditReward`, whose
lines `prompts.json` has. The template for three has no line break at its end; this one has that of
the template for four.
"""

import json
from pathlib import Path

_LINES = json.loads(Path(__file__).with_name("prompts.json").read_text(encoding="utf-8"))
TEMPLATES = {name: "\n".join(lines) for name, lines in _LINES.items()}
IMAGES = ("<source_image>", "<left_output_image>", "<right_output_image>")
