"""The tiny checkpoints load as the real ones do, and reply the same each time."""

import string

import numpy as np
import pytest
from PIL import Image

from tests.checkpoints import make_llava_onevision, make_qwen2_5_vl, make_qwen3_vl

NEW_TOKENS = 16
IMAGE = {"type": "image"}
QUESTION = {"type": "text", "text": "How alike are they?"}


@pytest.fixture(scope="module", params=[make_qwen2_5_vl, make_qwen3_vl, make_llava_onevision])
def make(request):
    return request.param


@pytest.fixture(scope="module")
def folder(make, tmp_path_factory):
    return make(tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture(scope="module")
def reply(folder):
    return replier(folder)


def replier(folder):
    """A function from the entries of one user turn, and the order of images, to the reply."""
    from transformers import AutoModelForImageTextToText, AutoProcessor

    generator = np.random.default_rng(0)
    sizes = ((64, 96, 3), (80, 64, 3))
    images = [Image.fromarray(generator.integers(0, 256, size, dtype=np.uint8)) for size in sizes]
    processor = AutoProcessor.from_pretrained(folder, local_files_only=True)
    model = AutoModelForImageTextToText.from_pretrained(folder, local_files_only=True).eval()

    def answer(*entries, order=(0, 1)):
        prompt = processor.apply_chat_template(
            [{"role": "user", "content": list(entries)}], add_generation_prompt=True
        )
        shown = [images[index] for index in order]
        inputs = processor(text=[prompt], images=shown, return_tensors="pt")
        ids = model.generate(**inputs, max_new_tokens=NEW_TOKENS, do_sample=False)
        return str(processor.tokenizer.decode(ids[0, inputs["input_ids"].shape[1] :]))

    return answer


def test_the_seed_alone_decides_the_files(make, folder, tmp_path):
    again, other = make(tmp_path / "again"), make(tmp_path / "other", seed=1)
    files = sorted(path.name for path in folder.iterdir())
    assert [
        name for name in files if (folder / name).read_bytes() != (again / name).read_bytes()
    ] == []
    weights = "model.safetensors"
    assert (folder / weights).read_bytes() != (other / weights).read_bytes()


def test_replies_are_printable_and_depend_on_the_whole_prompt(make, reply, tmp_path):
    turns = [
        ((IMAGE, IMAGE, QUESTION), (0, 1)),
        ((IMAGE, IMAGE, QUESTION), (1, 0)),
        ((QUESTION, IMAGE, IMAGE), (0, 1)),
        ((IMAGE, IMAGE, {"type": "text", "text": "Do they differ?"}), (0, 1)),
    ]
    replies = [reply(*entries, order=order) for entries, order in turns]
    assert len(set(replies)) == len(replies), replies
    assert {len(text) for text in replies} == {NEW_TOKENS}
    assert set("".join(replies)) <= set(string.printable) - set(string.whitespace)
    assert replier(make(tmp_path))(*turns[0][0]) == replies[0]


@pytest.mark.parametrize("text", ["two  spaces , and\na newline", "ünïcödé 日本 🙂"])
def test_the_tokenizer_is_lossless(folder, text):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    assert tokenizer.decode(tokenizer(text).input_ids) == text
