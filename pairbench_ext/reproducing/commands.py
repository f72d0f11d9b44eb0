"""The commands that measure a model's printed numbers again, with the stock `lmms-eval`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.reproducing.expected import Expected
from pairbench_ext.runs.models.memory import gpus
from pairbench_ext.runs.models.names import near
from pairbench_ext.runs.models.table import Backend, Model, ModelTable
from pairbench_ext.runs.run_groups import leaves_of

JOURNAL = "journal"
# Between two arguments; commas in JSON values are none.
_COMMA = re.compile(r",(?=\s*\w+=)|,\s*$")


class RecipeError(ValueError):
    """There is no such model, task or backend; the message says what there is."""


class Settings(NamedTuple):
    """What a user decides.

    Attributes:
        out: the folder for logged samples and the journal.
        backend: another one than the first of the model's.
        arguments: for `--model_args`; they replace those of the recipe.
        memory: of one GPU in GiB.
        limit: how many trials of each task; None for all.
        journal: whether answers are recorded as they come, so that a killed run goes on.
    """

    out: Path
    backend: str | None = None
    arguments: str = ""
    memory: float = 80
    limit: int | None = None
    journal: bool = True


class Step(NamedTuple):
    """One command.

    Attributes:
        benchmark: whose task it is.
        task: or group.
        backend: the model of lmms-eval that is asked.
        model_arguments: what it is given.
        arguments: of `lmms-eval`.
    """

    benchmark: Benchmark
    task: str
    backend: Backend
    model_arguments: Mapping[str, str]
    arguments: tuple[str, ...]

    @property
    def leaves(self) -> set[str]:
        """The tasks that it asks, without groups."""
        return leaves_of(self.benchmark, self.task)

    def __str__(self) -> str:
        return shlex.join(["lmms-eval", *self.arguments])


def model_named(table: ModelTable, name: str) -> Model:
    """The model of a name, as papers print it or of its checkpoint.

    Raises:
        RecipeError: if there is none, with those of similar names.
    """
    found = table.named(name)
    if found is None:
        close = near(name, (one for model in table.models.values() for one in model.names))
        hint = f"did you mean {', '.join(map(repr, close))}?" if close else "--list names them"
        raise RecipeError(f"no paper prints numbers of {name!r}; {hint}")
    return found


def backend_for(
    table: ModelTable, model: Model, wanted: str | None, expected: Sequence[Expected] = ()
) -> Backend:
    """The backend that runs a model: the one that is wanted, else as the publication says it did.

    Args:
        table: with all backends.
        model: that has one at least.
        wanted: a backend's name; None for the publication's, or the model's first.
        expected: of one benchmark; none for the model's first.

    Raises:
        RecipeError: if the model has no such backend.
    """
    names = list(model.backends)
    if wanted is not None and wanted not in names:
        raise RecipeError(
            f"{model.name} has no recipe with --backend {wanted}; it has {', '.join(names)}"
        )
    said = {one.published.backend for one in expected} & set(names)
    return table.backends[wanted or next(iter(said), names[0])]


def model_arguments(model: Model, backend: Backend, settings: Settings) -> dict[str, str]:
    """What `--model_args` has for a model, each later part before the earlier ones.

    The checkpoint; what spreads it over several GPUs, if it takes more than one; what the backend
    needs, and what this model needs with it; what the user says.
    """
    found: dict[str, str] = {}
    if backend.checkpoint and model.checkpoint:
        found[backend.checkpoint] = model.checkpoint
    count = gpus(model, settings.memory)
    if count > 1:
        found |= {backend.gpus: str(count)} if backend.gpus else _pairs(backend.spread)
    needed = (backend.arguments, model.backends[backend.name], settings.arguments)
    return found | {name: value for one in needed for name, value in _pairs(one).items()}


def _pairs(text: str) -> dict[str, str]:
    """`a=1,b=2` as the harness reads it.

    Raises:
        RecipeError: if a part is no such pair.
    """
    found = {}
    for part in filter(None, map(str.strip, _COMMA.split(text))):
        name, sign, value = part.partition("=")
        if not name or not sign:
            raise RecipeError(f"model arguments are name=value,name=value; {part!r} is none")
        found[name] = value
    return found


def steps(
    table: ModelTable,
    model: Model,
    expected: Sequence[Expected],
    tasks: Sequence[str],
    settings: Settings,
) -> list[Step]:
    """One command for each task or group; a group that holds others' tasks stands for them.

    Args:
        table: with all backends.
        model: that is run.
        expected: what is printed of it.
        tasks: which tasks; none for all that something is printed of.
        settings: what the user decides.

    Raises:
        RecipeError: if a task or backend is not known.
    """
    wanted = list(_wanted(expected, tasks))
    found = []
    for benchmark, task in wanted:
        own = [one for one in expected if one.benchmark is benchmark]
        inside = leaves_of(benchmark, task)
        others = [leaves_of(b, t) for b, t in wanted if t != task]
        if not any(inside < other for other in others):
            backend = backend_for(table, model, settings.backend, own)
            pairs = model_arguments(model, backend, settings)
            given = _arguments(backend, pairs, task, settings)
            found.append(Step(benchmark, task, backend, pairs, given))
    return found


def _wanted(expected: Sequence[Expected], tasks: Sequence[str]) -> Iterator[tuple[Benchmark, str]]:
    if not tasks:
        places = {one.place.task: one.benchmark for one in expected}
        yield from ((benchmark, task) for task, benchmark in places.items())
        return
    known = {one.name: own for own in registry.every_benchmark() for one in own.tasks}
    for task in dict.fromkeys(tasks):
        if task not in known:
            close = near(task, known)
            hint = f"did you mean {', '.join(close)}?" if close else "`pairbench tasks` lists them"
            raise RecipeError(f"no task {task!r}; {hint}")
        yield known[task], task


def _arguments(
    backend: Backend, pairs: Mapping[str, str], task: str, settings: Settings
) -> tuple[str, ...]:
    name = backend.name
    if settings.journal:
        if "," in str(settings.out):
            raise RecipeError(f"{settings.out}: lmms-eval takes no comma in it: choose another")
        pairs = {"base": name, "journal": str(settings.out / JOURNAL), **pairs}
        name = "resumable"
    given = ["--model", name]
    if pairs:
        given += ["--model_args", ",".join(f"{key}={value}" for key, value in pairs.items())]
    given += ["--tasks", task, "--batch_size", str(backend.batch_size)]
    if settings.limit is not None:
        given += ["--limit", str(settings.limit)]
    return (*given, "--log_samples", "--output_path", str(settings.out))
