"""An answer that was recorded is there: after kills, on a full disk, and in a damaged file."""

import json
import multiprocessing
import resource
import signal
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairbench_ext.resumable import (
    Answer,
    Entry,
    Journal,
    JournalError,
    entries,
)
from pairbench_ext.statistics import seeds
from tests.evaluations import wait_for_lines
from tests.files import pairbench

ANSWERS = {
    f"{number:032x}": Answer(f"Answer {number}. " * 9, {"n": number}) for number in range(60)
}


def write(folder, answers=ANSWERS, task="task", **options):
    with Journal.open(folder, **options) as journal:
        entries = [Entry(key, task, it, asked=f"asked {key}") for key, it in answers.items()]
        journal.append(entries)


def read(folder):
    with Journal.open(folder) as journal:
        return {key: journal.get(key) for key in ANSWERS if key in journal}


@settings(deadline=None, derandomize=True, max_examples=30)
@given(
    text=st.text(st.characters(codec=None)),
    tokens=st.none() | st.dictionaries(st.text(), st.integers() | st.text()),
)
def test_any_text_comes_back(text, tokens, tmp_path_factory):
    folder = tmp_path_factory.mktemp("journal")
    write(folder, {"0a": Answer(text, tokens)})
    with Journal.open(folder) as journal:
        assert journal.get("0a") == Answer(text, tokens)
        assert journal.get("0b") is None
        assert journal.asked == {"asked 0a"}


def write_until_killed(folder, first, rank, log):
    """Record two answers at a time, and say each time that it is done."""
    with Journal.open(folder, rank=rank, ranks=2) as journal, log.open("w") as done:
        for number in range(first, 10**9):
            texts = {2 * number + k: f"{number} {k} " * 50 for k in (0, 1)}
            journal.append([Entry(f"{k:032x}", "task", Answer(t)) for k, t in texts.items()])
            done.write(f"{number}\n")
            done.flush()


def test_what_was_acknowledged_survives_kills_of_two_ranks(tmp_path):
    rng = seeds.generator(0, "kills")
    acknowledged, folder, fork = set(), tmp_path / "journal", multiprocessing.get_context("fork")
    for kill in range(3):
        firsts = [(2 * kill + rank) * 100_000 for rank in range(2)]
        logs = [tmp_path / f"{first}.log" for first in firsts]
        writers = [
            fork.Process(target=write_until_killed, args=(folder, first, rank, log))
            for rank, (first, log) in enumerate(zip(firsts, logs, strict=True))
        ]
        for writer in writers:
            writer.start()
        for log in logs:
            wait_for_lines(log, 1)
        time.sleep(rng.uniform(0, 0.05))
        for writer in writers:
            writer.kill()
            writer.join()
        for log in logs:
            acknowledged |= {2 * int(n) + k for n in log.read_text().split() for k in (0, 1)}
    answers = {int(entry.key, 16): entry.answer.text for entry in entries(folder)}
    assert acknowledged <= answers.keys()
    assert all(text == f"{key // 2} {key % 2} " * 50 for key, text in answers.items())
    assert not list(folder.glob("*.damaged*"))


def damaged(tmp_path, change):
    """What can be read of a journal whose file was changed, and again by the run after that."""
    write(tmp_path)
    path = tmp_path / "rank-00000.sqlite"
    data = bytearray(path.read_bytes())
    path.write_bytes(change(data))
    first = read(tmp_path)
    assert read(tmp_path) == first
    write(tmp_path)  # the rest is asked again
    assert read(tmp_path) == ANSWERS
    return first


@pytest.mark.parametrize("number", range(4))
def test_a_flipped_bit_never_gives_a_wrong_answer(number, tmp_path):
    rng = seeds.generator(number, "bit")

    def flip(data):
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
        return data

    answers = damaged(tmp_path, flip)
    assert answers.items() <= ANSWERS.items()
    lost = len(ANSWERS) - len(answers)
    assert lost <= 1  # a bit of the file's header, which none of these is, could cost all of it


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data[:4096] + b"\xff" * 4096 + data[8192:],
        lambda data: b"no database" + data[11:],
    ],
    ids=["cut", "empty", "a page", "no database"],
)
def test_a_damaged_file_is_kept_beside_a_new_one(change, tmp_path, said):
    answers = damaged(tmp_path, change)
    assert answers.items() <= ANSWERS.items()
    assert "rank-00000.sqlite was damaged" in said[0]
    assert len(said) == 1
    assert [path.name for path in tmp_path.glob("*damaged*")] == ["rank-00000.damaged-1"]


def test_a_disk_that_is_full_for_a_while(tmp_path, said):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    some = list(ANSWERS.items())
    try:
        with Journal.open(tmp_path) as journal:
            journal.append([Entry(key, "task", answer) for key, answer in some[:5]])
            size = (tmp_path / "rank-00000.sqlite").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
            for key, answer in some[5:50]:
                journal.append([Entry(key, "task", answer)])
            assert 0 < journal.unrecorded < 46
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            journal.append([Entry(key, "task", answer) for key, answer in some[50:]])
            assert journal.unrecorded == 0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert "cannot write to the journal" in said[0]
    assert len([line for line in said if "cannot write" in line]) == 1
    assert read(tmp_path) == ANSWERS


def test_one_run_at_a_time(tmp_path):
    with (
        Journal.open(tmp_path, rank=0, ranks=2),
        Journal.open(tmp_path, rank=1, ranks=2),
        pytest.raises(JournalError, match=r"in use by process \d+ on .*; wait until that run ends"),
    ):
        Journal.open(tmp_path)
    Journal.open(tmp_path).close()


def test_the_command(tmp_path):
    keys = list(ANSWERS)
    write(tmp_path, {key: ANSWERS[key] for key in keys[:14]}, "a")
    write(tmp_path, {key: ANSWERS[key] for key in keys[20:30]}, "b", rank=1, ranks=2)
    printed = pairbench("journal", tmp_path).output
    assert "24 answers" in printed
    [line] = [line for line in printed.splitlines() if line.strip().startswith("a ")]
    assert line.split()[:2] == ["a", "14"]
    summary = json.loads(pairbench("journal", tmp_path, "--json").output)
    assert summary["tasks"]["b"] == 10
    assert "deleted 14 answers of a" in pairbench("journal", tmp_path, "--drop-task", "a").output
    assert {entry.task for entry in entries(tmp_path)} == {"b"}
    assert "no journal here" in pairbench("journal", tmp_path / "nothing").output
