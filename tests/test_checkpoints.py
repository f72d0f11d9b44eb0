"""The tiny checkpoints load as the real ones do, and reply the same each time."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from tests.checkpoints import LLAVA_IMAGE, QWEN_IMAGE, make_llava_onevision, make_qwen2_5_vl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MEGABYTE = 2**20
NEW_TOKENS = 16

MAKERS = {"qwen2_5_vl": make_qwen2_5_vl, "llava_onevision": make_llava_onevision}
ARCHITECTURES = {
    "qwen2_5_vl": "Qwen2_5_VLForConditionalGeneration",
    "llava_onevision": "LlavaOnevisionForConditionalGeneration",
}
PLACEHOLDERS = {"qwen2_5_vl": QWEN_IMAGE, "llava_onevision": LLAVA_IMAGE}

IMAGE_ENTRY = {"type": "image"}
QUESTION = {"type": "text", "text": "How alike are they?"}


@pytest.fixture(scope="module", params=list(MAKERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MAKERS[kind](tmp_path_factory.mktemp(kind))


@pytest.fixture(scope="module")
def images() -> list[Image.Image]:
    generator = np.random.default_rng(0)
    sizes = ((64, 96, 3), (80, 64, 3))
    return [Image.fromarray(generator.integers(0, 256, size, dtype=np.uint8)) for size in sizes]


@pytest.fixture(scope="module")
def reply(folder: Path, images: list[Image.Image]) -> Callable[..., str]:
    return replier(folder, images)


def replier(folder: Path, images: list[Image.Image]) -> Callable[..., str]:
    """A function from the entries of one user turn, and the order of images, to the reply."""
    from transformers import AutoModelForImageTextToText, AutoProcessor

    processor = AutoProcessor.from_pretrained(folder, local_files_only=True)
    model = AutoModelForImageTextToText.from_pretrained(folder, local_files_only=True).eval()

    def answer(*entries: dict[str, str], order: tuple[int, ...] = (0, 1)) -> str:
        prompt = processor.apply_chat_template(
            [{"role": "user", "content": list(entries)}], add_generation_prompt=True
        )
        inputs = processor(
            text=[prompt], images=[images[index] for index in order], return_tensors="pt"
        )
        ids = model.generate(**inputs, max_new_tokens=NEW_TOKENS, do_sample=False)
        return str(processor.tokenizer.decode(ids[0, inputs["input_ids"].shape[1] :]))

    return answer


def test_loads_as_the_class_that_the_harness_names(kind: str, folder: Path) -> None:
    import transformers

    config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
    model_class = getattr(transformers, ARCHITECTURES[kind])
    _, info = model_class.from_pretrained(
        folder, local_files_only=True, torch_dtype="bfloat16", output_loading_info=True
    )

    assert config.model_type == kind
    assert not any(info.values()), info


def test_is_small(folder: Path) -> None:
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < MEGABYTE


def test_same_seed_same_files(kind: str, folder: Path, tmp_path: Path) -> None:
    again = MAKERS[kind](tmp_path / "not" / "there" / "yet")

    files = sorted(path.name for path in folder.iterdir())
    assert files == sorted(path.name for path in again.iterdir())
    assert [
        name for name in files if (folder / name).read_bytes() != (again / name).read_bytes()
    ] == []


def test_another_seed_another_model(kind: str, folder: Path, tmp_path: Path) -> None:
    other = MAKERS[kind](tmp_path, seed=1)

    weights = "model.safetensors"
    assert (folder / weights).read_bytes() != (other / weights).read_bytes()
    assert (folder / "tokenizer.json").read_bytes() == (other / "tokenizer.json").read_bytes()


def test_reply_is_printable_and_full_length(reply: Callable[..., str]) -> None:
    text = reply(IMAGE_ENTRY, IMAGE_ENTRY, QUESTION)

    assert len(text) == NEW_TOKENS
    assert set(text) <= set(string.printable) - set(string.whitespace)


def test_reply_is_deterministic(
    kind: str, reply: Callable[..., str], images: list[Image.Image], tmp_path: Path
) -> None:
    turn = (IMAGE_ENTRY, IMAGE_ENTRY, QUESTION)
    first = reply(*turn)

    assert reply(*turn) == first
    assert replier(MAKERS[kind](tmp_path), images)(*turn) == first


def test_reply_depends_on_prompt(reply: Callable[..., str]) -> None:
    replies = [
        reply(IMAGE_ENTRY, IMAGE_ENTRY, QUESTION),
        reply(IMAGE_ENTRY, IMAGE_ENTRY, QUESTION, order=(1, 0)),
        reply(QUESTION, IMAGE_ENTRY, IMAGE_ENTRY),
        reply(IMAGE_ENTRY, IMAGE_ENTRY, {"type": "text", "text": "Do they differ?"}),
    ]

    assert len(set(replies)) == len(replies), replies


def test_template_keeps_the_order_of_entries(kind: str, folder: Path) -> None:
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(folder, local_files_only=True)
    turn = [{"type": "text", "text": "one"}, IMAGE_ENTRY, {"type": "text", "text": "two"}]
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": turn}]
    prompt = processor.apply_chat_template(messages, add_generation_prompt=True)

    system, user, assistant = prompt.split("<|im_start|>")[1:]
    before, after = user.split(PLACEHOLDERS[kind])
    assert system == "system\nBe brief.<|im_end|>\n"
    assert before.startswith("user\none")
    assert after.endswith("two<|im_end|>\n")
    assert assistant == "assistant\n"


@pytest.mark.parametrize(
    "text",
    ["plain", "two  spaces , and\na newline", "ünïcödé 日本 🙂"],
    ids=["ascii", "space", "utf8"],
)
def test_tokenizer_is_lossless(folder: Path, text: str) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)

    assert tokenizer.decode(tokenizer(text).input_ids) == text
    assert len(tokenizer(text).input_ids) == len(text.encode())
