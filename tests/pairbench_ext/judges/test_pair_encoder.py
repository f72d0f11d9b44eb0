import re

import numpy as np
import pytest
from lmms_eval.api.instance import Instance
from PIL import Image

from lmms_eval_tasks.build.common.photos import load_photos
from pairbench_ext.judges.pair_encoder import PairEncoder
from pairbench_ext.synthetic.transforms import identical, transform

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


def ask(model, docs, task="task", split="test"):
    """Put documents before the model as the harness does; answers in the documents' order."""
    model.task_dict = {task: {split: docs}}
    requests = [
        Instance(
            request_type="generate_until",
            arguments=("Compare.", {"until": []}, lambda doc: doc["images"], index, task, split),
            idx=0,
            metadata={"task": task, "doc_id": index, "repeats": 1},
        )
        for index in range(len(docs))
    ]
    return model.generate_until(requests)


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


def test_identical_over_transformed_over_irrelevant(model, photos):
    turned = transform("rotate", photos[0], 0, "a")
    others = [identical(photos[0]), turned, transform("rotate", photos[3], 0, "b")]
    for condition in ("sens", "inv"):
        docs = [pair(photos[0], other, condition, "rotate") for other in others]
        cosines = [parsed(answer)[1] for answer in ask(model, docs)]
        assert cosines == sorted(cosines, reverse=True)
        assert len(set(cosines)) == 3


def test_invariance_raises_the_score_of_a_transformed_pair(model, photos):
    turned = transform("rotate", photos[0], 0, "a")
    docs = [pair(photos[0], turned, condition, "rotate") for condition in ("sens", "inv")]
    sens, inv = (parsed(answer) for answer in ask(model, docs))
    assert sens[1] < inv[1]
    assert inv[4] == "averaged over 5 versions under rotate"


def test_symmetric_in_the_order_of_the_images(model, photos):
    docs = [
        pair(*images, condition, "elastic")
        for condition in ("sens", "inv")
        for images in (photos[:2], photos[1::-1])
    ]
    answers = ask(model, docs)
    assert answers[0] == answers[1]
    assert answers[2] == answers[3]


def test_spatial_position_alone_is_compared_plainly(model, photos):
    docs = [pair(*photos[:2], "sens", "spatial"), pair(*photos[:2], "inv", "spatial")]
    sens, inv = (parsed(answer) for answer in ask(model, docs))
    assert sens[:2] == inv[:2]
    assert inv[3:] == ("inv", "plain embeddings")


def test_spatial_position_with_another_feature(model, photos):
    (answer,) = ask(model, [pair(*photos[:2], "inv", "spatial", "rotate")])
    assert parsed(answer)[4] == "averaged over 5 versions under rotate"


def test_documents_of_other_tasks_are_compared_as_they_are(model, photos):
    ours, other = ask(model, [pair(*photos[:2]), {"images": photos[:2]}])
    assert ours == other


@pytest.mark.parametrize("shown", [0, 1, 3])
def test_anything_but_two_images_has_no_score(model, photos, shown):
    answers = ask(model, [{"images": photos[:shown]}, pair(*photos[:2])])
    assert answers[0] == f"This judge compares two images; it was shown {shown}."
    assert "Score" not in answers[0]
    assert parsed(answers[1])


def test_what_is_not_an_image_does_not_count(model, photos):
    (answer,) = ask(model, [{"images": [photos[0], "a caption"]}])
    assert answer == "This judge compares two images; it was shown 1."


def test_any_image_mode(model, photos):
    grey = photos[0].convert("L")
    docs = [pair(grey, photos[1], "inv", "rotate"), pair(grey.convert("RGBA"), photos[1])]
    assert all(parsed(answer) for answer in ask(model, docs))


def test_answers_keep_the_order_of_requests_over_chunks(photos):
    docs = [pair(photos[i % 16], photos[(3 * i + 1) % 16]) for i in range(9)]
    together = ask(PairEncoder(batch_size=100), docs)
    chunked = ask(PairEncoder(batch_size=2), docs)
    alone = [ask(PairEncoder(), [doc])[0] for doc in docs]
    assert together == chunked == alone
    assert len(set(together)) > 5


def test_no_image_is_embedded_twice(model, photos, monkeypatch):
    model = PairEncoder(k=2)
    embed, seen = model.encoder.embed, []
    monkeypatch.setattr(
        model.encoder, "embed", lambda images: (seen.extend(images), embed(images))[1]
    )
    docs = [
        pair(*images, condition, "rotate")
        for condition in ("sens", "inv")
        for images in (photos[:2], photos[1::-1], photos[:3:2])
    ]
    ask(model, docs)
    assert len(seen) == 3 + 3 * 2
    ask(model, docs)
    assert len(seen) == 9


def test_k_and_seed_as_the_command_line_passes_them(photos):
    docs = [pair(photos[0], photos[1], "inv", "rotate")]
    answers = {ask(PairEncoder(k="3", seed=seed), docs)[0] for seed in ("0", "1")}
    assert len(answers) == 2
    assert all("averaged over 3 versions" in answer for answer in answers)


def test_no_requests(model):
    assert model.generate_until([]) == []


@pytest.mark.parametrize(
    ("given", "used"), [(1, 16), ("1", 16), ("auto", 16), ("auto:4", 16), ("8", 8), (32, 32)]
)
def test_batch_sizes_of_the_harness(given, used):
    assert PairEncoder(batch_size=given, max_batch_size=None).batch_size == used


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"encodr": "x"}, r"no argument 'encodr'.*encoder, device"),
        ({"k": "five"}, "k must be a whole number, not 'five'"),
        ({"k": 0}, "k must be at least 1, not 0"),
        ({"batch_size": "big"}, "batch_size.*'big'"),
        ({"batch_size": -2}, "batch_size must be at least 1, not -2"),
        ({"encoder": "/no/such/checkpoint"}, "cannot load '/no/such/checkpoint'"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        PairEncoder(**arguments)


def test_built_as_the_harness_builds_it():
    options = {"batch_size": "1", "max_batch_size": None, "device": None}
    model = PairEncoder.create_from_arg_string("encoder=classical,k=3", options)
    assert model.is_simple
    assert model.device.type in {"cpu", "cuda"}
    assert (model.rank, model.world_size) == (0, 1)


def test_a_pretrained_encoder(tmp_path, photos):
    from transformers import CLIPImageProcessor, Dinov2Config, Dinov2Model

    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    Dinov2Model(Dinov2Config(**sizes, image_size=28)).save_pretrained(tmp_path)
    crop = {"height": 28, "width": 28}
    CLIPImageProcessor(size={"shortest_edge": 28}, crop_size=crop).save_pretrained(tmp_path)
    model = PairEncoder(encoder=str(tmp_path), device="cpu")
    sens, inv = ask(model, [pair(*photos[:2]), pair(*photos[:2], "inv", "rotate")])
    assert parsed(sens)[2] == str(tmp_path)
    assert parsed(inv)[3] == "inv"


@pytest.mark.parametrize("method", ["loglikelihood", "generate_until_multi_round"])
def test_what_an_encoder_cannot_do(model, method):
    with pytest.raises(NotImplementedError, match="pair_encoder answers by a rule"):
        getattr(model, method)([])


def test_blank_images_get_a_score(model):
    blank = Image.fromarray(np.zeros((8, 8, 3), np.uint8))
    (answer,) = ask(model, [pair(blank, blank)])
    assert parsed(answer)[:2] == (10, 1.0)
