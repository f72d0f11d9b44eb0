"""Import the module of a `pairbench` command only when the user calls the command."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import typer
from typer.core import TyperGroup

from pairbench_ext.core.texts import did_you_mean
from pairbench_ext.show.cli.typed import typed


class Command(NamedTuple):
    """A command whose module is imported when the command is called.

    Attributes:
        target: the function, as "package.module:name", or a function that returns it.
        about: its line in lists of commands.
        files: whether files that somebody else wrote are taken for runs.
    """

    target: str | Callable[[], Callable[..., None]]
    about: str
    files: bool = False

    def load(self) -> Callable[..., None]:
        """Import the command's module, and return the command's function."""
        if not isinstance(self.target, str):
            return self.target()
        module, name = self.target.split(":")
        function: Callable[..., None] = getattr(import_module(module), name)
        return function


#: Commands and groups of commands by name.
Commands: TypeAlias = Mapping[str, Command | typer.Typer]


class LazyGroup(TyperGroup):
    """A group of commands that can be listed without importing their modules."""

    lazy: Callable[[], Commands] = dict
    of_paths: Command | None = None  # called where a path stands in the place of a command
    sections: Mapping[str, Sequence[str]] = {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options, and remember the words that the user typed, for use in messages."""
        if ctx.parent is None:
            typed.set(tuple(args))
        return super().parse_args(ctx, args)

    def list_commands(self, _ctx: Any) -> list[str]:
        """Return the names of all commands in the group."""
        return list(self.lazy())

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """Import and return the command with this name; None if there is no such command."""
        command = self.lazy().get(cmd_name)
        if isinstance(command, Command):
            return _made(cmd_name, command)
        return None if command is None else typer.main.get_command(command)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the user named; for an unknown name, suggest similar names."""
        name = args[0]
        if self.of_paths and name not in self.lazy() and Path(name).exists():
            return "", _made(name, self.of_paths), args
        if name not in self.lazy() and not name.startswith("-"):
            meant = did_you_mean(name, self.lazy())
            ctx.fail(f"No such command {name!r}{meant or ' (-h lists them)'}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the list of commands for the help page, one line per command."""
        commands = self.lazy()
        for title, names in (self.sections or {"Commands": list(commands)}).items():
            with formatter.section(title):
                formatter.write_dl([(name, _about(commands[name])) for name in names])


def _made(name: str, command: Command) -> Any:
    """Return a command, imported, as click has it."""
    function = command.load()
    if command.files:
        from pairbench_ext.show.cli.foreign import taking_files

        function = taking_files(function)
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(name)(function)
    return typer.main.get_command(app)


def _about(command: Command | typer.Typer) -> str:
    return command.about if isinstance(command, Command) else str(command.info.help)


def new_group(
    about: str,
    commands: Callable[[], Commands],
    *,
    sections: Mapping[str, Sequence[str]] = MappingProxyType({}),
    add_completion: bool = False,
    of_paths: Command | None = None,
) -> typer.Typer:
    """Return a new group of commands.

    Args:
        about: its help, one line.
        commands: returns its commands; called when the group is.
        sections: the names of its commands by the title that help lists them under; one list
            where there are none.
        of_paths: the command that is meant where a path stands in the place of one.
        add_completion: whether it has options that install completion for a shell.
    """
    members = {"lazy": staticmethod(commands), "sections": sections, "of_paths": of_paths}
    app = typer.Typer(
        cls=type("Group", (LazyGroup,), members),
        help=about,
        no_args_is_help=True,
        add_completion=add_completion,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        pretty_exceptions_show_locals=False,
        rich_markup_mode=None,
    )
    app.callback()(lambda: None)
    return app
