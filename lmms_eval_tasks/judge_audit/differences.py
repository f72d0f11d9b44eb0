"""Questions about differences between two drawn images, in four degrees of difficulty."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from PIL.Image import Image

from lmms_eval_tasks.judge_audit.drawn import DrawnTrials, in_grey
from lmms_eval_tasks.subtlebench.choices import ChoiceEntry, ChoiceTrials
from lmms_eval_tasks.subtlebench.items import SYNTHETIC, Item
from lmms_eval_tasks.subtlebench.pairs import Pairs, ScenePairs
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.draws import some_of
from pairbench_ext.synthetic.objects.render import render
from pairbench_ext.synthetic.objects.scenes import ObjectScene, object_sets
from pairbench_ext.synthetic.wording import RELATIONS, SUBSETS

LEVELS = 4
# Set of `subtlebench_control` -> its axes here: one value of one, and of the other the levels, the
# easiest first.
SHAPES: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "control_color": {"size": (60,), "brightness": (0.25, 0.22, 0.18, 0.15)},
    "control_size": {"size": (60,), "ratio": (0.4, 0.3, 0.2, 0.15)},
    "control_spatial": {"size": (60,), "translation": (160, 80, 40, 20)},
    "control_existence": {"size": (40,), "objects": (2, 4, 8, 16)},
    "control_quantity": {"size": (40,), "objects": (5, 10, 15, 20)},
    "control_viewpoint": {"translation": (160, 80, 40, 20), "objects": (8,)},
}
_WIDTHS = (480, 320, 240, 160)  # of pictures of objects, in pixels, by level
_QUESTION = "Where was the {} in the first image, and where is it in the second?"


@dataclass(frozen=True)
class DifferenceEntry(ChoiceEntry):
    """The settings of a task: `n` pairs per type and difficulty, and whether images are grey."""

    grey: bool = False

    def open(self) -> Pairs:
        """Return the task's pairs of drawn images."""
        return DrawnPairs(self.n or LEVELS, self.seed)


class DrawnPairs(Pairs):
    """Pairs of drawn images; the type of their difference changes from one pair to the next."""

    name = "drawn pairs"

    def __init__(self, n: int, seed: int) -> None:
        super().__init__()
        self._shapes = {name: ScenePairs(name, n, seed, axes) for name, axes in SHAPES.items()}
        self._objects = list(object_pairs(n * LEVELS, seed))

    @cached_property
    def _rows(self) -> list[tuple[Item, str, int]]:
        """Return each item with its kind and its number within the kind."""
        rows = [
            (item._replace(cell=_cell(name, number)), name, number)
            for name, pairs in self._shapes.items()
            for number, item in enumerate(pairs.items)
        ]
        rows += [(pair.item, "objects", number) for number, pair in enumerate(self._objects)]
        return sorted(rows, key=lambda row: row[2])

    @cached_property
    def items(self) -> list[Item]:
        """Return the questions about the pairs, one question per row."""
        return [item for item, *_ in self._rows]

    def originals(self, row: int) -> tuple[Image, Image]:
        """Draw and return the two images of a row."""
        _, name, number = self._rows[row]
        if name in self._shapes:
            return self._shapes[name].originals(number)
        pair = self._objects[number]
        width = _WIDTHS[number % LEVELS]
        return render(pair.first, width), render(pair.second, width)


class ObjectPair(NamedTuple):
    """Two scenes of the same objects in different positions, with a question about the change."""

    item: Item
    first: ObjectScene
    second: ObjectScene


def object_pairs(n: int, seed: int) -> Iterator[ObjectPair]:
    """Yield pairs of scenes in which two objects change position, from each subset in turn.

    Options are two relations before, each with two relations after: neither the words nor one of
    the images tells which it was.
    """
    sets = {subset: list(object_sets(subset, (n + 1) // 2, seed)) for subset in SUBSETS}
    for number in range(n):
        subset = list(SUBSETS)[number % len(SUBSETS)]
        scenes = {scene.relation: scene for scene in sets[subset][number // len(SUBSETS)]}
        rng = generator(seed, "judge_audit", "objects", number)
        before, after, other_after, other_before = some_of(rng, list(scenes), len(scenes))
        mover, other = scenes[before].objects
        answer, *distractors = (
            f"First the {mover} is {RELATIONS[was].phrase} the {other}, "
            f"then it is {RELATIONS[now].phrase} the {other}."
            for was in (before, other_before)
            for now in (after, other_after)
        )
        item = Item(
            where=f"objects, pair {number}",
            name=f"spatial/objects/{number:03d}",
            images=(f"objects/{number:03d}_1.png", f"objects/{number:03d}_2.png"),
            question=_QUESTION.format(mover),
            answer=answer,
            distractors=tuple(distractors),
            category="spatial",
            domain=SYNTHETIC,
            source=SYNTHETIC,
            caption=None,
            cell=_cell("objects", number),
        )
        yield ObjectPair(item, scenes[before], scenes[after])


def _cell(name: str, number: int) -> Mapping[str, float | str]:
    return {"kind": name.removeprefix("control_"), "level": 1 + number % LEVELS}


class DifferenceTrials(DrawnTrials, ChoiceTrials):
    """Trials that ask what differs between two drawn images."""

    entry_type = DifferenceEntry

    @cached_property
    def _places(self) -> list[int]:
        """Return the position of each item's right option; all positions occur equally often.

        k is the number of options; so no letter is right more often than another by more than one
        item, whatever the limit.
        """
        places: list[int] = []
        seen: Counter[int] = Counter()
        for item in self.pairs.items:
            k = len(item.options)
            block, place = divmod(seen[k], k)
            rng = generator(self.entry.seed, "judge_audit", "letters", k, block)
            places.append(int(rng.permutation(k)[place]))
            seen[k] += 1
        return places

    def positions(self, row: int, order: str) -> list[int]:
        """Return the order of a row's options; the right one is equally often in each position."""
        wrong = [position for position in super().positions(row, "fwd") if position]
        placed = [*wrong[: self._places[row]], 0, *wrong[self._places[row] :]]
        return placed if order == "fwd" else placed[::-1]

    def shown(self, row: int) -> list[Any]:
        """Return the two images of a row, or grey images of the same sizes."""
        images = super().shown(row)
        return in_grey(images) if self.entry.grey else images
