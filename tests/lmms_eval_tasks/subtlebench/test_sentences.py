"""A real sentence model, from a package, and what is said where there is none."""

import numpy as np
import pytest

from lmms_eval_tasks.subtlebench import sentences
from lmms_eval_tasks.subtlebench.caption_numbers import cosine_similarity
from lmms_eval_tasks.subtlebench.sentences import SentenceModelError
from tests.sentence_models import cosine, save

REFERENCE = "A red cup became blue."
PARAPHRASE, OTHER = "The cup changed its colour from red to blue.", "Two dogs appeared."


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save(tmp_path_factory.mktemp("sentences"))


def test_similar_sentences_are_close_as_numpy_has_it(model):
    first = sentences.load(model).embed([REFERENCE] * 3)
    second = sentences.load(model).embed([REFERENCE, PARAPHRASE, OTHER])
    found = cosine_similarity(first, second)
    expected = [cosine(REFERENCE, other) for other in (REFERENCE, PARAPHRASE, OTHER)]
    assert found == pytest.approx(expected, abs=1e-5)
    assert found[0] > found[1] > 0.5 > found[2]


def test_a_row_depends_on_its_text_alone(model):
    embed = sentences.load(model).embed
    many = embed([REFERENCE, *[f"{OTHER} {k}" for k in range(200)]])
    assert many.shape == (201, 256)
    assert many[0] == pytest.approx(embed([REFERENCE])[0], abs=1e-5)
    assert len(embed([])) == 0


def test_a_model_is_loaded_once(model):
    assert sentences.load(model) is sentences.load(model)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/no/such/folder", "Path /no/such/folder not found"),
        ("sentence-transformers/paraphrase-MiniLM-L6-v2", "couldn't connect"),
    ],
)
def test_a_model_that_is_not_there_is_named(name, reason):
    with pytest.raises(SentenceModelError, match=rf"cannot load .*'{name}' \(.*{reason}.*local"):
        sentences.load(name)


def test_a_folder_with_something_else_in_it_is_named(tmp_path):
    (tmp_path / "modules.json").write_text("[")
    with pytest.raises(SentenceModelError, match="cannot load the sentence model"):
        sentences.load(str(tmp_path))


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(sentences, "find_spec", lambda _: None)
    with pytest.raises(SentenceModelError, match=r"pip install 'pairbench-ext\[captions\]'"):
        sentences.SentenceModel("any")


def test_rows_are_single_precision(model):
    assert sentences.load(model).embed([REFERENCE]).dtype == np.float32
