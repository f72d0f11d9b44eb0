import math
import os

import pytest

from pairbench_ext.resumable.journal.answers import (
    Expectation,
    encode_expectation,
    key_set_digest,
)
from pairbench_ext.resumable.journal.store import Answer, Entry, Journal, JournalError
from pairbench_ext.resumable.journal.summary import entries, summarise


def key(number):
    return f"{number:08x}"


def keys(*numbers):
    return [key(number) for number in numbers]


def answers(task, *numbers):
    return [Entry(key(n), task, Answer(f"answer {n}"), doc=n) for n in numbers]


def announce(journal, task, announced):
    """As a version did that knew all keys before it asked anything."""
    run, digest = journal._holder.run, key_set_digest(announced)
    expectation = Expectation(task, run, 0.0, digest, frozenset(announced))
    journal._write([encode_expectation(expectation)])


def size_of(folder):
    return sum(path.stat().st_size for path in folder.glob("*.journal"))


def test_counts_by_task(tmp_path):
    with Journal.open(tmp_path) as journal:
        journal.append(answers("b", 1, 2) + answers("a", 3))
        journal.append(answers("a", 4, 5))
    found = summarise(tmp_path)
    assert (found.files, found.runs, found.answers, found.size) == (1, 1, 5, size_of(tmp_path))
    assert {name: task.answers for name, task in found.tasks.items()} == {"a": 3, "b": 2}
    assert list(found.tasks) == ["a", "b"]
    assert 0 < sum(task.size for task in found.tasks.values()) < found.size
    assert found.rate > 0
    assert found.tasks["a"].last >= found.tasks["b"].last
    assert found.tasks["a"].left is None
    assert found.torn == found.holders == []


def test_a_copy_of_an_answer_counts_once(tmp_path):
    for rank in range(2):
        with Journal.open(tmp_path / str(rank), rank=rank, world_size=2) as journal:
            journal.append(answers("t", 1, rank + 2))
        for path in tmp_path.glob(f"{rank}/*.journal"):
            path.rename(tmp_path / path.name)
    told = []
    found = summarise(tmp_path, told.append)
    assert found.answers == found.tasks["t"].answers == 3
    assert [entry.doc for entry in entries(tmp_path)] == [1, 2, 3]
    assert told == list(entries(tmp_path))


@pytest.mark.parametrize(
    ("runs", "expected", "left"),
    [
        ([{"expect": [(1, 2, 3)], "answer": (1,)}], 3, 2),
        ([{"expect": [(1, 2, 3)], "answer": (1, 2, 3)}], 3, 0),
        ([{"expect": [(1, 2), (3, 4)], "answer": (1, 3)}], 4, 2),
        ([{"expect": [(1, 2), (2, 3), (1, 2)], "answer": (2,)}], 3, 2),
        ([{"expect": [(1, 2, 3)], "answer": (1,)}, {"expect": [(1, 2, 3)], "answer": (2,)}], 3, 1),
        ([{"expect": [(1, 2, 3)], "answer": (1,)}, {"expect": [(7, 8)], "answer": ()}], 2, 2),
        ([{"expect": [(1, 2, 3)], "answer": (1,)}, {"expect": [], "answer": (9,)}], 3, 2),
        ([{"expect": [], "answer": (1,)}], None, None),
    ],
    ids=[
        "some",
        "all",
        "two rounds",
        "twice the same",
        "started again",
        "other requests now",
        "a run without this task",
        "nobody said",
    ],
)
def test_what_is_left(tmp_path, runs, expected, left):
    for run in runs:
        with Journal.open(tmp_path) as journal:
            for numbers in run["expect"]:
                announce(journal, "t", keys(*numbers))
            journal.append(answers("t", *run["answer"]))
    task = summarise(tmp_path).tasks["t"]
    assert (task.expected, task.left) == (expected, left)


@pytest.mark.parametrize(
    ("runs", "expected", "left"),
    [
        ([(3, 0, (1,))], 3, 2),
        ([(3, 0, (1, 2, 3))], 3, 0),
        ([(3, 0, (1,)), (3, 1, (2,))], 3, 1),
        ([(3, 0, (1,)), (3, 1, (1,))], 3, 2),
        ([(3, 0, (1,)), (2, 0, ())], 2, 2),
        ([(3, 0, (1, 2, 3)), (3, 3, ())], 3, 0),
    ],
    ids=["some", "all", "started again", "asked for nothing", "others now", "nothing to ask"],
)
def test_what_is_left_of_counted_requests(tmp_path, runs, expected, left):
    for requests, found, answered in runs:
        with Journal.open(tmp_path) as journal:
            journal.expect("t", requests, found)
            journal.append(answers("t", *answered) + answers("other", 7))
    task = summarise(tmp_path).tasks["t"]
    assert (task.expected, task.left) == (expected, left)


