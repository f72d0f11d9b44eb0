"""The export for a checkout of the harness asks and counts what the plugin asks and counts."""

import pickle

import datasets
import pytest

from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from lmms_eval_tasks.viescore.judged_images import JudgedImages
from lmms_eval_tasks.viescore.tasks import TASKS
from lmms_eval_tasks.viescore.upstream import EXPORT
from pairbench_ext.core.records import Record
from pairbench_ext.runs.scoring import read_record
from pairbench_ext.stacks.plain import open_task
from tests.judges import same
from tests.museums import HUMAN_SC, write_museum, write_ratings
from tests.upstream_checkout import imported

RATED = ("t2i", "tie", "sdie", "cig")
REPLIES = (
    '{"score": [8, 3], "reasoning": "so so"}',
    '||V^=^V||{"score": [2, 9.5], "reasoning": ""}||V^=^V||',
    "[4, 5]",
    "I am sorry, I cannot rate it.",
    '{"score": 7}',
    "10",
    '{"score": [0, 11]}',
    "",
)


@pytest.fixture(scope="module")
def museum(tmp_path_factory):
    """Images are called as their uids on the museum's site."""
    root = write_museum(tmp_path_factory.mktemp("museum"))
    for number, task in enumerate(RATED):
        turned = {name: rated[number:] + rated[:number] for name, rated in HUMAN_SC.items()}
        write_ratings(root / TASKS[task].folder, human=turned)
    for file in root.rglob("*.png"):
        file.rename(file.with_suffix(".jpg"))
    return root


@pytest.fixture
def utils(tmp_path, museum, monkeypatch):
    monkeypatch.setenv("VIESCORE_DATA", str(museum))
    with imported(EXPORT.utils, tmp_path) as module:
        monkeypatch.setattr(module, "MUSEUM", str(museum))
        yield module


@pytest.fixture
def docs(utils, museum):
    """The documents, loaded as the task file says."""
    ratings = {
        task: [str(museum / TASKS[task].folder / f"rater{n}.tsv") for n in (1, 2, 3)]
        for task in RATED
    }
    options = {**EXPORT.settings["dataset_kwargs"], "data_files": ratings}
    loaded = datasets.load_dataset(EXPORT.settings["dataset_path"], **options)
    return list(utils.process_docs(loaded[EXPORT.settings["test_split"]]))


def test_prompts_orders_and_numbers(utils, docs):
    trials = [trial for task in RATED for trial in open_task(f"viescore_{task}")]
    assert len(docs) == len(trials)
    for doc, trial in zip(docs, trials, strict=True):
        scalars, request = trial.scalars, trial.request()
        for field in ("task", "image_model", "sample", "aspect", "ratings"):
            assert doc[field] == scalars[field], field
        assert utils.doc_to_target(doc) == trial.row("")["target"]
        assert utils.doc_to_text(doc) == request.text
        shown = [image.tobytes() for image in request.images()]
        assert [image.tobytes() for image in utils.doc_to_visual(doc)] == shown
        assert not isinstance(request.parts[0], str)  # as the harness shows them unless told

    for first in range(0, len(REPLIES), 3):
        replies = [REPLIES[(first + 5 * n + n // 3) % len(REPLIES)] for n in range(len(docs))]
        rows = (trial.row(reply) for trial, reply in zip(trials, replies, strict=True))
        readings = [read_record(BENCHMARK, Record("a row", row), "authors") for row in rows]
        judged = JudgedImages((o for one in readings for o in one.outcomes), policy="random")
        pairs = zip(docs, replies, strict=True)
        given = [utils.process_results(doc, [reply]) for doc, reply in pairs]
        for name in EXPORT.metrics:
            records = [pickle.loads(pickle.dumps(metrics[name])) for metrics in given]
            found = getattr(utils, f"aggregate_{name}")(records)
            assert same(found, BENCHMARK.number(name).of(judged)), name
