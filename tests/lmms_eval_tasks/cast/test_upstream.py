"""The export for a checkout of the harness asks and counts what the plugin asks and counts."""

import json
import pickle
import zipfile

import datasets
import pytest

from lmms_eval_tasks.cast.benchmark import BENCHMARK
from lmms_eval_tasks.cast.confirmations import ConfirmationTable
from lmms_eval_tasks.cast.upstream import EXPORT
from pairbench_ext.core.records import Record
from pairbench_ext.runs.scoring import read_record
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.statistics.seeds import draw
from tests.conftest import picture
from tests.judges import same
from tests.upstream_checkout import imported

PAIRS = (0, 2, 10, 11)  # by number, not by name
LISTS = (
    " Both are <image> red.\n2. Both are **lit**.\n3. Both are new.\n4. Both are old.",
    "Similarities:\n\n1. Both are round.\n2. \n3. Both are flat.",
    "<think>1. Nothing.</think>1. Both are seen.",
    "There are no similarities.",
    "",
)
SAYS = (
    "Yes",
    "No.",
    "Both",
    "one",
    "True",
    "Answer: false",
    "It depends.",
    "",
    "<think>no</think>yes",
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The authors' repository as GitHub packs it, and a clone of it."""
    folder = tmp_path_factory.mktemp("authors")
    clone = folder / "cast-0123"
    (clone / "data/imgs").mkdir(parents=True)
    (clone / "data_prompt/imgs").mkdir(parents=True)
    for number in PAIRS:
        described = {f"description_{n}": f"Scene {n} of {number}. <image>" for n in (0, 1)}
        described |= {"id": number, "docci_idx_0": number, "docci_idx_1": number + 50}
        (clone / f"data/{number}.json").write_text(json.dumps(described, indent=2))
        for n in (0, 1):
            size = (24 + number, 16 + n)
            picture(number, n, size).save(clone / f"data/imgs/{number}_{n}.jpg")
    picture(0, 3).save(clone / "data_prompt/imgs/0_0.jpg")
    (clone / "README.md").write_text("# CAST\n")
    packed = folder / "b31004f.zip"
    with zipfile.ZipFile(packed, "w") as file:
        for path in sorted(clone.rglob("*")):
            file.write(path, path.relative_to(folder))
    return packed, clone


@pytest.fixture(scope="module")
def utils(tmp_path_factory):
    with imported(EXPORT.utils, tmp_path_factory.mktemp("exported")) as module:
        yield module


@pytest.fixture
def docs(utils, archive, monkeypatch):
    """The documents, loaded as the task file says; the plugin reads the clone."""
    packed, clone = archive
    monkeypatch.setenv("CAST_DATA", str(clone))
    options = {**EXPORT.settings["dataset_kwargs"], "data_files": {"test": str(packed)}}
    loaded = datasets.load_dataset(EXPORT.settings["dataset_path"], **options)
    return list(utils.process_docs(loaded[EXPORT.settings["test_split"]]))


@pytest.fixture
def trials(docs):
    """The plugin's, but for the control, which is not in the paper."""
    found = [trial for trial in open_task("cast_rounds") if not trial.scalars["swapped"]]
    assert len(found) == len(docs) == 3 * len(PAIRS)
    return found


def reply(seed, text):
    said = LISTS if text.endswith("1.") else SAYS
    return said[draw(len(said), seed, text)]


def conversation(utils, doc, seed):
    """Every round as a backend asks it: images, text and reply."""
    visuals, text, replies = utils.doc_to_visual(doc), utils.doc_to_text(doc, None), []
    while True:
        replies.append(reply(seed, text))
        yield visuals, text, replies[-1]
        step = utils.doc_to_text(
            doc, previous_output=replies, round_idx=len(replies), previous_round_info=None
        )
        visuals, text, over, kept, _ = step
        assert list(kept) == replies
        if over:
            return


@pytest.mark.parametrize("seed", range(2))
def test_rounds_and_numbers(seed, docs, trials, utils):
    given, rows = [], []
    for doc, trial in zip(docs, trials, strict=True):
        assert (doc["pair"], doc["generated"]) == tuple(
            trial.scalars[name] for name in ("pair", "generated")
        )
        replies = []
        for visuals, text, said in conversation(utils, doc, seed):
            request = trial.request(replies)
            assert text == request.text
            assert _pixels(visuals) == _pixels(request.images())
            replies.append(said)
        assert trial.request(replies) is None
        handed = replies if seed % 2 else str(tuple(replies))  # chat backends, and simple ones
        given.append(utils.process_results(doc, [handed]))
        rows.append(trial.row(replies))
    readings = [read_record(BENCHMARK, Record("a row", row), "authors") for row in rows]
    table = ConfirmationTable((o for one in readings for o in one.outcomes), pool="paper")
    expected = BENCHMARK.score(table)
    for name in EXPORT.metrics:
        records = [pickle.loads(pickle.dumps(metrics[name])) for metrics in given]
        assert same(getattr(utils, f"aggregate_{name}")(records), expected[name]), name


def _pixels(images):
    return [(image.mode, image.size, image.tobytes()) for image in images]