def test_what_is_left_of_counted_requests_over_rounds_and_ranks(tmp_path):
    with (
        Journal.open(tmp_path, rank=0, world_size=2, run_id="a") as first,
        Journal.open(tmp_path, rank=1, world_size=2, run_id="a") as second,
    ):
        first.expect("t", 3)
        second.expect("t", 3)
        second.append(answers("t", 4))
        first.append(answers("t", 1, 2))
        first.expect("t", 2)
    assert (summarise(tmp_path).tasks["t"].expected, summarise(tmp_path).tasks["t"].left) == (8, 5)


def test_what_is_left_over_all_ranks(tmp_path):
    with (
        Journal.open(tmp_path, rank=0, world_size=2, run_id="a") as first,
        Journal.open(tmp_path, rank=1, world_size=2, run_id="a") as second,
    ):
        announce(first, "t", keys(1, 2, 3))
        announce(second, "t", keys(4, 5, 6))
        second.append(answers("t", 4))
    assert (summarise(tmp_path).tasks["t"].expected, summarise(tmp_path).tasks["t"].left) == (6, 5)
    with Journal.open(tmp_path) as journal:  # the same requests, with one rank
        announce(journal, "t", keys(1, 2, 3, 4, 5, 6))
        journal.append(answers("t", 1, 5))
    assert (summarise(tmp_path).tasks["t"].expected, summarise(tmp_path).tasks["t"].left) == (6, 3)


def test_an_answer_that_another_task_recorded_is_not_left(tmp_path):
    with Journal.open(tmp_path) as journal:
        announce(journal, "a", keys(1, 2))
        announce(journal, "b", keys(1, 2))
        journal.append(answers("a", 1))
    tasks = summarise(tmp_path).tasks
    assert (tasks["a"].answers, tasks["b"].answers) == (1, 0)
    assert tasks["a"].left == tasks["b"].left == 1
    assert math.isnan(tasks["b"].rate)


def test_damaged_keys_are_not_guessed_and_said_again(tmp_path):
    with Journal.open(tmp_path) as journal:
        announce(journal, "t", keys(1, 2))
        journal.append(answers("t", 1))
    path = tmp_path / "rank-00000.journal"
    path.write_bytes(path.read_bytes().replace(b'"width"', b'"wydth"'))
    with Journal.open(tmp_path) as journal:
        journal.append(answers("t", 2))
    assert summarise(tmp_path).tasks["t"].left is None
    with Journal.open(tmp_path) as journal:
        announce(journal, "t", keys(1, 2))
    assert summarise(tmp_path).tasks["t"].left == 0


def test_torn_records_are_named(tmp_path):
    with Journal.open(tmp_path) as journal:
        journal.append(answers("t", 1, 2))
    path = tmp_path / "rank-00000.journal"
    os.truncate(path, path.stat().st_size - 5)
    (torn,) = summarise(tmp_path).torn
    assert torn.path == path
    assert torn.offset + torn.size == path.stat().st_size
    assert summarise(tmp_path).answers == 1


def test_a_run_can_be_watched_and_what_it_is_writing_is_not_torn(tmp_path):
    with Journal.open(tmp_path) as journal:
        journal.append(answers("t", 1))
        path = tmp_path / "rank-00000.journal"
        with path.open("ab") as file:
            file.write(b"\nhalf a rec")
        found = summarise(tmp_path)
        assert found.torn == []
        assert [holder.pid for holder in found.holders] == [os.getpid()]
    assert len(summarise(tmp_path).torn) == 1


def test_looking_writes_nothing(tmp_path):
    with Journal.open(tmp_path) as journal:
        journal.append(answers("t", 1))
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    summarise(tmp_path)
    list(entries(tmp_path))
    assert before == {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()
    }


def test_answers_of_one_task(tmp_path):
    with Journal.open(tmp_path) as journal:
        journal.append(answers("a", 1) + answers("b", 2) + answers("a", 3))
    found = list(entries(tmp_path, "a"))
    assert [(entry.doc, entry.task, entry.answer.text) for entry in found] == [
        (1, "a", "answer 1"),
        (3, "a", "answer 3"),
    ]


@pytest.mark.parametrize("place", ["missing", "empty", "file"])
def test_where_there_is_no_journal(tmp_path, place):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match=f"{place}: no journal here"):
        summarise(tmp_path / place)
