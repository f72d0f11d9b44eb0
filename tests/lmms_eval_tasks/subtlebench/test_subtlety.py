"""How much alike the images of pairs are: every pair counts once, by type and domain."""

import json

import pytest
from PIL import Image
from scipy.spatial.distance import cosine

from pairbench_ext.judges.encoders import ClassicalEncoder
from tests.files import pairbench


def test_means_over_pairs(subtlebench_data, monkeypatch):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(subtlebench_data))
    done = pairbench("papers", "subtlety", "--encoder", "classical", "--json", status=0)
    rows = map(json.loads, (subtlebench_data / "data" / "test.jsonl").open())
    alike = {}
    for row in rows:
        names = [row[field].rpartition("/main/")[2] for field in ("image_1", "image_2")]
        images = [Image.open(subtlebench_data / name).convert("RGB") for name in names]
        of_type = alike.setdefault(row["category"], {})
        of_type[tuple(names)] = 1 - cosine(*ClassicalEncoder().embed(images))
    found = json.loads(done.stdout)["similarity"]
    for category, pairs in alike.items():
        assert found[category] == pytest.approx(sum(pairs.values()) / len(pairs), abs=1e-5)
    every = {names: one for pairs in alike.values() for names, one in pairs.items()}
    assert found["all"] == pytest.approx(sum(every.values()) / len(every), abs=1e-5)
    wrong = pairbench("papers", "subtlety", "--encoder", "classical", "--task", "cast_demo")
    assert (wrong.exit_code, "not a task on VLM-SubtleBench's pairs" in wrong.output) == (1, True)
