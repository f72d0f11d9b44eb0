"""Declare which answers a prompt asks for, and in which format."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: The kinds of answers: each is a grammar of its name, which reads prose.
KINDS = ("verdict", "letter", "yesno", "rating", "points", "ranking", "subscores")
#: The forms in which an answer may be asked for; empty where nobody said it.
FORMS = ("", "brackets", "boxed", "tag", "json", "announced", "alone", "prose")
PLACES = ("", "start", "end", "whole")


@dataclass(frozen=True)
class AnswerFormat:
    """The answers that a prompt allows, and the format in which it asks for them.

    Labels, values and counts decide how a reply is read. Form and place serve the report, but for
    `start`: then the first line counts as the last one does elsewhere.

    Attributes:
        kind: one of `KINDS`.
        labels: texts and their values; several texts may have one value. Of a verdict the first
            value says that the first thing wins, the second that the second does, others are ties.
        ties: whether a tie is an answer to a comparison, then 0.
        scale: the lowest and the highest score.
        scores: how many scores are asked for; of a comparison 2, one for each thing, in order.
        wins: which end of the scale is better, "high" or "low".
        keys: names of JSON fields or tags that hold the answer, the decisive one first; of
            subscores, one for each score, in their order.
        names: what else the compared things are called, such as "caption".
        options: of a letter: how many there are, or their texts in the order shown.
        form: one of `FORMS`.
        place: one of `PLACES`.
        authors: what the authors' rule wants to know besides, by name.
    """

    kind: str
    labels: tuple[tuple[str, Any], ...] | Mapping[str, Any] = ()
    ties: bool = False
    scale: tuple[float, float] | None = None
    scores: int = 0
    wins: str = "high"
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    options: int | tuple[str, ...] = ()
    form: str = ""
    place: str = ""
    authors: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        """Check the fields, and convert lists and mappings to tuples.

        Raises:
            ValueError: naming what is known, if a kind, a form, a place or an end is unknown.
        """
        for name, allowed in (
            ("kind", KINDS),
            ("form", FORMS),
            ("place", PLACES),
            ("wins", ("high", "low")),
        ):
            if getattr(self, name) not in allowed:
                choices = ", ".join(filter(None, allowed))
                raise ValueError(f"{name} must be one of {choices}, not {getattr(self, name)!r}")
        for name in ("labels", "authors"):
            given = getattr(self, name)
            pairs = given.items() if isinstance(given, Mapping) else given
            object.__setattr__(self, name, tuple((str(text), value) for text, value in pairs))
        for name in ("scale", "keys", "names", "options"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def texts(self) -> tuple[tuple[str, Any], ...]:
        """Return each answer label with the value that it stands for."""
        return tuple(self.labels.items() if isinstance(self.labels, Mapping) else self.labels)

    @property
    def values(self) -> tuple[Any, ...]:
        """Return the distinct values that the answer labels stand for."""
        return tuple(dict.fromkeys(value for _, value in self.texts))

    @property
    def told(self) -> dict[str, Any]:
        """Return the settings of this format that reading rules may need, keyed by name."""
        labels = "".join(text for text, _ in self.texts) if self.kind == "ranking" else ""
        of_all = {"options": self.options, "scale": self.scale, "labels": labels}
        given = {name: value for name, value in of_all.items() if value}
        return {"ties": self.ties, "names": self.names, **given, **dict(self.authors)}

    def value_of(self, verdict: Any) -> Any:
        """Return the declared value of a verdict, which is 1 (the first), 2 (the second) or 0 (a tie)."""
        values = self.values if self.kind == "verdict" else ()
        place = (1, 2, 0).index(verdict) if verdict in (1, 2, 0) else len(values)
        return values[place] if place < len(values) else verdict

    def __str__(self) -> str:
        """Return the format as text that `declared` can read."""
        scale = [f"{self.scale[0]:g}-{self.scale[1]:g}"] if self.scale else []
        parts = {
            "labels": [f"{text.replace(' ', '_')}={value}" for text, value in self.texts],
            "scale": scale,
            "scores": [str(self.scores)] if self.scores else [],
            "wins": ["low"] if self.wins == "low" else [],
            "keys": [key.replace(" ", "_") for key in self.keys],
            "names": list(self.names),
        }
        return "; ".join(" ".join((name, *words)) for name, words in parts.items() if words)


def declared(text: str, kind: str) -> AnswerFormat:
    """Return the format that a text declares: "labels A=1 B=2 C=0; keys choice; names caption".

    Args:
        text: parts between semicolons, each the name of a field and words: `labels`, `scale`,
            `scores`, `wins`, `keys`, `names`. In a label, "_" is a blank.
        kind: one of `KINDS`.

    Raises:
        ValueError: naming the part that cannot be read.

    >>> str(declared("labels A=1 B=2 tie=0; scores 2", "verdict"))
    'labels A=1 B=2 tie=0; scores 2'
    """
    found: dict[str, Any] = {}
    for part in filter(str.strip, text.split(";")):
        name, *words = part.split()
        try:
            if name == "labels":
                pairs = (word.rpartition("=") for word in words)
                found[name] = {label.replace("_", " "): int(value) for label, _, value in pairs}
            elif name == "scale":
                low, top = words[0].split("-")
                found[name] = (float(low), float(top))
            elif name == "scores":
                found[name] = int(words[0])
            elif name == "wins":
                found[name] = words[0]
            elif name in ("keys", "names"):
                found[name] = tuple(word.replace("_", " ") for word in words)
            else:
                raise ValueError(name)
        except (ValueError, IndexError):
            raise ValueError(
                f"cannot understand {part.strip()!r} in the declaration of the answer. Write "
                "parts like these, with semicolons between them: labels A=1 B=2 tie=0; scale "
                "1-5; scores 2; wins low; keys choice; names caption"
            ) from None
    if kind == "yesno":
        found.setdefault("labels", {"yes": 1, "no": 0})
    ties = 0 in found.get("labels", {}).values() or bool(found.get("scores"))
    return AnswerFormat(kind, ties=ties and kind == "verdict", **found)
