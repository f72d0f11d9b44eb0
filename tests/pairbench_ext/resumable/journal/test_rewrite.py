import pytest

from pairbench_ext.resumable.journal.files import read
from pairbench_ext.resumable.journal.frames import Frame
from pairbench_ext.resumable.journal.rewrite import drop_task
from pairbench_ext.resumable.journal.store import Answer, Entry, Journal, JournalError
from pairbench_ext.resumable.journal.summary import entries, summarise
from tests.journals import announce


def answers(task, *numbers):
    return [Entry(f"{n:08x}", task, Answer(f"answer {n} \ud800\n"), doc=n) for n in numbers]


@pytest.fixture
def folder(tmp_path):
    """Two tasks in the files of two ranks; rank 2 has only the other."""
    plan = {0: [("a", 1), ("b", 2), ("a", 3)], 1: [("b", 4), ("a", 5)], 2: [("b", 6)]}
    for rank, recorded in plan.items():
        with Journal.open(tmp_path, rank=rank, world_size=3) as journal:
            for task, number in recorded:
                announce(journal, task, [f"{number:08x}"])
                journal.append(answers(task, number))
    return tmp_path


def frames(folder):
    return {
        path.name: [(frame.name, frame.body) for frame in read(path) if isinstance(frame, Frame)]
        for path in sorted(folder.glob("*.journal"))
    }


def test_a_task_is_removed_and_all_else_stays(folder):
    before = frames(folder)
    untouched = (folder / "rank-00002.journal").stat()
    assert drop_task(folder, "a") == 3
    assert frames(folder) == {
        name: [(key, body) for key, body in found if b'"task":"a"' not in body]
        for name, found in before.items()
    }
    assert list(summarise(folder).tasks) == ["b"]
    assert [entry.doc for entry in entries(folder)] == [2, 4, 6]
    assert (folder / "rank-00002.journal").stat().st_mtime_ns == untouched.st_mtime_ns
    with Journal.open(folder) as journal:
        journal.append(answers("a", 1))
        assert len(journal) == 4
        assert journal.torn == 0
    assert {path.suffix for path in folder.iterdir()} == {".journal", ".lock"}


def test_records_of_others_are_the_same_bytes(folder):
    path = folder / "rank-00000.journal"
    data = path.read_bytes()
    lines = [b"\n" + line + b"\n" for line in data.strip(b"\n").split(b"\n\n")]
    assert b"".join(lines) == data
    drop_task(folder, "a")
    assert path.read_bytes() == b"".join(x for x in lines if b'"task":"a"' not in x)


def test_damage_is_kept_as_it_is(folder, warned):
    path = folder / "rank-00000.journal"
    data = path.read_bytes()
    torn = data.replace(b"answer 2", b"answer X") + b"\nhalf a rec"
    path.write_bytes(torn)
    drop_task(folder, "a")
    assert b"answer X" in path.read_bytes()
    assert path.read_bytes().endswith(b"\nhalf a rec")
    assert len(summarise(folder).torn) == 2
    drop_task(folder, "b")
    assert len(summarise(folder).torn) == 2


def test_a_task_that_is_not_there(folder):
    before = frames(folder)
    with pytest.raises(JournalError, match=r"has nothing of task 'c', only of \['a', 'b'\]"):
        drop_task(folder, "c")
    assert frames(folder) == before


def test_refused_while_a_run_uses_it(folder):
    before = frames(folder)
    with (
        Journal.open(folder, rank=3, world_size=4),
        pytest.raises(JournalError, match="this journal is in use by process"),
    ):
        drop_task(folder, "a")
    assert {name: found for name, found in frames(folder).items() if name in before} == before


_WITH_LIMIT = """
import resource, sys
from pathlib import Path
from pairbench_ext.resumable.journal.rewrite import drop_task
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
drop_task(Path(sys.argv[1]), "a")
"""


def test_a_full_disk_leaves_the_journal_as_it_was(folder, start):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    _, err = start(_WITH_LIMIT, folder).communicate()
    assert "JournalError" in err
    assert "the journal cannot be rewritten (File too large" in err
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert after == before
