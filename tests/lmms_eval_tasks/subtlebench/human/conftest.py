"""Sessions and a served page of people's questions, on the benchmark's small data."""

from contextlib import contextmanager

import pytest

from lmms_eval_tasks.people.events import EventsFile
from lmms_eval_tasks.people.session import Session
from lmms_eval_tasks.subtlebench.human.answers import READER
from lmms_eval_tasks.subtlebench.human.study import Study
from tests.studies import served


@pytest.fixture(autouse=True)
def _data(subtlebench_data, monkeypatch):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(subtlebench_data))


@contextmanager
def begun(path, raters=("anna",), task="subtlebench", n=9, seed=0):
    """Sessions over a file."""
    study = Study(task, n, seed)
    with EventsFile(path, READER) as file:
        yield [Session(rater, study, file) for rater in raters]


@contextmanager
def serving(path, **options):
    """The page over a file of answers."""
    with begun(path, **options) as sessions, served(sessions) as server:
        yield server


def right(session, name):
    """The number of the right option of what the page calls `name`."""
    trial = session.study.trials[session._key(name)]
    return "ABCDE".index(trial["truth"]) + 1


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"
