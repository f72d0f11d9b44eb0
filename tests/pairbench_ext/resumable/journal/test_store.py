import os
import shutil
import tempfile
from pathlib import Path

import pytest

from pairbench_ext.resumable.journal.answers import EXPECT
from pairbench_ext.resumable.journal.files import VERSION, read
from pairbench_ext.resumable.journal.frames import Frame, encode
from pairbench_ext.resumable.journal.store import Answer, Entry, Journal, JournalError

NASTY = ["", "\ud800", "\ud83d\ude00", "a\nb\r\n\u2028", "\x00", "[bold]", "x" * 300_000]


def key(number):
    return f"{number:064x}"


def entry(number, text=None, task="t"):
    return Entry(key(number), task, Answer(text or f"answer {number}", {"output_tokens": number}))


def write(folder, numbers, **options):
    with Journal.open(folder, **options) as journal:
        journal.append([entry(number) for number in numbers])


def recorded(journal, numbers):
    return [number for number in numbers if journal.get(key(number)) is not None]


def data_file(folder, rank=0):
    return folder / f"rank-{rank:05}.journal"


def frame_at(path, number):
    """The frame of an answer in a file."""
    return next(x for x in read(path) if isinstance(x, Frame) and x.name == key(number))


def flip(path, offset):
    with path.open("r+b") as file:
        file.seek(offset)
        (byte,) = file.read(1)
        file.seek(offset)
        file.write(bytes([byte ^ 1]))


def test_answers_come_back_at_once_and_in_the_next_run(tmp_path):
    answers = [Answer(text, tokens) for text in NASTY for tokens in (None, {"output_tokens": 3})]
    with Journal.open(tmp_path / "new" / "folder") as journal:
        assert len(journal) == 0
        assert journal.get(key(0)) is None
        journal.append([Entry(key(k), "t", answer) for k, answer in enumerate(answers)])
        assert [journal.get(key(k)) for k in range(len(answers))] == answers
    with Journal.open(tmp_path / "new" / "folder") as journal:
        assert len(journal) == len(answers)
        assert [journal.get(key(k)) for k in range(len(answers))] == answers
        assert key(0) in journal
        assert key(99) not in journal


def test_the_first_answer_of_a_key_stays(tmp_path):
    with Journal.open(tmp_path) as journal:
        journal.append([entry(1, "first"), entry(1, "second")])
        size = data_file(tmp_path).stat().st_size
        journal.append([entry(1, "third")])
        journal.append([])
        assert journal.get(key(1)).text == "first"
        assert data_file(tmp_path).stat().st_size == size


def test_of_several_files_the_lowest_rank_counts(tmp_path):
    with (
        Journal.open(tmp_path, rank=1, world_size=2, run_id="a") as second,
        Journal.open(tmp_path, rank=0, world_size=2, run_id="a") as first,
    ):
        second.append([entry(1, "of rank 1")])
        first.append([entry(1, "of rank 0")])
    for ranks in (1, 2, 3):
        with Journal.open(tmp_path, rank=ranks - 1, world_size=ranks) as journal:
            assert journal.get(key(1)).text == "of rank 0"


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (2, 4)])
def test_another_number_of_ranks_reads_everything(tmp_path, before, after):
    for rank in range(before):
        write(tmp_path, [rank, rank + 10], rank=rank, world_size=before, run_id="a")
    for rank in range(after):
        with Journal.open(tmp_path, rank=rank, world_size=after, run_id="b") as journal:
            assert len(journal) == 2 * before


def test_torn_anywhere(tmp_path, warned):
    whole = tmp_path / "whole"
    write(whole, [1])
    start = data_file(whole).stat().st_size
    write(whole, [2])
    end = data_file(whole).stat().st_size
    for cut in [*range(start, start + 12), *range(start + 12, end - 4, 9), *range(end - 4, end)]:
        folder = tmp_path / str(cut)
        shutil.copytree(whole, folder)
        os.truncate(data_file(folder), cut)
        with Journal.open(folder) as journal:
            assert journal.get(key(1)) is not None
            is_whole = cut == end - 1  # but for the line break after it
            assert recorded(journal, [2]) == [2] * is_whole
            journal.append([entry(2), entry(3)])
        with Journal.open(folder) as journal:
            assert journal.torn == 0, "a torn end is reported once"
            assert recorded(journal, [1, 2, 3]) == [1, 2, 3]
        shutil.rmtree(folder)
    assert all("rank-00000.journal: lost 1 torn" in message for message in warned)


def test_a_torn_end_is_counted_and_named(tmp_path, warned):
    write(tmp_path, [1, 2])
    last = frame_at(data_file(tmp_path), 2)
    os.truncate(data_file(tmp_path), last.offset + 10)
    with Journal.open(tmp_path) as journal:
        assert journal.torn == 1
    assert f"{data_file(tmp_path)}: lost 1 torn" in warned[0]
    assert f"at byte {last.offset};" in warned[0]


