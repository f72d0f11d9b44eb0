import numpy as np
import pytest
from PIL import Image


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory):
    """Tiny random-weight checkpoints on disk, by kind, each with its own image processor."""
    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, Dinov2Config, Dinov2Model

    sizes = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    vision = {**sizes, "image_size": 28, "patch_size": 14}
    text = {**sizes, "vocab_size": 16, "max_position_embeddings": 8}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        models = {
            "dinov2": Dinov2Model(Dinov2Config(**vision)),
            "clip": CLIPModel(
                CLIPConfig(text_config=text, vision_config=vision, projection_dim=24)
            ),
        }
    size = {"shortest_edge": 28}
    processor = CLIPImageProcessor(size=size, crop_size={"height": 28, "width": 28})
    folders = {}
    for kind, model in models.items():
        folder = tmp_path_factory.mktemp(kind)
        model.save_pretrained(folder)
        processor.save_pretrained(folder)
        folders[kind] = str(folder)
    return folders


@pytest.fixture(scope="session")
def pictures():
    """Seven different RGB images of different sizes."""
    rng = np.random.default_rng(0)
    return [
        Image.fromarray(rng.integers(0, 256, (6, 8, 3), dtype=np.uint8)).resize(
            (60 + 5 * i, 50), Image.Resampling.BICUBIC
        )
        for i in range(7)
    ]
