"""Automatic metrics with tiny checkpoints of random weights."""

import json

import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.viescore.answers import LOWER_IS_BETTER, metric_names, read_metric
from lmms_eval_tasks.viescore.baselines import RECORDED, Baseline, measure, write_answers
from lmms_eval_tasks.viescore.museum import read_museum
from lmms_eval_tasks.viescore.tasks import TASKS
from pairbench_ext.core.sources import SourceError
from tests.files import pairbench
from tests.museums import uid, write_ratings, write_task


@pytest.fixture(scope="module")
def museum(tmp_path_factory):
    """tie and t2i; A's images are copies of the inputs, B's are noise."""
    root = tmp_path_factory.mktemp("museum")
    rng = np.random.default_rng(0)
    write_ratings(write_task(root, "tie"))
    write_task(root, "t2i")
    for sample in range(4):
        pixels = rng.integers(0, 256, (2, 40, 48, 3), dtype=np.uint8)
        for name, one in (("input", 0), ("A", 0), ("B", 1)):
            file = root / TASKS["tie"].folder / name / f"sample_{sample}.png"
            Image.fromarray(pixels[one]).save(file)
    return root


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A CLIP of random weights with a tokenizer of a few letters."""
    import torch
    from transformers import (
        CLIPConfig,
        CLIPImageProcessor,
        CLIPModel,
        CLIPProcessor,
        CLIPTokenizer,
    )

    folder = tmp_path_factory.mktemp("clip")
    letters = [*"abcdefghijklmnopqrstuvwxyz0123456789{}<>", "<|startoftext|>", "<|endoftext|>"]
    words = [*letters, *(f"{letter}</w>" for letter in letters[:-2])]
    vocabulary = {word: number for number, word in enumerate(words)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    sizes = {
        "hidden_size": 16,
        "intermediate_size": 24,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    text = {
        **sizes,
        "vocab_size": len(words),
        "max_position_embeddings": 12,
        "bos_token_id": vocabulary["<|startoftext|>"],
        "eos_token_id": vocabulary["<|endoftext|>"],
    }
    vision = {**sizes, "image_size": 28, "patch_size": 14}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=8))
    model.save_pretrained(folder)
    tokenizer = CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    images = CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    CLIPProcessor(images, tokenizer).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def squeezenet(tmp_path_factory):
    """torchvision's SqueezeNet with random weights, where torch looks for downloaded ones."""
    import torch
    import torchvision

    folder = tmp_path_factory.mktemp("torch")
    (folder / "checkpoints").mkdir()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        weights = torchvision.models.squeezenet1_1().state_dict()
    torch.save(weights, folder / "checkpoints" / "squeezenet1_1-b8a52dc0.pth")
    return str(folder)


@pytest.mark.parametrize("metric", ["clip-i", "dino"])
def test_a_copy_has_cosine_one(metric, museum, clip):
    found = measure(read_museum(museum, TASKS["tie"]), Baseline(metric, clip))
    assert list(found["A"].values()) == pytest.approx([1] * 4, abs=1e-5)
    assert max(found["B"].values()) < 1 - 1e-4
    assert set(found["A"]) == {uid(sample) for sample in range(4)}


def test_clip_score_is_the_cosine_of_prompt_and_image(museum, clip):
    import torch
    from transformers import AutoProcessor, CLIPModel

    found = measure(read_museum(museum, TASKS["t2i"]), Baseline("clip-score", clip))
    image = read_museum(museum, TASKS["t2i"]).images[0]
    processor, model = AutoProcessor.from_pretrained(clip), CLIPModel.from_pretrained(clip)
    with Image.open(image.file) as opened, torch.inference_mode():
        inputs = processor(
            text=[image.text], images=[opened.convert("RGB")], return_tensors="pt",
            truncation=True, max_length=12,
        )  # fmt: skip
        output = model(**inputs)
    expected = float((output.text_embeds * output.image_embeds).sum())
    assert found[image.image_model][image.sample] == pytest.approx(expected, abs=1e-5)


def test_lpips_of_a_copy_is_zero(museum, squeezenet):
    pytest.importorskip("torchmetrics")
    baseline = Baseline("lpips", squeezenet, net="squeeze", device="cpu")
    found = measure(read_museum(museum, TASKS["tie"]), baseline)
    assert list(found["A"].values()) == pytest.approx([0] * 4, abs=1e-6)
    assert min(found["B"].values()) > 0
    assert RECORDED["lpips"] in LOWER_IS_BETTER


def test_another_folder_can_be_the_reference(museum, clip):
    found = read_museum(museum, TASKS["tie"])
    values = measure(found, Baseline("clip-i", clip, reference="B"))
    assert list(values["B"].values()) == pytest.approx([1] * 4, abs=1e-5)
    with pytest.raises(SourceError, match="GroundTruth has no image for 4 uids"):
        measure(found, Baseline("clip-i", clip, reference="GroundTruth"))


def test_metrics_are_written_beside_each_other(tmp_path):
    for metric, value in (("clip-i", 0.5), ("lpips", 0.25), ("clip-i", 0.75)):
        values = {"A": {"a.jpg": value}}
        [path] = write_answers(tmp_path, "task", metric, values, overwrite=True)
    assert json.loads(path.read_text()) == {"a.jpg": {"CLIP_I": 0.75, "LPIPS": 0.25}}
    assert metric_names(tmp_path) == ("CLIP_I", "LPIPS")
    assert read_metric(tmp_path, "LPIPS")["task", "A"].values.tolist() == [[-0.25] * 3]
    path.write_text("[]")
    with pytest.raises(ValueError, match="holds no metrics by uid"):
        write_answers(tmp_path, "task", "clip-i", {"A": {"a.jpg": 1}})


def test_a_baseline_stands_beside_raters_as_a_judge_does(museum, clip, tmp_path):
    out = tmp_path / "out"
    common = ("--museum", museum, "--out", out, "--task", "tie")
    done = pairbench("build", "viescore-metrics", "--metric", "clip-i", "--weights", clip, *common)
    assert done.exit_code == 0, done.output
    done = pairbench(
        "people", "viescore", "--answers", out, "--human", museum, "--metric", "CLIP_I", "--json"
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["correlations"]
    assert {one["image_model"] for one in found} == {"A", "B"}
    assert {one["n"] for one in found} == {4}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--task", "t2i", "--metric", "clip-i"), "t2i: made from text alone; clip-i needs"),
        (("--task", "video", "--metric", "clip-i"), "unknown task 'video'"),
        (("--task", "tie", "--metric", "lpips", "--weights", "/x"), "no folder 'checkpoints'"),
        (("--task", "tie", "--metric", "clip-score", "--weights", "/x"), "cannot load '/x' as"),
        (("--task", "tie", "--metric", "dino", "--weights", "/x"), "cannot load '/x' as"),
    ],
)
def test_errors_are_one_sentence(arguments, message, museum, tmp_path):
    done = pairbench(
        "build", "viescore-metrics", "--museum", museum, "--out", tmp_path / "out", *arguments
    )
    assert done.exit_code == 1
    assert message in done.output
    assert "Traceback" not in done.output
