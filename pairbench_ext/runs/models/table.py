"""The table of models, `models.json`, and tables of the same form that users add.

    {"backends": {"qwen2_vl": {"checkpoint": "pretrained", "spread": "device_map=auto"}},
     "models": [{"name": "Qwen2-VL-7B", "access": "open", "checkpoint": "Qwen/Qwen2-VL-7B-Instruct",
                 "parameters": 8.29, "backends": {"qwen2_vl": ""}}]}

A backend is a model of lmms-eval as `--model` takes it. Of a model the first backend is used unless
another is asked for; beside each are the arguments that this model needs there.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from pairbench_ext.core.file_errors import not_plain_text, unreadable
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.models.names import letters

#: Where weights are to be had: freely; after accepting terms; not at all, but an API answers;
#: nowhere.
Access: TypeAlias = Literal["open", "gated", "api", "unreleased"]
Row = TypeVar("Row", "Backend", "Model")

# A repository of the hub as the value of an argument: `pretrained=llava-hf/llava-1.5-7b-hf`.
_REPOSITORY = re.compile(r"=([\w.-]+/[\w.-]+)(?=,|$)")


@dataclass(frozen=True)
class Backend:
    """A model class of lmms-eval.

    Attributes:
        name: as `--model` takes it.
        checkpoint: its argument for the checkpoint, or for the API's name of a model.
        spread: arguments that spread a checkpoint over all GPUs that are visible.
        gpus: its argument for the number of GPUs, where it has one.
        arguments: what it needs with every model, to ask as a task says.
        batch_size: how many requests it is given at a time.
        install: what it needs besides lmms-eval.
        key: environment variable with the key of its API.
        about: what it does otherwise than its task or the checkpoint says.
    """

    name: str
    checkpoint: str = ""
    spread: str = ""
    gpus: str = ""
    arguments: str = ""
    batch_size: int = 1
    install: str = ""
    key: str = ""
    about: str = ""


@dataclass(frozen=True)
class Model:
    """A model that papers print numbers of.

    Attributes:
        name: as most papers print it.
        access: whether its weights are to be had.
        also: how others print it.
        checkpoint: on the hub; or the API's name.
        licence: of the weights.
        parameters: in billions.
        bytes: per parameter, as it is loaded.
        backends: the classes that run it, the best first, each with the arguments that it needs.
        without: why there is none.
        note: which of this a paper says, and which is our choice.
    """

    name: str
    access: Access = "open"
    also: tuple[str, ...] = ()
    checkpoint: str = ""
    licence: str = ""
    parameters: float = math.nan
    bytes: float = 2
    backends: Mapping[str, str] = field(default_factory=dict)
    without: str = ""
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """All that it is called, its checkpoints with and without the owner included.

        Those that a backend loads instead are its own, too.
        """
        loaded = (one for given in self.backends.values() for one in _REPOSITORY.findall(given))
        checkpoints = [one for one in (self.checkpoint, *loaded) if one]
        own = (name for one in checkpoints for name in (one, one.rpartition("/")[2]))
        return tuple(dict.fromkeys((self.name, *self.also, *own)))


@dataclass(frozen=True)
class ModelTable:
    """Models by name, and the backends that run them."""

    models: Mapping[str, Model]
    backends: Mapping[str, Backend]

    def named(self, name: str) -> Model | None:
        """The model that is called so, whatever the case, spaces and signs; None if none is."""
        return self._by_letters.get(letters(name))

    def are_one(self, one: str, other: str) -> bool:
        """Whether two names are of one model of the table: as papers print it, or a checkpoint.

        A name may be a run's folder's, with the owner before `__`.
        """
        found = self.named(one.rpartition("__")[2])
        return found is not None and found is self.named(other.rpartition("__")[2])

    @cached_property
    def _by_letters(self) -> Mapping[str, Model]:
        found: dict[str, Model] = {}
        for model in self.models.values():
            for name in model.names:
                found.setdefault(letters(name), model)
        return found

    def with_file(self, path: Path) -> ModelTable:
        """This table and a file's: its models and backends replace those of the same name.

        Raises:
            RecordError: if the file cannot be read, naming the entry and field.
        """
        other = read_table(path, self.backends)
        models = {**self.models, **other.models}
        _check_names(path, models)
        return ModelTable(models, {**self.backends, **other.backends})


@cache
def known_models() -> ModelTable:
    """The models of the papers."""
    return read_table(Path(str(files("pairbench_ext.runs.models") / "models.json")))


def read_table(path: Path, backends: Mapping[str, Backend] | None = None) -> ModelTable:
    """The table of a file.

    Args:
        path: JSON, as above.
        backends: further ones that its models may name.

    Raises:
        RecordError: if it cannot be read, naming the entry and field.
    """
    found = _json(path)
    if not isinstance(found, dict) or not isinstance(found.get("models", []), list):
        raise RecordError(f"{path}: an object with a list 'models' is expected")
    given = found.get("backends", {})
    if not isinstance(given, dict):
        raise RecordError(f"{path}: 'backends' must be an object: a name and what it is")
    own = {
        name: _row(Backend, {"name": name, **_object(path, name, one)}, path)
        for name, one in given.items()
    }
    models: dict[str, Model] = {}
    for number, one in enumerate(found.get("models", []), 1):
        model = _row(Model, _object(path, f"model {number}", one), path)
        if model.name in models:
            raise RecordError(f"{path}: the model {model.name!r} is there twice")
        models[model.name] = replace(model, also=tuple(model.also))
    for model in models.values():
        _check_model(path, model, {**(backends or {}), **own})
    _check_names(path, models)
    return ModelTable(models, own)


def _json(path: Path) -> Any:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RecordError(unreadable(path, error)) from error
    what = not_plain_text(raw[:8])
    if what:
        raise RecordError(f"{path}: {what}")
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: not JSON ({error})") from error


def _object(path: Path, name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RecordError(f"{path}: {name} must be an object, not {value!r:.40}")
    return value


_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "parameters": ((int, float), "a number of billions above 0"),
    "bytes": ((int, float), "a number above 0"),
    "batch_size": ((int,), "a whole number from 1"),
    "also": ((list,), "a list of names"),
    "backends": ((dict,), "an object: a backend's name and its arguments"),
}


def _row(kind: type[Row], values: Mapping[str, Any], path: Path) -> Row:
    """An entry, of which every field is checked."""
    name = values.get("name")
    where = f"{path}, {name!r}" if isinstance(name, str) and name else str(path)
    known = [one.name for one in fields(kind)]
    if not isinstance(name, str) or not name.strip():
        raise RecordError(f"{where}: an entry has no 'name'")
    for key, value in values.items():
        if key not in known:
            raise RecordError(f"{where}: unknown field {key!r}; known: {', '.join(known)}")
        types, expected = _KINDS.get(key, ((str,), "a text"))
        if isinstance(value, bool) or not isinstance(value, types) or not _in_range(value):
            raise RecordError(f"{where}: {key!r} must be {expected}, not {value!r:.40}")
    return kind(**values)


def _in_range(value: Any) -> bool:
    if isinstance(value, (int, float)):
        return math.isfinite(value) and value > 0
    if isinstance(value, (list, dict)):
        parts = value if isinstance(value, list) else [*value, *value.values()]
        return all(isinstance(part, str) for part in parts)
    return True


def _check_model(path: Path, model: Model, backends: Mapping[str, Backend]) -> None:
    where = f"{path}, {model.name!r}"
    if model.access not in get_args(Access):
        raise RecordError(
            f"{where}: 'access' must be one of {', '.join(get_args(Access))}, not {model.access!r}"
        )
    for name in model.backends:
        if name not in backends:
            raise RecordError(f"{where}: 'backends' names {name!r}, which 'backends' lacks")
    if not model.backends and not model.without:
        raise RecordError(f"{where}: no 'backends', and 'without' does not say why")


def _check_names(path: Path, models: Mapping[str, Model]) -> None:
    """A name that papers print is one model's: else a run would be placed beside another's."""
    owners: dict[str, Model] = {}
    for model in models.values():
        for name in (model.name, *model.also):
            first = owners.setdefault(letters(name), model)
            if first is not model:
                raise RecordError(f"{path}: both {first.name!r} and {model.name!r} are {name!r}")
