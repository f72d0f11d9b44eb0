"""Plans, which say how each data row is asked about, and trials, which are those questions.

A *trial* is one prompt to the model. It is a handful of scalars: a source row and one level of each
factor (pair, condition, order, template, repeat, ...). A *plan* says which factors are crossed and
which are drawn by seed. `Plan.expand` turns rows into trials by mixed-radix arithmetic: nothing is
stored per trial, so 70,000 trials cost no more memory than one, and source images are never copied.
The trials of a task (`TaskTrials`) also know what each shows, and what the log says of it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from pairbench_ext.core.limit_items import KEY as LIMIT
from pairbench_ext.core.limit_items import Drawn, drawn, limit_of
from pairbench_ext.core.readers import Candidate
from pairbench_ext.core.records import RecordError, from_mapping
from pairbench_ext.core.requests import Exchange, Request, Rounds, Trial
from pairbench_ext.core.sources import LeftOut, SourceError
from pairbench_ext.statistics import seeds
from pairbench_ext.statistics.seeds import Key

ROW = "row"


@dataclass(frozen=True)
class Draw:
    """A factor of the plan whose value is drawn at random for each row, with a fixed seed.

    Attributes:
        levels: what is drawn from.
        by: the factors (or `"row"`) that share one draw. `by=("row", "pair")` draws once per pair
            and row: all conditions and both orders of that pair then have the same level.
    """

    levels: tuple[Any, ...]
    by: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """The factors by which a row's trials differ, such as the order. See `crossed` and `drawn`.

    Attributes:
        crossed: levels of each crossed factor. The last factor varies fastest, so trials that
            belong together (the two orders of a pair) are neighbours and survive `--limit`.
        drawn: factors drawn by seed.
        seed: seed of the draws.
        name: part of every draw's key, so that two data sets do not share their draws.

    Raises:
        ValueError: if a factor has no levels, is named twice, or a draw depends on an unknown one.
    """

    crossed: Mapping[str, tuple[Any, ...]]
    drawn: Mapping[str, Draw] = field(default_factory=dict)
    seed: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        drawn = {factor: draw.levels for factor, draw in self.drawn.items()}
        for factor, levels in (*self.crossed.items(), *drawn.items()):
            if not levels:
                raise ValueError(f"factor {factor!r} has no levels")
        names = [ROW, *self.crossed, *self.drawn]
        if len(names) > len({*names}):
            raise ValueError(f"factor {Counter(names).most_common(1)[0][0]!r} is named twice")
        for factor, draw in self.drawn.items():
            unknown = [key for key in draw.by if key != ROW and key not in self.crossed]
            if unknown:
                raise ValueError(
                    f"factor {factor!r} is drawn per {unknown[0]!r}, but {unknown[0]!r} is not "
                    "one of the crossed factors"
                )

    @property
    def trials_per_row(self) -> int:
        """Return how many trials the plan makes of each data row."""
        return math.prod(len(levels) for levels in self.crossed.values())

    def expand(self, rows: int | Sequence[int], row_keys: Sequence[Key] | None = None) -> Trials:
        """Return the trials that the plan makes of all data rows, row by row.

        Args:
            rows: the numbers of the source rows, or how many there are.
            row_keys: stable ids of the rows for random draws, so that a row keeps its draws when
                the data is reordered; the row's number by default.
        """
        return Trials(self, range(rows) if isinstance(rows, int) else rows, row_keys)


class Trials(Sequence[dict[str, Any]]):
    """The trials that a plan makes of data rows, computed when they are needed.

    >>> plan = Plan({"pair": ("a", "b"), "order": ("fwd", "rev")})
    >>> trials = plan.expand(2)
    >>> len(trials), trials[5]
    (8, {'row': 1, 'pair': 'a', 'order': 'rev'})
    """

    def __init__(self, plan: Plan, rows: Sequence[int], row_keys: Sequence[Key] | None) -> None:
        if row_keys is not None and len(row_keys) != len(rows):
            raise ValueError(f"there are {len(row_keys)} row keys, but {len(rows)} rows")
        self.plan, self.rows, self.row_keys = plan, rows, row_keys

    def __len__(self) -> int:
        return len(self.rows) * self.plan.trials_per_row

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        crossed, drawn = self.plan.crossed, self.plan.drawn
        position = range(len(self))[index]
        codes: dict[str, int] = {}
        for factor in reversed(list(crossed)):
            position, codes[factor] = divmod(position, len(crossed[factor]))
        codes[ROW] = position
        levels = {factor: levels[codes[factor]] for factor, levels in crossed.items()}
        draws = {f: draw.levels[self._drawn_code(f, draw, codes)] for f, draw in drawn.items()}
        return {ROW: self.rows[position], **levels, **draws}

    def _drawn_code(self, factor: str, draw: Draw, codes: Mapping[str, int]) -> int:
        keys = self.row_keys
        shared = [keys[codes[n]] if keys and n == ROW else codes[n] for n in draw.by]
        return seeds.draw(len(draw.levels), self.plan.seed, self.plan.name, factor, *shared)


Entry = TypeVar("Entry")


class TaskTrials(Sequence[dict[str, Any]], Generic[Entry]):
    """The trials (questions) of one task. Its data are read when they are needed.

    Subclasses say what an entry is (`entry_type`), what is asked (`requests`, `describe`), and what
    a trial shows (`ask`). Nothing is read before it is needed: the harness makes trials while it
    lists tasks.

    Args:
        entry: what to ask, an entry of the benchmark's `sources.json`.
    """

    entry_type: ClassVar[type[Any]]
    #: The field of a trial that names the item that it is about: what outcomes are clustered by.
    unit: ClassVar[str] = "row"
    #: The fields that a part of the items keeps the shares of (`limit_items`).
    strata: ClassVar[tuple[str, ...]] = ()

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self._entry = entry
        #: What of the source is left out, and why; complete once `requests` are known.
        self.left_out = LeftOut()

    @cached_property
    def entry(self) -> Entry:
        """Return the task's settings, from its task file.

        Raises:
            SourceError: naming the key that is unknown, missing or of no use.
        """
        settings = {key: value for key, value in self._entry.items() if key != LIMIT}
        try:
            entry: Entry = from_mapping(
                self.entry_type, settings, "the task's settings", strict=True
            )
        except RecordError as error:
            raise SourceError(str(error)) from error
        return entry

    @property
    def text_only(self) -> bool:
        """Return whether some requests show no image; then the model is tested on this first."""
        return False

    @property
    @abstractmethod
    def requests(self) -> Sequence[Mapping[str, Any]]:
        """Return, for each trial, its values of the plan's factors, such as row and order."""

    @abstractmethod
    def describe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields by which the log describes a trial."""

    @abstractmethod
    def ask(self, trial: Trial) -> Request | Rounds:
        """Return the request that shows a trial; a generator if the trial has several rounds."""

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return the answers that a reward model scores in a trial, in the order shown.

        Raises:
            ValueError: if the trial asks in rounds, or for one of several options.
        """
        asked = self.ask(trial)
        if not isinstance(asked, Request) or trial.get("options"):
            raise ValueError(
                "a reward model can score answers and images, but cannot choose an option"
            )
        return [Candidate(asked.images, asked.text)]

    def examine(self, trial: Trial, exchanges: Sequence[Exchange]) -> Mapping[str, Any]:  # noqa: ARG002
        """Return fields to log about the replies, such as another model's verdict on them.

        It becomes part of the logged trial before the replies are read. It never raises.
        """
        return {}

    def target(self, trial: Trial) -> str:  # noqa: ARG002
        """Return the right answer, for lmms-eval's log; empty if there is none."""
        return ""

    def pixels(self, trial: Trial) -> int:  # noqa: ARG002
        """Return roughly how many pixels a trial shows, read from image headers; 0 if unknown.

        None is decoded. Trials that show about as many are asked together (`resumable`).
        """
        return 0

    def example_reply(self, trial: Trial, request: Request) -> str:  # noqa: ARG002
        """Return a typical reply, used to count the requests of tasks with several rounds."""
        return ""

    def unit_of(self, request: Mapping[str, Any]) -> tuple[Key, Hashable]:
        """Return the item that a request is about, and the item's stratum for sampling."""
        fields = (self.unit, *self.strata)
        described = request if set(fields) <= request.keys() else self.describe(request)
        return described[self.unit], tuple(described[field] for field in self.strata)

    @cached_property
    def drawn(self) -> Sequence[Drawn] | None:
        """Return the requests about a sample of items; None if the task asks about all items.

        Raises:
            SourceError: if the entry or the environment names no number of items.
        """
        limit = limit_of(self._entry)
        return None if limit is None else drawn(map(self._unit_or_row, self.requests), limit)

    def _unit_or_row(self, request: Mapping[str, Any]) -> tuple[Key, Hashable]:
        try:
            return self.unit_of(request)
        except Exception:  # noqa: BLE001  (of broken data: the trial says so when it is asked)
            return f"row {request.get('row')}", "broken"

    def __len__(self) -> int:
        return len(self.requests if self.drawn is None else self.drawn)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if self.drawn is None:
            return self.describe(self.requests[index])
        number, sampled = self.drawn[index]
        return {**self.describe(self.requests[number]), LIMIT: sampled._asdict()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self.__getitem__, range(len(self)))
