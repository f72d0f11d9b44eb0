"""Signs of life: bars on a terminal, lines elsewhere, nothing where a command is quick."""

import io
import re
import time

import pytest
from rich.console import Console

from pairbench_ext.core.foreign import lines_of, open_text
from pairbench_ext.core.progress import tracked, under_way
from pairbench_ext.show.cli import progress
from pairbench_ext.show.cli.console import fail_on
from pairbench_ext.show.cli.progress import line_of, signs_of_life
from tests.files import pairbench


@pytest.fixture(autouse=True)
def _hurried(monkeypatch):
    monkeypatch.setattr(progress, "LINE_EVERY", 0.01)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(progress, "_REFRESH", 0.01)


def shown(terminal, until):
    """What is shown of four things, the third of which takes until that is shown."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=terminal, width=100)
    with signs_of_life(console):
        for n in tracked(range(4), "comparing"):
            while n == 2 and until not in written.getvalue():
                time.sleep(0.005)
    return written.getvalue()


def test_a_line_says_what_is_done_and_how_much_of_it():
    lines = [line for line in shown(False, "50%").splitlines() if "50%" in line]
    assert re.fullmatch(r"comparing 50% \(\d+ s so far, about \d+ s left\)", lines[0])


def test_a_terminal_has_a_bar_that_is_gone_at_the_end():
    written = shown(True, "50%")
    assert "comparing" in written
    assert written.endswith("\x1b[2K")  # the line is erased


def test_nothing_is_shown_while_nothing_is_counted():
    written = io.StringIO()
    with signs_of_life(Console(file=written, force_terminal=False)) as say:
        time.sleep(0.05)
        assert written.getvalue() == ""
        say("reading")
        while "reading" not in written.getvalue():
            time.sleep(0.005)


def test_files_are_read_by_their_share(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n" * 50)
    with open_text(tmp_path / "rows.csv") as file:
        seen = [line_of(under_way(), "", 1) for _ in lines_of(file)]
    assert seen[24].startswith("reading rows.csv 50% (1 s so far, about")
    assert under_way() == ()


def test_work_that_fails_is_not_under_way_any_more():
    with pytest.raises(ZeroDivisionError):
        [1 / n for n in tracked([0], "dividing")]
    assert under_way() == ()


def test_commands_show_signs_of_life(tmp_path, monkeypatch):
    entered = []

    class Thread(progress.threading.Thread):
        def start(self):
            entered.append(self)
            super().start()

    monkeypatch.setattr(progress.threading, "Thread", Thread)
    for words in (("score", "judgments"), ("card",), ("compare",), ("report",), ("people",)):
        before = len(entered)
        pairbench(*words, tmp_path)
        assert len(entered) > before, words
    with fail_on(), fail_on():
        assert len([thread for thread in entered if thread.is_alive()]) == 1
