import json
from collections import Counter
from pathlib import Path

import datasets
import numpy as np
import pytest

from lmms_eval_tasks.build.common import photos
from lmms_eval_tasks.preference.votes import word_count
from lmms_eval_tasks.vl_rewardbench import demo as preferences
from lmms_eval_tasks.vl_rewardbench.demo import demo_preferences, preference_table, read_preferences
from lmms_eval_tasks.vl_rewardbench.groups import GROUPS, SOURCES, group_of, source_of
from pairbench_ext.core import user_cache
from pairbench_ext.core.sources import open_split
from tests.processes import build_twice_at_once, imported_with

PAIRS = read_preferences()
ERROR_TYPES = ("existence", "counting", "attribute", "recognition", "reasoning")

# The header of the hub's card, in the words of `datasets.Features`.
HUB_FEATURES = datasets.Features(
    {
        "id": datasets.Value("string"),
        "query": datasets.Value("string"),
        "response": datasets.Sequence(datasets.Value("string")),
        "image": datasets.Image(),
        "human_ranking": datasets.Sequence(datasets.Value("int64")),
        "models": datasets.Sequence(datasets.Value("string")),
        "judge": datasets.Value("string"),
        "rationale": datasets.Value("string"),
        "query_source": datasets.Value("string"),
        "ground_truth": datasets.Value("string"),
    }
)


def better(pair):
    return pair.response[pair.human_ranking.index(0)]


def worse(pair):
    return pair.response[pair.human_ranking.index(1)]


def first_is_better(pair):
    return pair.human_ranking == (0, 1)


def words_more(pair):
    """By how many words the better answer is longer."""
    return word_count(better(pair)) - word_count(worse(pair))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
class TestEveryPair:
    def test_it_is_a_choice_between_two_answers(self, pair):
        assert len(set(pair.response)) == len(pair.response) == 2
        assert sorted(pair.human_ranking) == [0, 1]
        assert pair.error_type in ERROR_TYPES

    def test_its_texts_are_clean(self, pair):
        for text in (pair.query, pair.rationale, *pair.response):
            assert text == " ".join(text.split())
            assert text[0].isupper()
            assert text[-1] in ".?"

    def test_its_lengths_are_alike(self, pair):
        counts = [word_count(text) for text in pair.response]
        assert 15 <= min(counts) <= max(counts) <= 60
        assert (max(counts) - min(counts)) / min(counts) < 0.35

    def test_its_photograph_is_embedded(self, pair):
        assert pair.photo in {source.name for source in photos.SOURCES}


def test_ids_and_answers_are_unique():
    assert len({pair.id for pair in PAIRS}) == len(PAIRS) == 30
    assert len({text for pair in PAIRS for text in pair.response}) == 60


def test_every_group_source_and_error_type_occurs():
    assert Counter(pair.error_type for pair in PAIRS) == dict.fromkeys(ERROR_TYPES, 6)
    assert Counter(group_of(pair.id) for pair in PAIRS) == {
        "general": 8,
        "hallucination": 16,
        "reasoning": 6,
    }
    assert {source_of(pair.id) for pair in PAIRS} == set(SOURCES)
    for pair in PAIRS:
        assert (group_of(pair.id) == "reasoning") == (pair.error_type == "reasoning")


@pytest.mark.parametrize("group", GROUPS)
def test_neither_position_nor_length_tells_the_better_answer(group):
    pairs = [pair for pair in PAIRS if group_of(pair.id) == group]
    assert sum(map(first_is_better, pairs)) * 2 == len(pairs)
    signs = Counter(int(np.sign(words_more(pair))) for pair in pairs)
    assert signs[1] == signs[-1]
    assert signs[0] <= 2


def test_position_and_length_are_independent():
    cells = Counter((first_is_better(pair), int(np.sign(words_more(pair)))) for pair in PAIRS)
    assert [cells[True, sign] for sign in (1, 0, -1)] == [6, 2, 7]
    assert [cells[False, sign] for sign in (1, 0, -1)] == [7, 2, 6]


