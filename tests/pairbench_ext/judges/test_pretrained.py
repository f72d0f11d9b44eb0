import shutil

import numpy as np
import pytest
import torch

from pairbench_ext.judges.encoders import PretrainedEncoder


def test_clip_uses_its_projected_image_features(checkpoints, pictures):
    from transformers import CLIPImageProcessor, CLIPModel

    folder = checkpoints["clip"]
    model = CLIPModel.from_pretrained(folder).eval()
    inputs = CLIPImageProcessor.from_pretrained(folder)(images=pictures, return_tensors="pt")
    with torch.inference_mode():
        pooled = model.vision_model(**inputs).pooler_output
        expected = torch.nn.functional.normalize(model.visual_projection(pooled)).numpy()
    rows = PretrainedEncoder(folder, "cpu").embed(pictures)
    np.testing.assert_allclose(rows, expected, atol=1e-5)


def test_an_incomplete_checkpoint_is_refused(checkpoints, tmp_path):
    from safetensors.torch import load_file, save_file

    shutil.copytree(checkpoints["dinov2"], tmp_path, dirs_exist_ok=True)
    weights = load_file(tmp_path / "model.safetensors")
    del weights["layernorm.weight"]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ValueError, match=r"lacks 1 of .* such as 'layernorm.weight'"):
        PretrainedEncoder(str(tmp_path), "cpu")
