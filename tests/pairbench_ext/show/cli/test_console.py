"""What is printed of texts that others wrote."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from pairbench_ext.show.cli.app import new_app
from pairbench_ext.show.cli.console import PlainConsole

STEERING = "\x1b[31m", "\x07", "\u202e", "\u2066", "\x9b", "\ud800"
ANY_TEXT = st.text(st.characters() | st.sampled_from("\ud800\udfff\x1b\u202e\u2028"))


def printed(print_it):
    console = PlainConsole(width=200)
    with console.capture() as got:
        print_it(console)
    return got.get()


@pytest.mark.parametrize("text", STEERING)
def test_nothing_steers_the_terminal(text):
    said = printed(lambda console: console.print(f"a{text}b"))
    assert text[0] not in said
    assert said.startswith("a")
    assert said.endswith("b\n")


@given(st.dictionaries(ANY_TEXT, ANY_TEXT))
def test_json_is_what_it_was_and_steers_nothing(document):
    said = printed(lambda console: console.print_json(json.dumps(document)))
    assert json.loads(said) == document
    assert not any(text[0] in said for text in STEERING)


def test_too_little_memory_is_one_sentence():
    made = new_app("All commands.", root=True)

    @made.command("read")
    def read():
        """Read."""
        raise MemoryError

    @made.command("other")
    def other():
        """Other."""

    done = CliRunner().invoke(made, ["read"])
    assert done.exit_code == 1
    assert done.stderr.startswith("error: not enough memory")
