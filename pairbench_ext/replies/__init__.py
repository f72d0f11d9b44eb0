"""Read verdicts from replies; an unreadable reply is reported as such and raises no error.

A reply is read in two steps: the declared answer where it stands as it was asked for (`asked`), and
where it does not, prose. `AnswerFormat` declares what was asked for.

A grammar is a kind of reply (`rating`: "Score: 8, Reason: ..."), a rule is one way to read it. Each
module of this package, or of a package `grammars` in a benchmark's folder, that defines `RULES`
(rule name to function, the default rule first) is the grammar of its name; a new module is
found without being listed. One with `asks`, from its options to what it declares, is read in two
steps by the rule `careful`, and in the first alone by `strict` where it has no such rule. Other rooms
use what is defined here, and:

    letter, labels, subscores_authors    grammars that benchmarks build on
    answer_format            what a prompt asks for, declared
    asked                    the answer where it stands as it was asked for
    options                  what options were shown
    proposed                 a declaration where nobody made one
    failures, refusals, thoughts    replies that are no answer, or not only
    folders                  the installed folders of benchmarks
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from loguru import logger

from pairbench_ext.replies import folders
from pairbench_ext.replies.answer_format import AnswerFormat


class _Parsed(NamedTuple):
    value: float | str | tuple[float, ...] | None
    reason: str


class Parsed(_Parsed):
    """The result of reading a reply: the value, the reason, and the value's position.

    Attributes:
        value: the verdict; None if the reply is unusable (`authors` rules: -1, as the authors).
        reason: the model's own reason, as it wrote it; if the reply is unusable, why it is.
        span: where in the reply the verdict was read: from which character, to which; None where
            a rule does not say.
        step: "asked" where the declared answer stood as asked, "prose" where prose was read; empty
            of other rules.
    """

    span: tuple[int, int] | None = None
    step: str = ""

    def at(self, span: tuple[int, int]) -> Parsed:
        """Return a copy that also stores where in the reply the value was read."""
        placed = Parsed(*self)
        placed.span, placed.step = span, self.step
        return placed

    def by(self, step: str, span: tuple[int, int] | None = None) -> Parsed:
        """Return a copy that also stores which reading step found the value."""
        read = Parsed(*self)
        read.span, read.step = span or self.span, step
        return read


Rule: TypeAlias = Callable[[str], Parsed]
TWO_STEPS = ("careful", "strict")  # rules by a declaration

#: Why a reply is unreadable on which a grammar, or a library that it uses, raises.
READER_FAILED = "the reply reader failed on this reply"


@functools.cache
def _places() -> Mapping[str, Mapping[str, bool]]:
    """Return where a grammar of each name may be, and whether that is ours; nothing is imported."""
    packages = [(__name__, list(__path__), True)] + [
        (f"{folder.path}.grammars", [f"{place}/grammars" for place in folder.places], folder.ours)
        for folder in folders.folders().values()
        if folder.has("grammars")
    ]
    places_of: dict[str, dict[str, bool]] = {}
    for package, places, ours in packages:
        for info in pkgutil.iter_modules(places):
            places_of.setdefault(info.name, {})[f"{package}.{info.name}"] = ours
    return places_of


@functools.cache
def _find(name: str) -> ModuleType | None:
    """Return the grammar of this name, those of this package before others; None without one."""
    found: ModuleType | None = None
    for place, ours in _places().get(name, {}).items():
        load = functools.partial(importlib.import_module, place)
        module = folders.attempt(load, place, ours=ours)
        if module is None or not hasattr(module, "RULES"):
            continue
        if found is not None:
            logger.warning(
                f"{place} is left out, because {found.__name__} has the same name; rename one of them"
            )
        found = found or module
    return found


def _modules() -> dict[str, ModuleType]:
    """Return all grammars by name."""
    found = {name: _find(name) for name in sorted(_places())}
    return {name: module for name, module in found.items() if module is not None}


def grammars() -> dict[str, list[str]]:
    """Return the names of each grammar's reading rules, keyed by the grammar's name."""
    return {name: _rules(module) for name, module in _modules().items()}


def rules_of(grammar: str) -> list[str]:
    """Return the names of a grammar's reading rules; an empty list if the grammar is unknown."""
    module = _find(grammar)
    return [] if module is None else _rules(module)


def _rules(module: ModuleType) -> list[str]:
    """Return the names of a grammar's rules, the default one first."""
    return list(
        dict.fromkeys((*TWO_STEPS, *module.RULES) if hasattr(module, "asks") else module.RULES)
    )


