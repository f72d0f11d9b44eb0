import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pairbench_ext.show.cli import console
from pairbench_ext.show.cli.fitting import fitted
from pairbench_ext.show.cli.tables import interval, table

CONSOLE = Console(width=500)


def made(titles, rows=("first", "second")):
    shown = table(("task",), titles)
    for number, name in enumerate(rows):
        if number:
            shown.add_section()
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
    parts = fitted(whole, CONSOLE, width)
    assert [c.header for part in parts for c in part.columns[1:]] == titles
    for part in parts:
        assert [c.header for c in part.columns[:1]] == ["task"]
        assert list(part.columns[0].cells) == ["first", "second"]
        alone = sum(1 for column in part.columns[1:] if column.header != "95% interval") <= 1
        assert alone or max(map(len, printed(part))) <= width
    cells = [list(c.cells) for part in parts for c in part.columns[1:]]
    assert cells == [list(column.cells) for column in whole.columns[1:]]


def test_an_interval_stays_beside_its_number():
    parts = fitted(made(["MMScore", "95% interval"] * 3), CONSOLE, 60)
    assert len(parts) == 3
    assert {tuple(c.header for c in part.columns) for part in parts} == {
        ("task", "MMScore", "95% interval")
    }


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
