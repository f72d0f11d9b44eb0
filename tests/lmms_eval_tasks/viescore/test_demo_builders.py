import csv
import json

import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.build.common.photos import SOURCES
from lmms_eval_tasks.viescore.demo import IMAGE_MODELS, RATINGS, demo_museum, edges, spoilt, square
from lmms_eval_tasks.viescore.museum import read_museum
from lmms_eval_tasks.viescore.tasks import TASKS


@pytest.fixture(scope="module")
def museum():
    return demo_museum()


@pytest.mark.parametrize("task", ["mie", "cig"])
def test_nothing_is_missing(task, museum):
    found = read_museum(museum, TASKS[task])
    assert len(found.images) == len(SOURCES) * len(IMAGE_MODELS)
    assert found.missing.sentences() == []
    assert {model: r.values.shape for model, r in found.ratings.items()} == {
        model: (len(SOURCES), 1, 3) for model in IMAGE_MODELS
    }
    assert {type(image.text) for image in found.images} == {str}


@pytest.mark.parametrize("task", ["mie", "cig"])
def test_ratings_are_what_was_done(task, museum):
    """Every image model has good, half good and bad images: correlations are defined."""
    with (museum / TASKS[task].folder / RATINGS).open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for model in IMAGE_MODELS:
        cells = [json.loads(row[model]) for row in rows]
        assert {sc for sc, _ in cells} == {pq for _, pq in cells} == {0, 0.5, 1}


def test_an_edit_that_was_not_done_left_the_photograph_or_put_another(museum):
    found = read_museum(museum, TASKS["mie"])
    differences = []
    for image in found.images:
        rated = found.ratings[image.image_model]
        sc, pq, _ = rated.values[rated.samples.index(image.sample), 0]
        if (sc, pq) == (0, 1):
            shown, original = (
                np.asarray(Image.open(file).convert("L"), dtype=float)
                for file in (image.file, image.conditions[0][0])
            )
            differences.append(np.abs(shown - original).mean())
    assert min(differences) < 1
    assert max(differences) > 20


def test_the_ratings_say_what_they_are(museum):
    assert RATINGS.startswith("constructed")
    card = (museum / "README.md").read_text()
    assert "No\nhuman gave them" in card
    assert all(source.author in card for source in SOURCES)


def test_it_is_built_once(museum):
    assert demo_museum() == museum


def test_parts():
    image = Image.new("RGB", (40, 20), (10, 20, 30))
    assert square(image) == (10, 5, 30, 15)
    assert edges(image).getextrema() == ((0, 0),) * 3
    assert spoilt(image, 1, ("a",)) is image
    assert spoilt(image, 0, ("a",)).size == image.size
