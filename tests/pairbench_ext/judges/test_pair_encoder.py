import re

import pytest

from lmms_eval_tasks.build.photos import load_photos
from pairbench_ext.judges.pair_encoder import PairEncoder
from pairbench_ext.synthetic.transforms import identical
from tests.judges import request_about

ANSWER = re.compile(
    r"Score: (\d+)\nReason: The cosine similarity of the two images is (-?\d\.\d{3}) "
    r"\((.+) encoder, condition (sens|inv), (.+)\)\."
)


@pytest.fixture(scope="module")
def photos():
    return [photo.image for photo in load_photos(96)]


@pytest.fixture(scope="module")
def model():
    return PairEncoder()


def ask(model, docs):
    """Put documents before the model as the harness does; answers in the documents' order."""
    model.task_dict = {"task": {"test": docs}}
    shown = "Compare.", {"until": []}, lambda doc: doc["images"]
    return model.generate_until([request_about(shown, index) for index in range(len(docs))])


def pair(first, second, condition="sens", *features):
    return {"images": [first, second], "condition": condition, "features": list(features)}


def parsed(answer):
    match = ANSWER.fullmatch(answer)
    assert match is not None, answer
    return int(match[1]), float(match[2]), match[3], match[4], match[5]


def test_answers_in_the_format_of_a_judge(model, photos):
    (answer,) = ask(model, [pair(photos[0], identical(photos[0]))])
    score, cosine, encoder, condition, how = parsed(answer)
    assert score == 10
    assert cosine > 0.95
    assert (encoder, condition, how) == ("classical", "sens", "plain embeddings")


@pytest.mark.parametrize("shown", [0, 1, 3])
def test_anything_but_two_images_has_no_score(model, photos, shown):
    answers = ask(model, [{"images": photos[:shown]}, pair(*photos[:2])])
    assert answers[0] == f"This judge compares two images; it was shown {shown}."
    assert "Score" not in answers[0]
    assert parsed(answers[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"encodr": "x"}, "no argument 'encodr'"),
        ({"k": 0}, "k must be at least 1, not 0"),
        ({"encoder": "/no/such/checkpoint"}, "cannot load '/no/such/checkpoint'"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        PairEncoder(**arguments)
