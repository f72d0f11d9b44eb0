"""Every prompt, letter by letter: what the authors' code sends, and what the paper prints."""

import itertools
import json
from pathlib import Path

import pytest

from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from lmms_eval_tasks.cast.prompts import WORDINGS

DESCRIPTIONS = ("A {red} dog.", "Two cats.")
STATEMENT = "Both are {old}."
# Texts of all requests about the scenes and the statement above. Those of the authors were recorded
# from their code (`consistency/generator.py` and `validator.py`), as its InternVL2 gets them.
GOLDEN = json.loads((Path(__file__).parents[2] / "goldens/cast_prompts.json").read_text("utf-8"))

# Figures 5 and 6: {text | image | both}; the line breaks of the extraction are mended.
SCENES = "{scenes | side-by-side images | scenes and their corresponding images}"
EACH, ALL = "{scene | image | scene}", "{scenes | images | scenes}"
ALL_DESCRIPTIONS = "{descriptions | images | descriptions}"
PRINTED = {
    "generation": f"Given two {SCENES}, find up to five similarities between each {EACH}. Output "
    "each similarity in a numbered list.",
    "both/one": f"Given two {SCENES}, does the following statement apply to only one of the {ALL}? "
    "Answer with \u2018one\u2019 or \u2018both\u2019.",
    "true/false": f"Given two {SCENES}, is the following statement true for both of the {ALL}? "
    "Answer with \u2018true\u2019 or \u2018false\u2019 if the statement is untrue or only true for "
    f"one of the {ALL}.",
    "yes/no": "Given two {descriptions | side-by-side images | descriptions and their "
    "corresponding images}, does the following statement describe both of the "
    f"{ALL_DESCRIPTIONS}? Answer with \u2018yes\u2019 or \u2018no\u2019 if the statement is not "
    f"applicable to one of the {ALL_DESCRIPTIONS}.",
}


def expanded(name, modality):
    parts = PRINTED[name].replace("}", "{").split("{")
    index = MODALITIES.index(modality)
    chosen = [part.split("|")[index].strip() for part in parts[1::2]]
    return "".join(itertools.chain(*itertools.zip_longest(parts[::2], chosen, fillvalue="")))


def text(wording, asked, modality):
    if asked == "generation":
        return wording.generation_text(modality, DESCRIPTIONS)
    return wording.evaluation_text(asked, modality, DESCRIPTIONS, STATEMENT)


@pytest.mark.parametrize("modality", MODALITIES)
@pytest.mark.parametrize("asked", ["generation", *PROMPTS])
@pytest.mark.parametrize("whose", WORDINGS)
def test_every_prompt_is_the_recorded_one(whose, asked, modality):
    assert text(WORDINGS[whose], asked, modality) == GOLDEN[whose][asked][modality]


@pytest.mark.parametrize("modality", MODALITIES)
def test_the_prompt_after_an_example_is_the_recorded_one(modality):
    texts = WORDINGS["authors"].generation_texts_after_example(modality, DESCRIPTIONS)
    assert "<image>".join(texts) == GOLDEN["authors"]["generation after an example"][modality]


@pytest.mark.parametrize("modality", MODALITIES)
def test_the_papers_prompts_are_those_that_it_prints(modality):
    paper = WORDINGS["paper"]
    assert paper.generation[modality] == expanded("generation", modality)
    for prompt in PROMPTS:
        assert paper.evaluation[prompt][modality] == expanded(prompt, modality)
