import json
from contextlib import contextmanager

import pytest

from lmms_eval_tasks.pairbench.ground_truth import READER
from lmms_eval_tasks.people.events import EventsFile
from lmms_eval_tasks.people.pairs.study import PairStudy
from lmms_eval_tasks.people.session import Session, UnknownQuestionError
from pairbench_ext.core.records import RecordError
from tests.studies import ColourPool, read_log


@contextmanager
def opened(path, pool=None):
    """A session over a file, as after a restart."""
    with EventsFile(path, READER) as file:
        yield Session("anna", PairStudy(pool or ColourPool(), 6, 0), file)


def names(session):
    return [question["id"] for question in session.state()["questions"]]


def test_the_page_is_not_told_what_a_pair_is(tmp_path):
    with opened(tmp_path / "r.jsonl") as session:
        questions = session.state()["questions"]
    for question in questions:
        assert set(question) == {
            "id", "score", "condition", "task", "conditions", "summary", "note", "ends", "data",
        }  # fmt: skip
        told = json.dumps(question)
        for word in ("identical", "transformed", "irrelevant", "row", "kind"):
            assert word not in told


def test_a_restart_shows_new_pairs_and_keeps_the_ratings(tmp_path):
    with opened(tmp_path / "r.jsonl") as session:
        old = names(session)
        session.rate(old[0], 3)
        session.restart(1)
        session.restart(1)  # asked for twice: the reply was lost
        new = names(session)
        assert not set(new) & set(old)
        with pytest.raises(UnknownQuestionError, match="reload the page"):
            session.rate(old[0], 4)
    with opened(tmp_path / "r.jsonl") as again:
        assert (again.round, names(again)) == (1, new)
    assert [rating.score for rating in read_log(tmp_path / "r.jsonl").ratings] == [3]


def test_ratings_of_other_data_are_not_mixed_in(tmp_path):
    with opened(tmp_path / "r.jsonl") as session:
        session.rate(names(session)[0], 3)
    with (
        pytest.raises(RecordError, match="line 1: 'anna' rated this pair on other data"),
        opened(tmp_path / "r.jsonl", ColourPool(seed=1)),
    ):
        pass