def rule_name(grammar: str, rule: str | None = None) -> str:
    """Return a reading rule's name after checking it; None stands for the grammar's first rule.

    Raises:
        ValueError: if the grammar or the rule is unknown, naming those that are known.
    """
    rules = _rules(_module(grammar))
    name = rules[0] if rule is None else rule
    if name not in rules:
        names = ", ".join(sorted(rules))
        raise ValueError(f"grammar {grammar!r} has no rule {name!r}; its rules are {names}")
    return name


def asks(grammar: str, **words: Any) -> AnswerFormat:
    """Return the answer format that a grammar declares, given options such as `labels="ABC"`.

    Raises:
        ValueError: if the grammar declares nothing or does not know a word or its value.
    """
    declare = getattr(_module(grammar), "asks", None)
    try:
        if declare is None:
            raise TypeError("it takes no options")
        declared: AnswerFormat = declare(**words)
    except (AttributeError, TypeError) as error:
        raise ValueError(f"grammar {grammar!r} cannot use {words!r:.200}: {error}") from error
    return declared


@functools.lru_cache(maxsize=4096)
def find_rule(grammar: str, rule: str | None = None, asked: AnswerFormat | None = None) -> Rule:
    """Return a grammar's reading rule by its name; None stands for the grammar's first rule.

    Args:
        grammar: the kind of reply.
        rule: how to read it.
        asked: what was asked for; None for the grammar's usual declaration.

    Raises:
        ValueError: if the grammar or the rule is unknown, naming those that are known.
    """
    module, name = _module(grammar), rule_name(grammar, rule)
    if asked is None and hasattr(module, "asks"):
        asked = asks(grammar)
    if asked and (name == "careful" or name not in module.RULES):
        return _steps(module, asked, also_prose=name == "careful")
    read: Rule = module.RULES[name]
    takes = inspect.signature(read).parameters
    told = asked.told if asked else {}
    return functools.partial(read, **{word: told[word] for word in takes if word in told})


_NOT_ASKED = Parsed(None, "the answer is not in the form that was asked for")


def _steps(module: ModuleType, asked: AnswerFormat, *, also_prose: bool) -> Rule:
    """Reads the declared answer where it stands as asked, and else prose."""
    first: Any = importlib.import_module(f"{__name__}.asked")
    of_kind: Any = module if hasattr(module, "prose") else _module(asked.kind)
    reason: Callable[[str, Any], str] = getattr(of_kind, "reason", _whole)

    def read(response: str) -> Parsed:
        parsed: Parsed | None = first.read(asked, response, in_form=not also_prose)
        if parsed is None:
            again = first.next_question(response) if also_prose else 0  # where it runs on
            read_on: Parsed = of_kind.prose(response[:again], asked) if again else _NOT_ASKED
            if also_prose and read_on.value is None:
                read_on = of_kind.prose(response, asked)
            return read_on if read_on.step else read_on.by("prose")
        if parsed.value is None:
            return parsed.by("asked")
        return parsed._replace(reason=reason(response, parsed.span)).by("asked", parsed.span)

    return read


def _whole(response: str, _: tuple[int, int] | None) -> str:
    """Return the reply without its thoughts, as the reason of a verdict."""
    strip: Callable[[str], str] = importlib.import_module(f"{__name__}.thoughts").strip_thinking
    return strip(response).strip()


def parse(
    grammar: str, response: str, rule: str | None = None, asked: AnswerFormat | None = None
) -> Parsed:
    r"""Read the verdict in a reply by a rule of a grammar.

    Args:
        grammar: the kind of reply, a name in `grammars()`.
        response: the reply; any string.
        rule: how to read it; None for the grammar's default.
        asked: as for `find_rule`.

    Raises:
        ValueError: as `find_rule`; never because of the reply.

    >>> parse("rating", "Score: 8\nReason: much alike")
    Parsed(value=8, reason='much alike')
    """
    return _read_once(find_rule(grammar, rule, asked), response)


@functools.lru_cache(maxsize=1 << 19)
def _read_once(rule: Rule, response: str) -> Parsed:
    """What a rule reads: a command meets equal replies often, and each one again for its pages."""
    try:
        return rule(response)
    except Exception as error:  # noqa: BLE001  (a reply may be anything, also for the libraries used)
        return Parsed(None, f"{READER_FAILED} ({type(error).__name__})")


def _module(grammar: str) -> ModuleType:
    found = _find(grammar)
    if found is None:
        raise ValueError(f"unknown grammar {grammar!r}; known: {', '.join(_modules())}")
    return found
