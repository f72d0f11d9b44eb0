"""An answer that was recorded is there: after kills, on a full disk, and in a damaged file."""

import multiprocessing
import resource
import signal
import sqlite3
import time
import zlib
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairbench_ext.resumable import (
    Answer,
    Entry,
    Journal,
    JournalError,
    drop_task,
    entries,
    summarise,
)
from pairbench_ext.statistics import seeds
from tests.evaluations import wait_for_lines
from tests.files import json_of, pairbench, text_of

PAGE = 4096
ANSWERS = {  # every seventh does not fit into a page
    f"{number:032x}": Answer(f"Answer {number}. " * (900 if number % 7 == 0 else 9), {"n": number})
    for number in range(60)
}


def write(folder, answers=ANSWERS, task="task", **options):
    with Journal.open(folder, **options) as journal:
        journal.append([Entry(key, task, it, asked=f"asked {key}") for key, it in answers.items()])


def read(folder):
    with Journal.open(folder) as journal:
        return {key: answer for key in ANSWERS if (answer := journal.get(key))}


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


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A journal's file: short rows, rows with overflow pages, and those of a dropped task."""
    folder = tmp_path_factory.mktemp("sound")
    write(folder, {f"{k:032x}": Answer("dropped") for k in range(900, 960)}, "dropped")
    assert drop_task(folder, "dropped") == 60
    write(folder, ANSWERS)
    return (folder / "rank-00000.sqlite").read_bytes()


def pages(data, rng, number):
    """Where pages begin that are drawn at random."""
    return PAGE * rng.choice(len(data) // PAGE, number, replace=False)


def overwrite(data, rng):
    to, start = pages(data, rng, 2)
    data[to : to + PAGE] = data[start : start + PAGE]


def swap(data, rng):
    one, other = pages(data, rng, 2)
    both = data[other : other + PAGE], data[one : one + PAGE]
    data[one : one + PAGE], data[other : other + PAGE] = both


def fill(data, rng):
    [start] = pages(data, rng, 1)
    kinds = [bytes(PAGE), b"\xff" * PAGE, rng.bytes(PAGE), b"\r" + rng.bytes(PAGE - 1)]
    data[start : start + PAGE] = kinds[rng.integers(len(kinds))]


def change(first, last, most):
    def changed(data, rng):
        for place in rng.integers(first, last or len(data), rng.integers(1, most + 1)):
            data[place] ^= int(rng.integers(1, 256))

    return changed


def cut(data, rng):
    del data[rng.integers(len(data)) :]


def cut_at_a_page(data, rng):
    del data[pages(data, rng, 1)[0] :]


def take_out(data, rng):
    start = rng.integers(len(data))
    del data[start : start + rng.integers(1, 50)]


def lengthen(data, rng):
    data += bytes(int(rng.integers(1, 3 * PAGE)))


def replace(data, rng):
    data[:] = [b"no database", rng.bytes(9000), bytes(9000)][rng.integers(3)]


def change_the_tree(data, rng):
    [start] = pages(data, rng, 1)
    data[start + (100 if start == 0 else 0) + rng.integers(12)] = rng.integers(256)


def make_up_a_count(data, rng):
    """A page of one row with one large number, as the table of counts has."""
    [start] = pages(data, rng, 1)
    row = bytes([10, 1, 2, 6]) + (5 << 60).to_bytes(8, "big")
    page = b"\r\0\0\0\1\x0f\xf0\0\x0f\xf0".ljust(PAGE - 16, b"\0") + row.ljust(16, b"\0")
    data[start : start + PAGE] = page


DAMAGES = [
    *(overwrite, swap, fill, cut, cut_at_a_page, take_out, lengthen, replace, change_the_tree),
    make_up_a_count,
    *(change(0, None, 20), change(0, 60, 3), change(64, 100, 3), change(3600, PAGE, 2)),
]
NAMES = [*(damage.__name__ for damage in DAMAGES[:10]), "bytes", "header", "its end", "schema"]


@pytest.mark.parametrize("damage", DAMAGES, ids=NAMES)
def test_whatever_is_damaged_no_answer_is_wrong_and_no_loss_silent(damage, sound, tmp_path, said):
    for number in range(6):
        data = bytearray(sound)
        damage(data, seeds.generator(number, "damage", damage.__qualname__))
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "rank-00000.sqlite").write_bytes(data)
        said.clear()
        summary = summarise(folder)
        with Journal.open(folder) as journal:
            answers = {key: answer for key in ANSWERS if (answer := journal.get(key))}
            assert len(answers) == sum(summary.tasks.values())
        assert answers.items() <= ANSWERS.items()
        lost = len(ANSWERS) - len(answers)
        assert lost == 0 or (said and summary.damaged and summary.problems)
        if lost > 0 and "unknown" not in said[0]:
            assert (summary.damaged, f"{lost} are lost" in said[0]) == (lost, True)
        if damage in (overwrite, swap, fill, *DAMAGES[-3:]):
            assert lost <= 12, "the rows of a page or two, however the others hang together"
        assert [path.read_bytes() for path in folder.glob("*.damaged*")] == [data] * len(said)
        assert {path.stat().st_mode & 0o077 for path in folder.glob("*[!k]")} == {0}
        said.clear()
        write(folder)  # the rest is asked again
        assert (read(folder), said) == (ANSWERS, [])


