"""Let commands take any file of judgments in place of runs, by importing it first."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from pairbench_ext.core import registry
from pairbench_ext.core.records import RecordError, read_jsonl
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.runs.files import in_folder, made_of
from pairbench_ext.runs.side_by_side import SideBySide, tasks_of
from pairbench_ext.show.cli.console import errors, fail_on
from pairbench_ext.show.cli.options import option
from pairbench_ext.show.cli.typed import typed_command

if TYPE_CHECKING:
    from pairbench_ext.runs.people_labels import PeopleLabels
    from pairbench_ext.stacks.records.converter import Imported


class _How(NamedTuple):
    """What `--columns`, `--values` and `--accept` say, and which roles imported files have."""

    columns: tuple[str, ...] = ()
    values: str = ""
    accept: bool = False
    found: tuple[str, ...] = ()  # the roles whose columns stand in imported files
    fields: Mapping[str, str] = {}  # what logs call some columns of imported files


_RECORDS = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".gz", ".eval")
_RESULTS = re.compile(r"(?:[\dT_.:-]+_)?results\.json")  # of lmms-eval, beside its samples
_UNSAID = _How()
_FIELDS = {"source": "source", "aspect": "aspect", "system": "systems"}  # of logs, by role
_NAMING = {"by", "strata"}  # options that name a field of the items
_HOW: ContextVar[_How] = ContextVar("how", default=_UNSAID)
_OPTIONS: Mapping[str, tuple[Any, Any]] = {
    "columns": (
        Annotated[
            list[str] | None,
            typer.Option(
                help=(
                    "What the file's columns hold: ROLE=COLUMN,..., as for `pairbench "
                    "import judgments`."
                )
            ),
        ],
        None,
    ),
    "values": (
        Annotated[str, option("Meaning of the verdicts, such as 0=first,1=second,2=tie.")],
        "",
    ),
    "accept": (
        Annotated[
            bool, option("Continue even if most recorded values cannot be read.", "--accept")
        ],
        False,
    ),
    "people": (
        Annotated[
            list[Path] | None,
            option("File of people's labels of the items of a file of judgments; repeatable."),
        ],
        None,
    ),
}


def taking_files(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that also takes files of judgments, with options that say how to read them.

    Args:
        command: a function whose arguments of the kind `typer.Argument` are runs.
    """
    signature = inspect.signature(command, eval_str=True)
    arguments = [name for name, p in signature.parameters.items() if _is_argument(p.annotation)]
    options = {name: o for name, o in _OPTIONS.items() if name not in signature.parameters}

    def called(**values: Any) -> None:
        how = {name: values.pop(name) for name in options}
        joined = how.get("people") or ()
        _HOW.set(_How(tuple(how["columns"] or ()), how["values"], how["accept"]))
        with _errors_apart(values), ExitStack() as folders:
            # A report keeps the names of the files, and imports them itself.
            with fail_on(RecordError, ValueError):
                people = values.get("people") or ()

                def opened(paths: Sequence[Path]) -> Given:
                    given_runs = folders.enter_context(imported(paths, people, joined=joined))
                    if joined:
                        _check_joined(paths, given_runs)
                    return given_runs

                def one(path: Path) -> Path:
                    return _one(opened([path]), path, values["judge"])

                for name in arguments if command.__name__ != "report" else ():
                    given = values[name]
                    if isinstance(given, Path):
                        values[name] = one(given)
                    elif given and "judge" in values:  # each is a run of one judge
                        values[name] = [one(path) for path in given]
                    elif given:
                        values[name] = opened(given).runs
                for name in values.keys() & _NAMING:
                    values[name] = _HOW.get().fields.get(values[name], values[name])
            command(**values)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [p.replace(kind=keyword) for p in signature.parameters.values()]
    parameters += [
        inspect.Parameter(name, keyword, default=default, annotation=kind)
        for name, (kind, default) in options.items()
    ]
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    called.__doc__, called.__name__ = command.__doc__, command.__name__
    return called


@contextmanager
def _errors_apart(values: Mapping[str, Any]) -> Iterator[None]:
    """End with status 2 after an error, where 1 says that a judge is worse, or changed."""
    try:
        yield
    except typer.Exit as stopped:
        verdicts = values.get("fail_if_worse") or values.get("fail_if_changed")
        if verdicts and stopped.__cause__ is not None:
            raise typer.Exit(2) from stopped
        raise


def _is_argument(kind: Any) -> bool:
    marks = getattr(kind, "__metadata__", ())
    return any(isinstance(x, typer.models.ArgumentInfo) for x in marks) and "Path" in str(kind)


class Given(NamedTuple):
    """The runs that the user gave to a command, and the files that were imported as runs."""

    runs: list[Path]
    records: list[Path]


