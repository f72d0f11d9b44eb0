import json
from contextlib import suppress

import datasets
import pytest

from lmms_eval_tasks.pairbench import promptset
from lmms_eval_tasks.pairbench.rate.truth import Settled, write_truth
from pairbench_ext.core.sources import SourceError
from tests.conftest import image_rows, template_row, write_split

FOUND = {
    "identical": {"sens": 10, "inv": 10},
    "transformed": {"sens": 4, "inv": 10},
    "irrelevant": {"sens": 1, "inv": 1},
}
SETTLED = Settled(FOUND, FOUND, 3, 90)
PAIRS = [["img1", "img2"], ["img1", "img3"], ["img1", "img4"]]


@pytest.fixture
def data(tmp_path):
    rows = [template_row(name, features=["rotation"], pairs=PAIRS) for name in ("birds", "cats")]
    for name in ("birds", "cats"):
        write_split(tmp_path, name, "rotate", image_rows(1))
    write_split(tmp_path, "templates", "train", datasets.Dataset.from_list(rows))
    return tmp_path


def rows(data):
    [file] = (data / "templates").glob("*.parquet")
    return datasets.Dataset.from_parquet(str(file)).to_list()


def test_the_rest_of_the_table_stays_as_it_is(data):
    before = rows(data)
    write_truth(data, {"birds": SETTLED})
    after = rows(data)
    logistics = json.loads(after[0].pop("logistics"))
    before[0].pop("logistics")
    assert after == before
    assert logistics == {
        "data-pairs": PAIRS,
        "truth": FOUND,
        "truth-from": {"means": FOUND, "raters": 3, "ratings": 90},
    }


def test_a_crash_leaves_the_old_table(data, monkeypatch):
    before = rows(data)

    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", crash)
    with suppress(KeyboardInterrupt):
        write_truth(data, {"birds": SETTLED})
    assert rows(data) == before


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ([], "field 'truth' .* not \\[\\]"),
        ({"similar": {"sens": 3}}, "field 'truth' must be 'identical'"),
        ({"identical": {"sens": 11}}, "field 'truth' .* 10, not {'identical': {'sens': 11}}"),
    ],
)
def test_a_wrong_truth_is_named(data, raw, message):
    row = template_row("birds", features=["rotation"])
    row["logistics"] = json.dumps({"truth": raw})
    write_split(data, "templates", "train", datasets.Dataset.from_list([row]))
    with pytest.raises(SourceError, match=message):
        promptset.load(str(data), "birds", image_text=False)
