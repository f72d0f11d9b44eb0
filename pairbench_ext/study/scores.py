"""Scores of models, whatever they are from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pairbench_ext.runs.models.names import family_in, is_spelled_alike, matched, size_in
from pairbench_ext.runs.models.table import known_models


@dataclass(frozen=True)
class Column:
    """One score of models.

    Attributes:
        values: by model; a model that is not in it has none.
        number: the score's name without what it is from.
        benchmark: whose number it is; empty for a column of the user's.
    """

    values: Mapping[str, float]
    number: str
    benchmark: str = ""


@dataclass
class Scores:
    """Scores of models by the models' names.

    Attributes:
        models: names, each once.
        columns: by name.
        said_families: of models whose family was said.
        said_sizes: of models whose size was said, in billions of parameters.
        left_out: columns that are no scores, and why.
        remarks: what to say beside the numbers: names that were taken for others.
    """

    models: list[str] = field(default_factory=list)
    columns: dict[str, Column] = field(default_factory=dict)
    said_families: dict[str, str] = field(default_factory=dict)
    said_sizes: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def take(self, names: Iterable[str], source: str) -> dict[str, str]:
        """The model that each name of a source means; a name of none is a model of its own.

        Args:
            names: of models.
            source: what they are from, for remarks.
        """
        wanted = list(dict.fromkeys(names))
        found = matched(wanted, self.models, known_models().are_one)
        for name in wanted:
            model = found.setdefault(name, name)
            if model not in self.models:
                self.models.append(model)
            elif not is_spelled_alike(name, model):
                self.remarks.append(f"{name} of {source} is taken for {model}")
        return found

    def value(self, column: str, model: str) -> float:
        """A score of a model; NaN where there is none."""
        return self.columns[column].values.get(model, math.nan)

    def family(self, model: str) -> str | None:
        """The family of a model, said or as its name begins; None where neither says."""
        return self.said_families.get(model) or family_in(model) or None

    def size(self, model: str) -> float:
        """The size of a model in billions of parameters, said or in its name; NaN without."""
        said = self.said_sizes.get(model, math.nan)
        return size_in(model) if math.isnan(said) else said

    def describe(self) -> list[str]:
        """What to say of the models: which names were taken for others, what was read off names."""
        lines = list(self.remarks)
        families = [m for m in self.models if not self.said_families.get(m) and family_in(m)]
        sizes = [
            m
            for m in self.models
            if math.isnan(self.said_sizes.get(m, math.nan)) and not math.isnan(size_in(m))
        ]
        for what, own in (("family", families), ("size", sizes)):
            if own:
                lines.append(
                    f"the {what} of {len(own)} of {len(self.models)} models is read off their "
                    f"names, such as {own[0]}; a column {what!r} of a table says otherwise"
                )
        return lines