def test_a_flipped_byte_costs_one_answer_and_is_named(tmp_path, warned):
    write(tmp_path, range(20))
    damaged = frame_at(data_file(tmp_path), 7)
    flip(data_file(tmp_path), damaged.offset + damaged.size // 2)
    before = data_file(tmp_path).read_bytes()
    with Journal.open(tmp_path) as journal:
        assert journal.torn == 1
        assert recorded(journal, range(20)) == [*range(7), *range(8, 20)]
        journal.append([entry(7)])
    assert f"at byte {damaged.offset};" in warned[0]
    assert data_file(tmp_path).read_bytes().startswith(before), "the rest is left as it was"
    with Journal.open(tmp_path) as journal:
        assert recorded(journal, range(20)) == list(range(20))


def test_damage_after_opening_is_a_miss_and_no_wrong_answer(tmp_path, warned):
    with Journal.open(tmp_path) as journal:
        journal.append([entry(1), entry(2)])
        flip(data_file(tmp_path), frame_at(data_file(tmp_path), 1).offset + 100)
        assert journal.get(key(1)) is None
        assert key(1) not in journal
        assert journal.torn == 1
        assert len(warned) == 1
        journal.append([entry(1)])
        assert recorded(journal, [1, 2]) == [1, 2]


def test_each_torn_file_is_counted_by_one_rank(tmp_path, warned):
    for rank in range(5):
        write(tmp_path, [rank, rank + 10], rank=rank, world_size=5)
        os.truncate(data_file(tmp_path, rank), data_file(tmp_path, rank).stat().st_size - 9)
    torn = []
    for rank in range(2):
        with Journal.open(tmp_path, rank=rank, world_size=2) as journal:
            torn.append(journal.torn)
            assert len(journal) == 5
    assert torn == [3, 2]
    with Journal.open(tmp_path) as journal:
        assert journal.torn == 0


def test_a_file_that_is_no_journal_is_not_cut(tmp_path, warned):
    tmp_path.joinpath("rank-00000.journal").write_text("my notes\n\nmore of them")
    write(tmp_path, [1])
    assert data_file(tmp_path).read_text().startswith("my notes\n\nmore of them\n")
    with Journal.open(tmp_path) as journal:
        assert recorded(journal, [1]) == [1]


def test_an_unknown_version_is_refused(tmp_path):
    write(tmp_path, [1])
    data_file(tmp_path, 1).write_bytes(encode("run", {"version": VERSION + 1}))
    before = data_file(tmp_path).read_bytes()
    with pytest.raises(
        JournalError, match=rf"rank-00001\.journal: written in version {VERSION + 1} of"
    ):
        Journal.open(tmp_path)
    assert data_file(tmp_path).read_bytes() == before
    data_file(tmp_path, 1).unlink()
    write(tmp_path, [2])  # what was refused holds no lock


def test_a_set_of_keys_is_written_once(tmp_path):
    keys = [key(number) for number in range(500)]
    sizes = []
    for run in range(3):
        with Journal.open(tmp_path) as journal:
            before = data_file(tmp_path).stat().st_size
            journal.tell("t", keys[::-1] if run else keys)
            journal.tell("t", [])
            journal.append([entry(1000 + run)])
            sizes.append(data_file(tmp_path).stat().st_size - before)
    assert sizes[0] > 500 * 32
    assert max(sizes[1:]) < 600
    written = [x for x in read(data_file(tmp_path)) if isinstance(x, Frame) and x.name == EXPECT]
    assert len(written) == 3


def test_a_closed_journal_takes_and_gives_nothing(tmp_path):
    journal = Journal.open(tmp_path)
    journal.append([entry(1)])
    journal.close()
    journal.close()
    for use in (lambda: journal.append([entry(2)]), lambda: journal.get(key(1))):
        with pytest.raises(ValueError, match="this journal has been closed"):
            use()


@pytest.mark.parametrize(("rank", "world_size"), [(-1, 1), (1, 1), (2, 2), (0, 0)])
def test_a_rank_that_cannot_be(tmp_path, rank, world_size):
    with pytest.raises(ValueError, match=f"not {rank}"):
        Journal.open(tmp_path, rank=rank, world_size=world_size)


def test_an_entry_that_cannot_be_written_writes_nothing_of_its_block(tmp_path):
    with Journal.open(tmp_path) as journal:
        before = data_file(tmp_path).read_bytes()
        with pytest.raises(TypeError, match="set"):
            journal.append([entry(1), Entry(key(2), "t", Answer("x", {"tokens": {1}}))])
        assert data_file(tmp_path).read_bytes() == before
        assert key(1) not in journal


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/journal", "/proc/self/fdinfo"])
def test_a_folder_that_cannot_be_written(tmp_path, place):
    tmp_path.joinpath("file").write_text("not a folder")
    folder = tmp_path / place
    with pytest.raises(JournalError, match="the journal cannot be written") as caught:
        Journal.open(folder)
    assert str(caught.value).startswith(f"{folder}: ")


_AS_NOBODY = """
import os, sys
from pathlib import Path
from pairbench_ext.show.cli.journal import journal as command
from pairbench_ext.resumable.journal.store import Journal, JournalError
folder = Path(sys.argv[1])
if os.geteuid() == 0:
    os.seteuid(65534)
try:
    Journal.open(folder)
except JournalError as error:
    print(error)
command(folder)
"""


def test_a_read_only_journal_can_be_looked_at_but_not_used(start):
    with tempfile.TemporaryDirectory() as root:  # which another user can reach
        folder = Path(root) / "journal"
        write(folder, [1, 2, 3])
        Path(root).chmod(0o755)
        for path in (*folder.iterdir(), folder):
            path.chmod(0o555 if path.is_dir() else 0o444)
        out, err = start(_AS_NOBODY, folder).communicate()
        folder.chmod(0o755)
    assert f"{folder}: the journal cannot be written (Permission denied" in out, err
    assert "1 file, " in out
    assert err == ""


_WITH_LIMIT = """
import resource, sys
from pathlib import Path
from pairbench_ext.resumable.journal.store import Answer, Entry, Journal, JournalError
folder, limit = Path(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    journal = Journal.open(folder)
except JournalError as error:
    print("refused:", error)
    sys.exit()
for number in range(10):
    keys = [f"{k:064x}" for k in range(3 * number, 3 * number + 3)]
    journal.append([Entry(key, "t", Answer("x" * 4_000)) for key in keys])
    journal.expect("t", len(keys))
    journal.tell("t", keys)
    print(*(journal.get(key) is not None for key in keys))
print(len(journal), journal.unjournaled)
"""


@pytest.mark.parametrize("limit", [0, 200, 50_000], ids=str)
@pytest.mark.parametrize("is_new", [True, False], ids=["new", "old"])
def test_a_full_disk_at_the_start_is_said_before_any_request(tmp_path, start, limit, is_new):
    if not is_new:
        write(tmp_path, [1, 2])
    files = {path.name: path.read_bytes() for path in tmp_path.glob("*.journal*")}
    out, err = start(_WITH_LIMIT, tmp_path, limit).communicate()
    assert out.startswith(f"refused: {tmp_path}: the journal cannot be written (File too large"), (
        err
    )
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.journal*")} == files


@pytest.mark.parametrize("limit", [70_000, 88_888, 111_111], ids=str)
def test_a_disk_that_fills_up_does_not_stop_the_run(tmp_path, start, warned, limit):
    out, err = start(_WITH_LIMIT, tmp_path, limit).communicate()
    *blocks, last = out.splitlines()
    kept, unjournaled = map(int, last.split())
    assert blocks == ["True True True"] * (kept // 3) + ["False False False"] * (unjournaled // 3)
    assert kept + unjournaled == 30
    assert 0 < kept < 30
    assert err.count("the journal cannot be written any more (File too large)") == 1
    with Journal.open(tmp_path) as journal:
        assert len(journal) == kept
        assert journal.torn == 0, "half a block is taken back"


_UNTIL_THERE_IS_ROOM = """
import resource, sys
from pathlib import Path
from pairbench_ext.resumable.journal.store import Answer, Entry, Journal
folder = Path(sys.argv[1])
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
journal = Journal.open(folder)
for number in range(6):
    full = number in (2, 3)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10 if full else limits[0], limits[1]))
    journal.append([Entry(f"{number:064x}", "t", Answer("x" * 4_000))])
    print(len(journal), journal.unjournaled)
journal.close()
"""


def test_a_disk_with_room_again_takes_what_it_had_refused(tmp_path, start):
    out, err = start(_UNTIL_THERE_IS_ROOM, tmp_path).communicate()
    assert out.splitlines() == ["1 0", "2 0", "2 1", "2 2", "5 0", "6 0"]
    assert err.count("the journal cannot be written any more (File too large)") == 1
    assert err.count("the journal can be written again") == 1
    with Journal.open(tmp_path) as journal:
        assert len(journal) == 6


@pytest.mark.parametrize("what", ["the file", "the folder"])
def test_a_journal_that_is_removed_while_it_is_used(tmp_path, warned, what):
    folder = tmp_path / "j"
    write(folder, [1, 2])
    journal = Journal.open(folder)
    journal.append([entry(3)])
    if what == "the folder":
        shutil.rmtree(folder)
    else:
        data_file(folder).unlink()
    journal.append([entry(4)])
    assert [journal.get(entry(k).key) for k in (1, 4)] == [entry(k).answer for k in (1, 4)]
    journal.close()
    assert "was removed while it is used: written anew, nothing is lost" in warned[0]
    with Journal.open(folder) as journal:
        assert len(journal) == 4
