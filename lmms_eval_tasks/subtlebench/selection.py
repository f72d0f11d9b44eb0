"""Which pairs a task asks about: the keys of its entry that choices and captions share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from annotated_types import Ge, Len
from PIL.Image import Image

from lmms_eval_tasks.subtlebench.items import SYNTHETIC, Item, domain_name
from lmms_eval_tasks.subtlebench.pairs import FilePairs, Pairs, ScenePairs
from pairbench_ext.core.benchmark import TaskTrials
from pairbench_ext.core.items import Source
from pairbench_ext.core.left_out import named
from pairbench_ext.core.sources import SourceError

SOURCE = Source(variable="SUBTLEBENCH_DATA", hub="KRAFTON/VLM-SubtleBench")
_SELECTED = ("category", "domain", "source")
_OF_SCENES = ("set", "n", "axes")
_Names: TypeAlias = Annotated[tuple[str, ...], Len(1)]


@dataclass(frozen=True)
class PairEntry:
    """What an entry says of the pairs. Upper and lower case are the same in lists of names.

    Attributes:
        data: hub repository, folder, or "synthetic": scenes drawn here; by default what
            `SUBTLEBENCH_DATA` names, or the hub.
        split: "test", the default, or "val"; not for scenes.
        category: types of difference, such as "attribute"; all by default.
        domain: such as "medical"; all by default.
        source: data sets that images are from, such as "mvtec-ad"; all by default.
        set: which scenes, a name of `sets.rows.NAMES`; "mix" by default.
        n: how many scenes; in a controlled set, how many per cell; the paper's by default.
        axes: other values for the axes of a controlled set, by name.
        seed: of scenes, and of the order of options.
        greedy: whether the task decodes greedily; for the reader.
    """

    data: str | None = None
    split: Literal["test", "val"] | None = None
    category: _Names | None = None
    domain: _Names | None = None
    source: _Names | None = None
    set: str | None = None
    n: Annotated[int, Ge(1)] | None = None
    axes: Mapping[str, Any] | None = None
    seed: int = 0
    greedy: bool = False

    def __post_init__(self) -> None:
        for key in ("split", *_SELECTED) if self.data == SYNTHETIC else _OF_SCENES:
            if getattr(self, key) is not None:
                kind = f'"data": "{SYNTHETIC}"' if key in _OF_SCENES else "data from files"
                raise SourceError(f"the task's entry: {key!r} is for {kind}")

    @property
    def selected(self) -> dict[str, frozenset[str]]:
        """The names of each key that selects."""
        given = {key: getattr(self, key) for key in _SELECTED}
        return {
            key: frozenset(domain_name(n) if key == "domain" else n.lower() for n in names)
            for key, names in given.items()
            if names is not None
        }

    def open(self) -> Pairs:
        """All pairs of the data, selected or not."""
        if self.data == SYNTHETIC:
            return ScenePairs(self.set or "mix", self.n, self.seed, self.axes)
        return FilePairs(SOURCE.locate(self.data), self.split or "test")


SomeEntry = TypeVar("SomeEntry", bound=PairEntry)


class PairTrials(TaskTrials[SomeEntry], Generic[SomeEntry]):
    """Trials about pairs of images.

    Raises:
        SourceError, RecordError: on first use, if the data are missing or not as described.
    """

    needed: ClassVar[str] = "an image"
    unit, strata = "pair", ("category",)

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs that may be asked about."""
        return self.entry.open()

    def keep(self, item: Item) -> bool:  # noqa: ARG002
        """Whether this kind of task can ask about an item: whether it has what is `needed`."""
        return True

    @cached_property
    def rows(self) -> list[int]:
        """The rows that are asked about."""
        items, selected = self.pairs.items, self.entry.selected
        for key, names in selected.items():
            found = {_label(item, key) for item in items}
            if names - found:
                raise SourceError(
                    f"{self.pairs.name}: no row has the {key} {min(names - found)!r}, only "
                    f"{sorted(found)}"
                )
        rows = [
            row
            for row, item in enumerate(items)
            if all(_label(item, key) in selected[key] for key in selected)
        ]
        if not rows:
            raise SourceError(f"{self.pairs.name}: no row is all that the task's entry selects")
        self.left_out.extend(self.pairs.left_out)
        kept = []
        for row in rows:
            with self.left_out.unless_usable(items[row].where):
                if self.keep(items[row]):
                    self.pairs.require_images(row)
                    kept.append(row)
        self.left_out.warn()
        if not kept:
            lacking = f"{self.pairs.name}: no row of those selected has {self.needed}"
            raise SourceError(named(self.left_out) if self.left_out else lacking)
        return kept

    def describe_item(self, item: Item) -> dict[str, Any]:
        """What the log says of an item, whatever is asked."""
        return {
            "item": item.name,
            "pair": item.pair,
            "category": item.category,
            "domain": item.domain,
            "source": item.source,
        }

    def images(self, row: int) -> list[Image]:
        """The two images of a row, as they are."""
        return list(self.pairs.images(row))


def _label(item: Item, key: str) -> str:
    """What is compared with the names that an entry selects."""
    return str(getattr(item, key)).lower()
