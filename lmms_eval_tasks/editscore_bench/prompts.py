"""The prompts of EditScore's code, for scores from 0 to 25.

Source: `editscore/vie_prompts.py` of `VectorSpaceLab/EditScore`, joined as its `EditScore` does;
`prompts.json` has their lines. The instruction stands in the place of `<instruction>`.
"""

import json
from pathlib import Path

from pairbench_ext.replies.answer_format import AnswerFormat

ASKS = AnswerFormat(
    "subscores",
    scores=2,
    scale=(0, 25),
    keys=("score",),
    form="json",
    authors=(("n", 2), ("highest", 25)),
)
_LINES = json.loads(Path(__file__).with_name("prompts.json").read_text(encoding="utf-8"))
SC, PQ = ("\n".join(_LINES[aspect]) for aspect in ("SC", "PQ"))
