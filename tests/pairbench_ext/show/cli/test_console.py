"""Text of unknown origin, and wide tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pairbench_ext.show.cli import console
from pairbench_ext.show.cli.console import PlainConsole, fitted, interval, table

CONSOLE = Console(width=500)


@pytest.mark.parametrize("text", ["\x1b[31m", "\x07", "\u202e", "\u2066", "\x9b", "\ud800"])
def test_nothing_steers_the_terminal(text):
    plain = PlainConsole(width=200)
    with plain.capture() as captured:
        plain.print(f"a{text}b")
    assert text[0] not in captured.get()
    assert captured.get().startswith("a")
    assert captured.get().endswith("b\n")


def made(titles, rows=("first", "second")):
    shown = table(("task",), titles)
    for number, name in enumerate(rows):
        shown.add_row(name, *(interval(number, place) for place, _ in enumerate(titles)))
    return shown


def printed(part):
    with CONSOLE.capture() as captured:
        CONSOLE.print(part)
    return captured.get().splitlines()


@given(
    st.lists(
        st.sampled_from(["MMScore", "95% interval", "same winner in both orders"]), min_size=1
    ),
    st.integers(20, 160),
)
def test_parts_hold_all_columns_once_in_order_and_fit_where_they_can(titles, width):
    whole = made(titles)
    parts = fitted(whole, width)
    assert [c.header for part in parts for c in part.columns[1:]] == titles
    for part in parts:
        assert list(part.columns[0].cells) == ["first", "second"]
        alone = sum(1 for column in part.columns[1:] if column.header != "95% interval") <= 1
        assert alone or max(map(len, printed(part))) <= width
    cells = [list(c.cells) for part in parts for c in part.columns[1:]]
    assert cells == [list(column.cells) for column in whole.columns[1:]]


@pytest.mark.parametrize("terminal", [True, False])
def test_files_are_written_whole_and_terminals_are_filled(terminal, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    shown = console.PlainConsole()
    shown._force_terminal = terminal
    monkeypatch.setattr(console, "console", shown)
    console.print_table(made(["MMScore", "95% interval"] * 5))
    lines = capsys.readouterr().out.splitlines()
    assert (max(map(len, lines)) <= 80) == terminal
    assert sum("first" in line for line in lines) == (3 if terminal else 1)
