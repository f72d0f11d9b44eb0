"""One leaf of PairBench: where its rows are, which pairs they give, and the trials to ask.

A leaf is described by one entry of `task_yamls/pairbench/sources.json`:

    config     config of the data set ("coco")
    features   transformations of the transformed image; they find the split and the conditions
    subset     WhatsUp subset "a" or "b" (optional)
    split      the split's name, if it should not be found by features and subset (optional)
    image_text whether pairs are an image and a text (optional, default no)
    data       hub repository, folder, or "demo" (optional; `PAIRBENCH_DATA` or the hub by default)
    seed       seed of the template draw (optional, default 0)
    parser     rule that reads ratings, "strict" or "notebook" (optional, default "strict")
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval_tasks.pairbench import promptset
from lmms_eval_tasks.pairbench.promptset import PromptSet
from lmms_eval_tasks.pairbench.splits import find_split
from pairbench_ext import parsing, sources
from pairbench_ext.media import SourceImages
from pairbench_ext.sources import SourceError
from pairbench_ext.trials import Draw, Plan, Trials

HUB = "feiziaarash/pairbench"
DATA_VARIABLE = "PAIRBENCH_DATA"
DEMO = "demo"

CONDITIONS = ("sens", "inv")
ORDERS = ("fwd", "rev")
# Section 2.1: ground truth by kind of pair and condition, after the human study of Appendix D.2.
TRUTH: Mapping[str, Mapping[str, int]] = {
    "identical": {"sens": 10, "inv": 10},
    "transformed": {"sens": 6, "inv": 10},
    "irrelevant": {"sens": 1, "inv": 1},
}
METRICS = (
    "mmscore", "mmscore_sens", "mmscore_inv", "ci95_low", "ci95_high", "smoothness",
    "controllability", "coverage", "pairs",
)  # fmt: skip
ORDER_METRICS = ("relaxsym", "relaxsym0", "pairs_both_orders")
PROMPT_METRICS = (*(f"mmscore_v{number}" for number in range(1, 6)), "prompt_std")
_KIND_OF_COLUMN = {"img2": "identical", "img3": "transformed", "img4": "irrelevant"}


class Pair(NamedTuple):
    """Two columns of a source row that are compared, and what kind of pair they are."""

    name: str
    first: str
    second: str
    kind: str


@dataclass(frozen=True)
class Leaf:
    """What a task's source entry says; see the module's text."""

    config: str
    features: tuple[str, ...]
    subset: str | None = None
    split: str | None = None
    image_text: bool = False
    data: str | None = None
    seed: int = 0
    parser: str = "strict"

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Leaf:
        """Build from a row of the source table; columns that are None take the default.

        Raises:
            SourceError: on an unknown key, a missing one, or an unknown parser.
        """
        known = {item.name for item in fields(cls)}
        given = {key: value for key, value in row.items() if value is not None}
        unknown = sorted(set(given) - known)
        missing = sorted({"config", "features"} - set(given))
        if unknown or missing:
            problem = f"unknown key {unknown[0]!r}" if unknown else f"no key {missing[0]!r}"
            raise SourceError(f"a PairBench source has {problem}; known are {sorted(known)}")
        leaf = cls(**{**given, "features": tuple(given["features"])})
        if leaf.parser not in parsing.grammars()["rating"]:
            raise SourceError(
                f"unknown parser {leaf.parser!r}; known are {sorted(parsing.grammars()['rating'])}"
            )
        return leaf

    def locate(self) -> str:
        """The data set: the entry's own, else `PAIRBENCH_DATA`, else the hub's repository."""
        if self.data == DEMO:
            from pairbench_ext.builders.pairs import demo_data

            return str(demo_data())
        if self.data is not None:
            return self.data
        if os.environ.get(DATA_VARIABLE):
            folder = Path(os.environ[DATA_VARIABLE]).expanduser().absolute()
            if not folder.is_dir():
                raise SourceError(f"{DATA_VARIABLE}={folder} is not a folder")
            return str(folder)
        return HUB


class PairTrials(Sequence[dict[str, Any]]):
    """The trials of a leaf as plain dictionaries of scalars, read lazily from its source.

    Args:
        leaf: which data.
        orders: ("fwd", "rev") or ("fwd",).
        all_templates: cross all templates instead of drawing one per pair.

    Raises:
        SourceError: on first use, if the data are missing or not in PairBench's form.
    """

    COLUMNS = (
        "row", "pair", "condition", "order", "template", "kind", "truth", "first", "second",
        "features", "config", "split", "parser", "prompts", "image_text",
    )  # fmt: skip

    def __init__(
        self, leaf: Leaf, *, orders: tuple[str, ...] = ORDERS, all_templates: bool = False
    ) -> None:
        self.leaf = leaf
        self._orders = orders
        self._all_templates = all_templates

    @property
    def metrics(self) -> tuple[str, ...]:
        """The numbers that this variant measures."""
        order = ORDER_METRICS if len(self._orders) > 1 else ()
        prompt = PROMPT_METRICS if self._all_templates else ()
        return METRICS + order + prompt

    @cached_property
    def data(self) -> str:
        """Where the source table is."""
        return self.leaf.locate()

    @cached_property
    def split(self) -> str:
        """The split's name in the data set."""
        names = sources.split_names(self.data, self.leaf.config)
        if self.leaf.split is not None:
            return self.leaf.split
        return find_split(names, subset=self.leaf.subset, features=self.leaf.features)

    @cached_property
    def table(self) -> Any:
        """The source table, a `datasets.Dataset`."""
        return sources.open_split(self.data, self.leaf.config, self.split)

    @cached_property
    def prompts(self) -> PromptSet:
        """The prompts that the data set brings, else the paper's."""
        return promptset.load(self.data, self.leaf.config, image_text=self.leaf.image_text)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of a row, each with its kind."""
        import datasets

        usable = [
            name
            for name, feature in self.table.features.items()
            if isinstance(feature, datasets.Image)
            or (isinstance(feature, datasets.Value) and feature.dtype == "string")
        ]
        return find_pairs(usable, self.prompts, self.where)

    @cached_property
    def images(self) -> SourceImages:
        """The source's images, decoded on demand."""
        return SourceImages(self.table, self.where)

    @cached_property
    def texts(self) -> Any:
        """The source table without its images: reading a row decodes nothing."""
        return self.table.remove_columns(sorted(self.images.columns))

    @property
    def where(self) -> str:
        """How errors call the source table."""
        return f"{self.data}, config {self.leaf.config!r}, split {self.split!r}"

    @cached_property
    def trials(self) -> Trials:
        """The plan over the rows: conditions x orders x pairs, templates crossed or drawn."""
        templates = tuple(range(len(self.prompts.templates)))
        pairs = tuple(range(len(self.pairs)))
        crossed: dict[str, tuple[Any, ...]] = {"pair": pairs, "condition": CONDITIONS}
        if self._all_templates:
            crossed["template"] = templates
        crossed["order"] = self._orders
        # Section D.1: a template at random per pair; both orders and conditions share it.
        drawn = {} if self._all_templates else {"template": Draw(templates, by=("row", "pair"))}
        name = f"pairbench/{self.leaf.config}/{self.split}"
        return Plan(crossed, drawn, seed=self.leaf.seed, name=name).expand(len(self.table))

    def __len__(self) -> int:
        return len(self.trials)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._describe(self.trials[index])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self._describe(trial) for trial in self.trials)

    def _describe(self, trial: dict[str, Any]) -> dict[str, Any]:
        pair = self.pairs[trial["pair"]]
        first, second = (pair.first, pair.second)
        if trial["order"] == "rev":
            first, second = second, first
        return {
            **trial,
            "pair": pair.name,
            "kind": pair.kind,
            "truth": TRUTH[pair.kind][trial["condition"]],
            "first": first,
            "second": second,
            "features": list(self.leaf.features),
            "config": self.leaf.config,
            "split": self.split,
            "parser": self.leaf.parser,
            "prompts": self.prompts.origin,
            "image_text": self.leaf.image_text,
        }

    def datum(self, row: int, column: str) -> Any:
        """One datum of a pair: a PIL image, or a text.

        Raises:
            SourceError: if the cell is empty or unreadable.
        """
        if column in self.images.columns:
            return self.images.get(row, column)
        text = self.texts[row][column]
        if not isinstance(text, str):
            raise SourceError(f"{self.where}, row {row}: {column!r} is not a text but {text!r:.40}")
        return text


