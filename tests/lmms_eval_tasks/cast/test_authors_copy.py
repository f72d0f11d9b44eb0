"""Beside the authors' own code, on all of their pairs.

Their repository is not part of ours: `git clone https://github.com/gautierdag/cast ../cast`, or
name a copy in CAST_AUTHORS. Without one these tests are skipped.
"""

import os
from pathlib import Path

import pytest
from PIL import ImageChops

from lmms_eval_tasks.cast.benchmark import docs
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from tests.conftest import REPOSITORY

COPY = Path(os.environ.get("CAST_AUTHORS") or REPOSITORY.parent / "cast")
pytestmark = pytest.mark.skipif(
    not (COPY / "consistency/validator.py").is_file(),
    reason=f"no copy of github.com/gautierdag/cast in {COPY}: clone it there, or set CAST_AUTHORS",
)
PAIRS = 100
LIST = "1. Both are grey.\n2. Both are **lit**.\n3. Both are new.\n4. Both are old."


class Listening:
    """A model of theirs that keeps what it is sent."""

    def __init__(self, reply):
        self.reply = reply
        self.sent = []

    def generate(self, prompt, max_new_tokens, image, start_decode):
        self.sent.append(
            (f"{prompt.removeprefix('<image>')}\n{start_decode}", image, max_new_tokens)
        )
        return self.reply


@pytest.fixture(scope="module")
def theirs():
    """Their modules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(COPY))
        from consistency import dataset, generator, validator

        yield dataset, generator, validator


def test_every_request_is_theirs(theirs):
    """Texts, images pixel by pixel and limits, of all requests about all of their pairs."""
    dataset, generator, validator = theirs
    examples = {one["id"]: one for one in dataset.SimilarityPairDataset(str(COPY / "data"))}
    trials = docs([{"data": str(COPY), "swapped": False}]).trials
    assert len(trials) == PAIRS * len(MODALITIES)
    for trial in trials:
        one, generated = examples[int(trial["pair"])], trial["generated"]
        model = Listening(LIST)
        _, stated = generator.similarity_generator(model, one, mode=generated)
        for statement in stated[:3]:
            for evaluated in MODALITIES:
                for prompt in PROMPTS:
                    validator.similarity_validator(
                        model, one, statement, evaluated, prompt.replace("/", "|")
                    )
        asked = trials.ask(trial)
        request = next(asked)
        for index, (text, image, limit) in enumerate(model.sent):
            assert request.content[-1] == text.removeprefix("\n")
            assert (request.tokens or 128) == limit
            assert request.shows_images == (image is not None)
            if index == 0 and generated == "image":
                [shown] = request.images()
                assert ImageChops.difference(shown, image).getbbox() is None
            request = asked.send(LIST) if index == 0 else next(asked, None)
        assert request is None