@contextmanager
def imported(
    paths: Sequence[Path], people: Sequence[Path] = (), joined: Sequence[Path] = ()
) -> Iterator[Given]:
    """Replace files of judgments among a command's arguments by logged samples made from them.

    Args:
        paths: of runs and such files.
        people: files of labels; a column that is declared may stand in these alone.
        joined: files of labels that the samples get.

    Raises:
        QuestionError: if several readings of a file fit.
        RecordError: if it cannot be read.
    """
    records = [path for path in paths if _is_foreign(path)]
    if not records:
        yield Given(list(paths), [])
        return
    from pairbench_ext.stacks.records.columns import columns_of
    from pairbench_ext.stacks.records.judgments import import_judgments

    how = _HOW.get()
    given = columns_of(how.columns, how.values)
    roles = dict(_in_records(given.roles, records, joined or people))
    if joined and given["people"]:
        roles["people"] = given["people"]  # a column of the labels
    _HOW.set(how._replace(found=tuple(roles)))
    with TemporaryDirectory() as folder:
        done = import_judgments(
            records,
            Path(folder),
            replace(given, roles=roles),
            people=joined,
            accept=how.accept,
            typed=typed_command(),
        )
        _note_origins(done, records)
        for line in (*done.lines, *done.left_out()):
            errors.print(line, soft_wrap=True)
        judges = list(dict.fromkeys(file.parent for file in done.files))  # in the order typed
        before = list(paths[: paths.index(records[0])])
        after = [path for path in paths[len(before) :] if path not in records]
        yield Given([*before, *judges, *after], records)


def _note_origins(done: Imported, records: Sequence[Path]) -> None:
    """Note from which given files each judge's samples come, and what their columns are called."""
    for file, sources in done.sources.items():
        made_of(file, [p for p in records if any(x.is_relative_to(p) for x in sources)])
    columns = ((done.columns[role], field) for role, field in _FIELDS.items())
    fields = {names[0]: field for names, field in columns if len(names) == 1}
    _HOW.set(_HOW.get()._replace(fields=fields))


def _in_records(
    roles: Mapping[str, tuple[str, ...]], records: Sequence[Path], people: Sequence[Path]
) -> Mapping[str, tuple[str, ...]]:
    """Return the roles without those whose column stands in files of labels alone."""
    from pairbench_ext.stacks.records.labels import names_in

    elsewhere = names_in(people) - names_in(records) if people and roles else set()
    return {role: names for role, names in roles.items() if not {*names} & elsewhere}


def labels(files: Sequence[Path] | None, sides: Sequence[SideBySide]) -> PeopleLabels:
    """Return people's labels: from files in any format, or else from the runs themselves.

    Raises:
        QuestionError: if several columns may be the labels, or labels are not understood.
        RecordError: if a file cannot be read, or names no item of the runs.
    """
    from pairbench_ext.runs.people_labels import PeopleLabels

    if not files:
        return PeopleLabels((), tasks_of(sides))
    from pairbench_ext.stacks.records.columns import columns_of
    from pairbench_ext.stacks.records.labels import names_in, people_labels

    how = _HOW.get()
    given = columns_of(how.columns, how.values)
    names = names_in(files)
    for role, used in given.roles.items():
        if names and role not in how.found and not {*used} <= names:
            columns = listed(sorted(names), 40)
            raise RecordError(f"no column {'+'.join(used)!r} for {role}; the columns are {columns}")
    people = people_labels(files, tasks_of(sides), given, accept=how.accept, typed=typed_command())
    for line in people.notes:
        errors.print(line, soft_wrap=True)
    return people


def drawn_alike(files: Sequence[Path]) -> Sequence[Path]:
    """Return files of labels; no files if one says how probable it was that an item was drawn."""
    from pairbench_ext.stacks.records.labels import names_in

    return () if "probability" in names_in(files) else files


def _check_joined(paths: Sequence[Path], given: Given) -> None:
    """Refuse labels of runs, which are not joined with them.

    Raises:
        RecordError: naming a run.
    """
    if runs := [path for path in paths if path not in given.records]:
        raise RecordError(
            f"--people: {runs[0]} is a run; people's labels of a run are for `pairbench people`, "
            "`pairbench trust`, `pairbench correct` and `pairbench report`"
        )


def _one(given: Given, path: Path, judge: str) -> Path:
    """Return the one run of a path, or that of the judge with a name."""
    named = [run for run in given.runs if not judge or not given.records or run.name == judge]
    if len(named) != 1:
        names = [run.name for run in given.runs]
        raise RecordError(
            f"{path} holds {counted(len(names), 'judge')}, {listed(names, 6)}; name the one to "
            f"compare: --judge {shlex.quote(names[0])}"
        )
    return named[0]


def _is_foreign(path: Path) -> bool:
    """Return whether a file, or a folder without samples, holds what somebody else recorded."""
    if path.is_file():
        return not _is_log(path)
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else []
    others = [x for x in files if x.suffix in _RECORDS and not _RESULTS.fullmatch(x.name)]
    return bool(others) and not in_folder(path)


def _is_log(file: Path) -> bool:
    """Return whether a file holds logged samples or plain rows of a benchmark."""
    try:
        first = next(iter(read_jsonl(file)), None)
    except RecordError:
        return "samples_" in file.name  # the error about it is the one to see
    fields = first.fields if first else {}
    if first is None or {"trial", "doc_id"} & fields.keys():
        return True
    return any(benchmark.recognises(fields) for benchmark in registry.every_benchmark())