def find_pairs(columns: Sequence[str], prompts: PromptSet, where: str) -> tuple[Pair, ...]:
    """The pairs of a source: as its logistics list them, else img1 with img2, img3 and img4.

    Raises:
        SourceError: if a column is missing or a pair's kind is unknown.
    """
    listed = prompts.pairs or tuple(("img1", column) for column in _KIND_OF_COLUMN)
    missing = [column for pair in listed for column in pair if column not in columns]
    if missing:
        raise SourceError(f"{where}: no image or text column {missing[0]!r}, only {list(columns)}")
    kinds = prompts.kinds or tuple(_KIND_OF_COLUMN.get(second, "") for _, second in listed)
    for (first, second), kind in zip(listed, kinds, strict=True):
        if kind not in TRUTH:
            raise SourceError(
                f"{where}: what kind of pair is ({first}, {second})? "
                f"Say so in the logistics' 'pair-kinds': {sorted(TRUTH)}, one per data pair"
            )
    # Two pairs may be of one kind (WhatsUp moves an object in two ways): number the repeats.
    names = [kind if kinds[:i].count(kind) == 0 else f"{kind}{kinds[: i + 1].count(kind)}"
             for i, kind in enumerate(kinds)]  # fmt: skip
    return tuple(
        Pair(name, first, second, kind)
        for name, (first, second), kind in zip(names, listed, kinds, strict=True)
    )
