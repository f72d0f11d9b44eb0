import os

import pytest

from lmms_eval_tasks.pairbench.ground_truth import READER
from lmms_eval_tasks.people.events import EventsFile
from pairbench_ext.core.records import RecordError


def ratings_file(path):
    return EventsFile(path, READER)


LINE = {
    "rater": "an\u00e9\ud800", "config": "c", "split": "s", "row": 0, "pair": "identical",
    "kind": "identical", "condition": "inv", "score": 7,
}  # fmt: skip


@pytest.mark.parametrize("kept", [11, -1])
def test_half_a_line_is_left_out(tmp_path, kept):
    """And a whole one without its end is not: its score may have been shown to somebody."""
    path = tmp_path / "r"
    with ratings_file(path) as file:
        file.append("rating", LINE)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:kept])
    with ratings_file(path) as file:
        assert (len(file.log.ratings), len(file.log.skipped)) == ((1, 1) if kept > 0 else (2, 0))
        file.append("rating", LINE)
    assert path.read_bytes() == whole + whole[:kept] + b"\n" + whole


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"Dear diary", "line 1: not a JSON object"), (b"\xff\xfe\n", "the text is not UTF-8")],
)
def test_another_file_named_by_mistake_is_left_alone(tmp_path, content, message):
    (tmp_path / "r").write_bytes(content)
    with pytest.raises(RecordError, match=message):
        ratings_file(tmp_path / "r")
    assert (tmp_path / "r").read_bytes() == content
    # The refused file is free for others.
    (tmp_path / "r").write_bytes(b"")
    ratings_file(tmp_path / "r").close()


def test_a_full_disk_leaves_whole_lines(tmp_path):
    """A limit on the file's size fails as a full disk does: after a part of the line."""
    resource = pytest.importorskip("resource", reason="limits of the file size are POSIX's")
    path = tmp_path / "r"
    with ratings_file(path) as file:
        file.append("rating", LINE)
        size = path.stat().st_size
        child = os.fork()
        if child == 0:  # the limit cannot be raised again
            import signal

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, size + 10))
            status = 1
            try:
                file.append("rating", LINE)
            except OSError:
                status = 0
            os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert path.stat().st_size == size
        file.append("rating", LINE)
    with ratings_file(path) as file:
        assert len(file.log.ratings) == 2
