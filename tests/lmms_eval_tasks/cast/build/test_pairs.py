import io

import datasets
import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.cast.build.pairs import ScenePair, build_cast, write_scene_pairs
from lmms_eval_tasks.cast.build.scenes import Scene
from pairbench_ext.core.sources import SourceError, open_split
from pairbench_ext.judges.encoders.base import load_encoder

LONG = "A square of one colour. " * 25


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    """Forty small gradients, neighbours much alike; little is said of every fifth."""
    folder = tmp_path_factory.mktemp("scenes")
    made = []
    for index in range(40):
        ramp = np.linspace(0, 255, 24) * (1 if index % 2 else -1)
        pixels = np.tile(ramp, (18, 1))[..., None] + np.array([index * 6, 255 - index * 6, 80])
        path = folder / f"{index}.jpg"
        Image.fromarray((pixels % 256).astype(np.uint8)).save(path)
        made.append(Scene(f"s{index:02}", path, "Short." if index % 5 == 0 else LONG))
    return made


@pytest.fixture(scope="module")
def encoder():
    return load_encoder("classical")


def test_a_set_is_built_and_read_back(scenes, encoder, tmp_path):
    path = build_cast(scenes, tmp_path, encoder, n_pairs=6, low=0.3, high=0.99)
    assert path == tmp_path / "cast" / "test-00000-of-00001.parquet"
    table = open_split(str(tmp_path), "cast", "test")
    assert table.column_names == [
        "pair",
        *("id_1", "image_1", "description_1"),
        *("id_2", "image_2", "description_2"),
        "similarity",
    ]
    by_id = {scene.id: scene for scene in scenes}
    ids = [row[f"id_{n}"] for row in table for n in (1, 2)]
    assert len(set(ids)) == len(ids) == 12
    for row in table:
        assert row["pair"] == f"{row['id_1']} + {row['id_2']}"
        vectors = encoder.embed([row["image_1"], row["image_2"]])
        assert row["similarity"] == pytest.approx(float(vectors[0] @ vectors[1]), abs=1e-5)
        assert 0.3 <= row["similarity"] < 0.99
        for n in (1, 2):
            scene = by_id[row[f"id_{n}"]]
            assert scene.description == LONG
            assert row[f"description_{n}"] == LONG.strip()
            with Image.open(scene.image) as image:
                assert (np.asarray(row[f"image_{n}"]) == np.asarray(image)).all()


def test_the_card_says_how_it_was_made(scenes, encoder, tmp_path):
    build_cast(scenes, tmp_path, encoder, n_pairs=2, low=0.3, high=0.99, seed=7)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "path: cast/test-00000-of-00001.parquet" in text
    assert "2 pairs of 32 scenes" in text
    assert "seed 7" in text
    assert "[0.3, 0.99), in 4 bins of equal width, by classical" in text


def test_the_same_arguments_give_the_same_bytes(scenes, encoder, tmp_path):
    options = {"n_pairs": 3, "low": 0.3, "high": 0.99}
    one, two = (build_cast(scenes, tmp_path / n, encoder, **options) for n in "ab")
    other = build_cast(scenes[::-1], tmp_path / "c", encoder, seed=1, **options)
    assert one.read_bytes() == two.read_bytes() != other.read_bytes()


def test_files_are_kept_unless_they_are_to_be_smaller(scenes, tmp_path):
    pair = ScenePair(scenes[0], scenes[1])
    kept = write_scene_pairs([pair], tmp_path / "kept")
    small = write_scene_pairs([pair], tmp_path / "small", max_side=12)
    read = [
        datasets.Dataset.from_parquet(str(path)).cast_column(
            "image_1", datasets.Image(decode=False)
        )
        for path in (kept, small)
    ]
    assert read[0][0]["image_1"]["bytes"] == scenes[0].image.read_bytes()
    assert Image.open(io.BytesIO(read[1][0]["image_1"]["bytes"])).size == (12, 9)
    assert read[0][0]["similarity"] is None


def test_too_few_long_descriptions_are_counted(scenes, encoder, tmp_path):
    with pytest.raises(SourceError, match="0 of 40 descriptions have 5000 characters or more"):
        build_cast(scenes, tmp_path, encoder, min_description=5000)
    assert not list(tmp_path.iterdir())


def test_too_few_pairs_leave_nothing_behind(scenes, encoder, tmp_path):
    with pytest.raises(SourceError, match="only 0 pairs of 32 images"):
        build_cast(scenes, tmp_path, encoder, low=0.99999, high=1)
    assert not list(tmp_path.iterdir())


def test_a_range_without_numbers_is_said_before_any_image_is_read(scenes, tmp_path):
    class Unasked:
        name = "unasked"

        def embed(self, images):
            pytest.fail("images were embedded")

    with pytest.raises(SourceError, match=r"no similarity is in \[0\.95, 0\.75\)"):
        build_cast(scenes, tmp_path, Unasked(), low=0.95, high=0.75)


def test_an_image_that_cannot_be_read_is_named(scenes, encoder, tmp_path):
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no image")
    with pytest.raises(SourceError, match=r"broken\.png is not a readable image"):
        build_cast([*scenes, Scene("z", broken, LONG)], tmp_path / "out", encoder)


def test_a_pretrained_encoder_measures_too(scenes, tmp_path):
    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel

    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    vision = {**sizes, "num_attention_heads": 2, "image_size": 28, "patch_size": 14}
    text = {**sizes, "num_attention_heads": 2, "vocab_size": 16, "max_position_embeddings": 8}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=8))
    model.save_pretrained(tmp_path / "clip")
    CLIPImageProcessor(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}
    ).save_pretrained(tmp_path / "clip")
    encoder = load_encoder(str(tmp_path / "clip"), device="cpu")
    path = build_cast(scenes[:12], tmp_path / "out", encoder, n_pairs=2, low=-1, high=1.1, bins=1)
    assert len(datasets.Dataset.from_parquet(str(path))) == 2
