"""The frame of the command line: how help is laid out, and how every command ends.

Help is plain text as wide as the terminal, up to 100 columns, and nothing in it is cut off. A
reader that has had enough (`| head`) ends a command quietly, with the status that the shell gives a
program that a closed pipe ends; output that cannot be written is one sentence.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

from pairbench_ext.core.file_errors import in_words
from pairbench_ext.show.cli.console import CLOSED_PIPE, errors

_WIDTH = 100
_PREFIX = "Value error, "  # of the library that checks values, before what it says
SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": _WIDTH,
}


class Commands(TyperGroup):
    """The group of all commands."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command; what is left in the output's buffer is written while this can be said."""
        if sys.stdout is None:
            sys.stdout = _unwritable()
        try:
            try:
                return super().main(*args, **kwargs)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()
        except OSError as error:
            self._end(error)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except OSError as error:
            self._end(error)
        except MemoryError as error:
            errors.print("error: not enough memory: make room, or give fewer runs at once")
            raise SystemExit(1) from error
        except Exception as error:
            said = getattr(error, "message", "")
            if isinstance(said, str) and said.startswith(_PREFIX):
                error.message = said.removeprefix(_PREFIX)  # type: ignore[attr-defined]
            raise

    @staticmethod
    def _end(error: OSError) -> None:
        _drop_output()
        if isinstance(error, BrokenPipeError):
            raise SystemExit(CLOSED_PIPE) from error
        with suppress(OSError):
            errors.print(f"error: {in_words(error)}")
        raise SystemExit(1) from error


def _unwritable() -> TextIO:
    """In place of an output that is closed (`>&-`): nothing can be written to it.

    Python has no output then, and what is printed is lost without an error.
    """
    return os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")


def _drop_output() -> None:
    """Send what is still buffered nowhere: the interpreter would try to write it when it ends."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())


class App(typer.Typer):
    """An app or group whose lists of commands show the first sentence of each, whole."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Any], Any]:
        """Register a function as a command."""

        def register(function: Callable[..., Any]) -> Any:
            said = {"short_help": first_sentence(function), **settings}
            return super(App, self).command(name, **said)(function)

        return register


def first_sentence(function: Callable[..., Any]) -> str:
    """What a command does, in the sentence that lists of commands show.

    >>> first_sentence(first_sentence)
    'What a command does, in the sentence that lists of commands show.'
    """
    paragraph = " ".join(inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[.?])\s", paragraph, maxsplit=1)[0]


def new_app(about: str, *, root: bool = False) -> App:
    """An app or a group of commands with our settings.

    Args:
        about: what it does, for its help.
        root: whether it is the one of all commands.
    """
    return App(
        no_args_is_help=True,
        help=about,
        short_help=about,
        cls=Commands if root else None,
        context_settings=SETTINGS if root else {},
        pretty_exceptions_show_locals=False,
        rich_markup_mode=None,
    )
