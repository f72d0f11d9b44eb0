"""Ask, with PairBench's prompts, how similar two drawn scenes are whose objects change position."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from annotated_types import Interval

from lmms_eval_tasks.judge_audit.drawn import DrawnTrials, in_grey
from lmms_eval_tasks.pairbench.demos import demo_scenes
from lmms_eval_tasks.pairbench.entry import PairEntry
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core.benchmark import Pictures


@dataclass(frozen=True)
class RatedEntry(PairEntry):
    """The settings of a task: the number of sets of four scenes, and whether images are grey."""

    sets: Annotated[int, Interval(ge=2, le=100)] = 5
    grey: bool = False


class RatedScenes(DrawnTrials, PairTrials):
    """Trials that ask how similar two drawn scenes are."""

    entry_type = RatedEntry

    @cached_property
    def data(self) -> str:
        """Return the drawn scenes in PairBench's layout; they are cached after the first call."""
        entry = self.entry
        return str(demo_scenes(entry.sets, entry.seed, transforms=()))

    def _shown(self, row: int, column: str) -> str | Pictures:
        shown = super()._shown(row, column)
        if isinstance(shown, str) or not self.entry.grey:
            return shown
        return lambda: in_grey(shown())
