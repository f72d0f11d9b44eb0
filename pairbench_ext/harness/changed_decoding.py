"""What becomes of settings that a backend does pass on: values that it changes or adds.

`vllm` raises every token limit to its own, adds a top-p where a task samples without one, and
`openai` leaves out the temperature for models whose names hold "gpt-5" or "o1". As in `decoding`,
the code of the backend is read, of any package; where it does not tell, nothing is said.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pairbench_ext.harness.backend_code import methods, tree, unwrapped

_LIMIT = "max_new_tokens"
_FILLED = ("top_p", "repetition_penalty")
_BOUNDS = {"max": max, "min": min}
_WITHOUT_EFFECT = 1  # of a top-p and of a repetition penalty


class Change(NamedTuple):
    """A setting that the model is not asked with as the task says.

    Attributes:
        setting: its name.
        asked: the task's value; None where it names none.
        used: the backend's; None where it leaves the setting out.
        advice: how to have the task's value all the same; empty where there is no way.
    """

    setting: str
    asked: Any
    used: Any
    advice: str = ""

    def __str__(self) -> str:
        """In words, for a warning."""
        task = "names none" if self.asked is None else f"says {self.asked}"
        used = f"no {self.setting}" if self.used is None else f"{self.setting}={self.used}"
        advice = f" ({self.advice})" if self.advice else ""
        return f"{used} where the task {task}{advice}"


def changes(model: Any, settings: Mapping[str, Any]) -> list[Change]:
    """What a model's backend makes of a task's settings, beyond dropping some (`decoding`).

    Args:
        model: a model of the harness.
        settings: a task's `generation_kwargs`.
    """
    model = unwrapped(model)
    kind: type = type(model)
    sampled = bool(settings.get("temperature"))
    found = [*_limit(model, settings)]
    for name, value in _filled_in(kind).items():
        if settings.get(name) is None and (sampled or name != "top_p"):
            found.append(Change(name, None, value, f"--gen_kwargs {name}={_WITHOUT_EFFECT}"))
    if sampled and _drops_temperature(model):
        found.append(Change("temperature", settings["temperature"], None))
    return found


def _nodes(kind: type) -> Iterator[ast.AST]:
    for function in methods(kind, helpers=True):
        yield from ast.walk(tree(function))


def _limit(model: Any, settings: Mapping[str, Any]) -> Iterator[Change]:
    """A token limit that is raised or cut to one of the model's own."""
    asked = settings.get(_LIMIT)
    if not isinstance(asked, (int, float)):
        return
    kind: type = type(model)
    for bound, attribute in _bounds(kind):
        own = getattr(model, attribute, None)
        if isinstance(own, int) and _BOUNDS[bound](asked, own) != asked:
            other = 1 if bound == "max" else asked
            given = attribute in inspect.signature(kind).parameters
            advice = f"--model_args {attribute}={other}" if given else ""
            yield Change(_LIMIT, asked, own, advice)


@functools.lru_cache(maxsize=256)
def _bounds(kind: type) -> list[tuple[str, str]]:
    """`max` or `min`, and the model's attribute that a request's limit is compared with."""
    found = []
    for node in _nodes(kind):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func) in _BOUNDS):
            continue
        names = [ast.unparse(one) for one in node.args]
        own = [name.removeprefix("self.") for name in names if name.startswith("self.")]
        if len(names) == 2 and len(own) == 1 and all(_LIMIT in name for name in names):
            found.append((ast.unparse(node.func), own[0]))
    return list(dict.fromkeys(found))


@functools.lru_cache(maxsize=256)
def _filled_in(kind: type) -> dict[str, float]:
    """What is added where a task does not name a setting: `settings.get("top_p", 0.95)`."""
    found: dict[str, float] = {}
    for node in _nodes(kind):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("get", "setdefault")
            and len(node.args) == 2
        ):
            continue
        name, value = (one.value if isinstance(one, ast.Constant) else None for one in node.args)
        if name in _FILLED and isinstance(value, (int, float)) and not _changes_nothing(value):
            found[str(name)] = value
    return found


def _changes_nothing(value: float) -> bool:
    return isinstance(value, bool) or math.isclose(value, _WITHOUT_EFFECT)


def _drops_temperature(model: Any) -> bool:
    """Whether it is left out for models of such a name."""
    kind: type = type(model)
    return any(name in str(getattr(model, where, "")) for name, where in _left_out(kind))


@functools.lru_cache(maxsize=256)
def _left_out(kind: type) -> list[tuple[str, str]]:
    """Parts of names without a temperature, and of which attribute: `"o1" in self.model_version`.

    Looked at are the conditions on which `temperature` is taken out of what is sent.
    """
    found = []
    for node in _nodes(kind):
        if not isinstance(node, ast.If):
            continue
        calls = [ast.unparse(one) for line in node.body for one in ast.walk(line)]
        if any(one.endswith(".pop('temperature')") for one in calls):
            found += [pair for test in ast.walk(node.test) if (pair := _part_of_name(test))]
    return found


def _part_of_name(test: ast.AST) -> tuple[str, str] | None:
    if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In)):
        return None
    part, whole = test.left, ast.unparse(test.comparators[0])
    if not (isinstance(part, ast.Constant) and whole.startswith("self.")):
        return None
    return str(part.value), whole.removeprefix("self.")