@pytest.mark.parametrize("error_type", ERROR_TYPES)
def test_position_does_not_tell_within_an_error_type(error_type):
    pairs = [pair for pair in PAIRS if pair.error_type == error_type]
    assert sum(map(first_is_better, pairs)) == 3


def test_any_five_rows_from_the_start_cover_the_error_types():
    for start in range(0, 30, 5):
        assert {pair.error_type for pair in PAIRS[start : start + 5]} == set(ERROR_TYPES)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The demo preferences, built by two processes at once."""
    cache = tmp_path_factory.mktemp("cache")
    code = "from lmms_eval_tasks.vl_rewardbench.demo import demo_preferences as d; print(d())"
    folders = build_twice_at_once(code, cache)
    assert folders[0] == folders[1]
    return cache, Path(folders[0])


def test_two_processes_build_one_complete_set(built):
    cache, folder = built
    assert {entry.name for entry in cache.iterdir()} == {folder.name, f"{folder.name}.lock"}
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert files == {"README.md", "data/test-00000-of-00001.parquet"}


def test_it_is_a_data_set_repository_in_the_schema_of_the_hub(built, tmp_path):
    _, folder = built
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path))
    assert list(loaded) == ["test"]
    features = dict(loaded["test"].features)
    assert features.pop("error_type") == datasets.Value("string")
    assert features == HUB_FEATURES


def test_rows_say_what_the_pairs_say(built, monkeypatch, tmp_path):
    _, folder = built
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    rows = list(open_split(str(folder), None, "test"))
    images = {photo.name: photo.image for photo in photos.load_photos(preferences.MAX_SIDE)}
    for row, pair in zip(rows, PAIRS, strict=True):
        assert (row["id"], row["query"], row["rationale"]) == (pair.id, pair.query, pair.rationale)
        assert row["response"] == list(pair.response)
        assert row["human_ranking"] == list(pair.human_ranking)
        assert (row["query_source"], row["error_type"]) == (pair.photo, pair.error_type)
        assert row["models"] == ["written for this demo"] * 2
        assert row["image"].format == "PNG"
        assert row["image"].tobytes() == images[pair.photo].tobytes()


def test_building_again_gives_the_same_bytes(built, monkeypatch, tmp_path):
    _, folder = built
    monkeypatch.setenv(user_cache.CACHE_VARIABLE, str(tmp_path))
    again = demo_preferences()
    assert again.name == folder.name
    for file in ("README.md", preferences.FILE):
        assert (again / file).read_bytes() == (folder / file).read_bytes()


def test_the_card_credits_the_photographs_that_are_used(built):
    _, folder = built
    text = (folder / "README.md").read_text(encoding="utf-8")
    used = {pair.photo for pair in PAIRS}
    for source in photos.SOURCES:
        credit = f"| {source.title} | {source.author} | {source.licence} |"
        assert (credit in text) == (source.name in used)


def test_an_unknown_photograph_is_named():
    with pytest.raises(KeyError, match=PAIRS[0].photo):
        preference_table(PAIRS, {})


@pytest.mark.parametrize(
    ("name", "value"), [("FORMAT", 99), ("MAX_SIDE", 32), ("SOURCES", ()), ("_LIBRARIES", ())]
)
def test_what_determines_the_bytes_determines_the_folder(monkeypatch, name, value):
    before = preferences._fingerprint()
    monkeypatch.setattr(preferences, name, value)
    assert preferences._fingerprint() != before


def test_other_pairs_are_another_folder(monkeypatch, tmp_path):
    before = preferences._fingerprint()
    rows = json.loads(preferences._PAIRS.read_text(encoding="utf-8"))
    rows[0]["query"] = "What is this?"
    edited = tmp_path / "pairs.json"
    edited.write_text(json.dumps(rows), encoding="utf-8")
    monkeypatch.setattr(preferences, "_PAIRS", edited)
    assert preferences._fingerprint() != before


def test_importing_is_light():
    heavy = ("torch", "torchvision", "datasets", "skimage", "sklearn", "pyarrow")
    assert imported_with("lmms_eval_tasks.vl_rewardbench.demo", heavy) == []