def test_an_empty_file_is_not_damaged(tmp_path, said):
    (tmp_path / "rank-00000.sqlite").touch(mode=0o644)
    assert read(tmp_path) == {}
    assert "is empty: a run ended before it recorded anything" in said[0]
    assert len(said) == 1
    assert not list(tmp_path.glob("*damaged*"))
    assert (tmp_path / "rank-00000.sqlite").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("version", [2, 99])
def test_another_version_is_refused(version, tmp_path):
    write(tmp_path)
    with closing(sqlite3.connect(tmp_path / "rank-00000.sqlite")) as file:
        file.execute(f"PRAGMA user_version = {version}")
    before = (tmp_path / "rank-00000.sqlite").read_bytes()
    for use in (Journal.open, summarise, lambda folder: drop_task(folder, "task")):
        with pytest.raises(JournalError, match=f"this journal has format version {version},"):
            use(tmp_path)
    assert (tmp_path / "rank-00000.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    "body",
    [
        '{"text": "x", "tokens": null}',
        "[" * 100_000,
        '{"text": "x", "tokens": null, "asked": 3}',
        '{"text": "x", "tokens": null, "asked": "a", "colour": 1}',
    ],
    ids=["without asked", "deeply nested", "of another type", "one more field"],
)
def test_rows_of_another_kind_are_skipped_and_counted(body, tmp_path, said):
    write(tmp_path)
    with closing(sqlite3.connect(tmp_path / "rank-00000.sqlite")) as file, file:
        row = ("0f", "task", body)
        checksum = zlib.crc32("\0".join(row).encode())
        file.execute("INSERT INTO records VALUES (?, ?, ?, ?)", (*row, checksum))
    assert summarise(tmp_path).damaged == 1
    assert read(tmp_path) == ANSWERS
    assert "60 answers could be read, 1 are lost" in said[0]


def test_one_more_column_is_no_obstacle(tmp_path, said):
    write(tmp_path, dict(list(ANSWERS.items())[:30]))
    with closing(sqlite3.connect(tmp_path / "rank-00000.sqlite")) as file:
        file.execute("ALTER TABLE records ADD COLUMN note TEXT")
    write(tmp_path)
    assert (read(tmp_path), said) == (ANSWERS, [])


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
    tmp_path.joinpath("rank-abcde.sqlite").write_text("somebody else's")
    write(tmp_path, {key: ANSWERS[key] for key in keys[:14]}, "a")
    write(tmp_path, {key: ANSWERS[key] for key in keys[20:30]}, "b", rank=1, ranks=2)
    printed = pairbench("journal", tmp_path).output
    assert "24 answers" in printed
    [line] = [line for line in printed.splitlines() if line.strip().startswith("a ")]
    assert line.split()[:2] == ["a", "14"]
    assert json_of("journal", tmp_path)["tasks"]["b"] == 10
    assert "deleted 14 answers of a" in pairbench("journal", tmp_path, "--drop-task", "a").output
    assert {entry.task for entry in entries(tmp_path)} == {"b"}
    assert "holds no journal" in pairbench("journal", tmp_path / "nothing").output
    (tmp_path / "rank-00002.sqlite").write_bytes(b"x" * 5000)
    printed = text_of("journal", tmp_path)
    assert "rank-00002.sqlite was damaged, or another program wrote it" in printed


def test_a_lock_that_leads_elsewhere_is_not_followed(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "rank-00000.lock").symlink_to(tmp_path / "mine")
    with pytest.raises(JournalError, match=r"rank-00000\.lock is a symbolic link: remove it"):
        Journal.open(tmp_path)
    assert (tmp_path / "mine").read_text() == "mine"
