import json

import pytest

from lmms_eval_tasks.pairbench.rate.ratings import READER
from lmms_eval_tasks.pairbench.rate.study import Study
from lmms_eval_tasks.people.events import EventsFile
from lmms_eval_tasks.people.session import Session, UnknownQuestionError
from pairbench_ext.core.records import RecordError
from tests.studies import ColourPool


class Opened:
    """A session over a file; `again` closes it and begins another one, as after a restart."""

    def __init__(self, path):
        self.path = path
        self.file = None

    def again(self, rater="anna", n=6, seed=0, pool=None):
        self.close()
        self.file = EventsFile(self.path, READER)
        return Session(rater, Study(pool or ColourPool(), n, seed), self.file)

    def close(self):
        if self.file is not None:
            self.file.close()
            self.file = None


@pytest.fixture
def opened(tmp_path):
    opened = Opened(tmp_path / "r.jsonl")
    yield opened
    opened.close()


def names(session):
    return [question["id"] for question in session.state()["questions"]]


def test_the_page_is_not_told_what_a_pair_is(opened):
    session = opened.again()
    for question in session.state()["questions"]:
        assert set(question) == {
            "id", "score", "condition", "task", "conditions", "summary", "note", "ends", "data",
        }  # fmt: skip
        told = json.dumps(question)
        for word in ("identical", "transformed", "irrelevant", "row", "kind"):
            assert word not in told


def test_a_restart_shows_new_pairs_and_keeps_the_ratings(opened):
    session = opened.again()
    old = names(session)
    session.rate(old[0], 3)
    session.restart(1)
    session.restart(1)  # asked for twice: the reply was lost
    assert not set(names(session)) & set(old)
    with pytest.raises(UnknownQuestionError, match="reload the page"):
        session.rate(old[0], 4)
    again = opened.again()
    assert again.round == 1
    assert names(again) == names(session)
    assert [rating.score for rating in opened.file.log.ratings] == [3]


def test_ratings_of_other_data_are_not_mixed_in(opened):
    session = opened.again()
    session.rate(names(session)[0], 3)
    with pytest.raises(RecordError, match="line 1: 'anna' rated this pair on other data"):
        opened.again(pool=ColourPool(seed=1))
