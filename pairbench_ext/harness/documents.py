"""Present the trials of a task to lmms-eval as a data set.

A task's YAML names a one-row JSON table as its dataset: the entry of `sources.json` that says what
to evaluate. `process_docs` turns that row into `TrialDocs`. So a benchmark decides itself where its
rows come from (hub, local copy, generated), and the harness still sees an ordinary YAML task.

The harness loses every task of a run when one of them raises, or has no documents. So a task that
cannot be built has one document on every rank, which asks nothing (`hooks`), and a trial that
cannot be asked is recorded with the reason. `hooks` reports both, and counts neither.

The harness logs no images; of samples that it logged, the task knows them (`LoggedDocs`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from PIL.Image import Image

from pairbench_ext.core import probabilities
from pairbench_ext.core.benchmark import Benchmark, Exchange, TaskTrials
from pairbench_ext.core.contents import image_digest, short
from pairbench_ext.core.distributions import Distribution, find
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.sources import SourceError, why
from pairbench_ext.harness.rounds import without_thoughts
from pairbench_ext.harness.task_files import tasks_dir
from pairbench_ext.runs.samples import LEFT_OUT

Protocol = Literal["simple", "chat"]


class TrialDoc(dict[str, Any]):
    """A document for lmms-eval: the fields of one trial, and the task that the trial is from."""

    __slots__ = ("docs", "number")

    def __init__(self, scalars: Mapping[str, Any], docs: TrialDocs, number: int = 0) -> None:
        super().__init__(scalars)
        self.docs = docs
        self.number = number

    def __deepcopy__(self, memo: dict[int, Any]) -> TrialDoc:
        return TrialDoc(self, self.docs, self.number)


class TrialDocs(Sequence[TrialDoc]):
    """The documents of a task, one per trial, loaded when lmms-eval needs them.

    It offers the part of the `datasets.Dataset` interface that the harness uses. The trials are not
    touched before the first document is read: the harness retries everything that happens while it
    loads a dataset.
    """

    # No column is an image, so the harness has none to remove.
    column_names: tuple[str, ...] = ()
    features: Mapping[str, None] = {}

    def __init__(self, benchmark: Benchmark, trials: TaskTrials[Any]) -> None:
        self.benchmark = benchmark
        self._trials = trials
        # Which kind of backend asks: a simple one cannot show a text before an image.
        self.protocol: Protocol | None = None
        # By number: the digests of the images that were shown, and why others could not be asked.
        self.shown: dict[int, list[str]] = {}
        self.unasked: dict[int, str] = {}
        # Likewise: the distributions over answers that came with replies.
        self.distributions: dict[int, Distribution] = {}
        # Set by `flags`: how many documents the harness skips, and whether it may take a reply from
        # its cache without a look at what is shown.
        self.offset = 0
        self.cached = False

    @cached_property
    def trials(self) -> TaskTrials[Any]:
        """Return the task's trials, after checking that the reading rule in its settings exists.

        Raises:
            SourceError: on first use, if the task's entry names a rule that there is not.
        """
        rule = getattr(self._trials.entry, "rule", None)
        try:
            self.benchmark.read.rule_name(rule)
        except ValueError as error:
            raise SourceError(f"the task's settings: {error}") from error
        return self._trials

    @cached_property
    def failure(self) -> str:
        """Return the reason why no trial of the task can be asked; empty if any trial can."""
        try:
            asked = len(self.trials)
        except Exception as error:  # noqa: BLE001  (data and settings may be wrong in any way)
            return why(error)
        return "" if asked else "no row of the task's data can be turned into a question"

    def __len__(self) -> int:
        if self.failure:
            return self.offset + max(1, int(os.environ.get("WORLD_SIZE", "1")))
        return len(self.trials)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[int(index)]
        if self.failure:
            return TrialDoc({}, self, number)
        try:
            trial = self.trials[number]
        except Exception as error:  # noqa: BLE001  (see the module's text)
            self.unasked[number] = why(error, f"trial {number}")
            trial = {}
        if number == 0 and self.trials.left_out:
            trial = {**trial, LEFT_OUT: list(self.trials.left_out)}
        return TrialDoc(trial, self, number)

    @property
    def shows_in_threads(self) -> bool:
        """Return whether threads may load documents while the model answers earlier ones.

        Not where a trial may show no image: then the model is tried without an image first.
        """
        return not self.failure and not self.trials.text_only

    def pixels(self, number: int) -> int:
        """Return roughly how many pixels a document's images have; 0 if unknown."""
        try:
            return 0 if self.failure else self.trials.pixels(self[number])
        except Exception:  # noqa: BLE001  (it is said where the trial is asked)
            return 0

    def find_distribution(
        self, number: int, reply: str, path: probabilities.Path | str
    ) -> Distribution:
        """Find each possible answer's probability for a document, and keep it for the log.

        Args:
            number: of the document, which asks once.
            reply: to it.
            path: the tokens of all that was generated; or why there are none.
        """
        trial, benchmark = self[number], self.benchmark
        rule = benchmark.read.rule_name(trial.get("rule"))
        trial = {**trial, "protocol": self.protocol}
        exchange = Exchange(trial, without_thoughts(reply))
        try:
            distribution = find(benchmark, trial, exchange, rule, path)
        except Exception as error:  # noqa: BLE001  (the reply is there, and counts)
            distribution = Distribution(none=f"an error ({error!r:.80})")
        self.distributions[number] = distribution
        return distribution

    def note_distribution(self, number: int, logged: Mapping[str, Any]) -> None:
        """Keep, for the log, a document's answer probabilities that an earlier run found."""
        self.distributions[number] = Distribution(**logged)

    def note_shown(self, number: int, images: Sequence[Image]) -> None:
        """Keep, for the log, digests of the images that a trial showed."""
        noted = self.shown.setdefault(number, [])
        for image in images:
            digest = short(image_digest(image))
            if digest not in noted:
                noted.append(digest)


class LoggedDocs:
    """The documents behind logged samples; a sample's `doc_id` is its document's number.

    Args:
        name: of the task: one of the harness's, one of ours, or one in `include_path`.
        include_path: a folder of further task files.
    """

    def __init__(self, name: str, include_path: Path | None = None) -> None:
        self.name = name
        self._include_path = include_path

    @cached_property
    def task(self) -> Any:
        """Return the task, loaded with its data.

        Raises:
            SourceError: if there is no such task, or it or its data cannot be loaded.
        """
        from lmms_eval.tasks import TaskManager, get_task_dict

        # Only the one folder that has the task is indexed: all of the harness's take seconds.
        folders = [folder for folder in (self._include_path, tasks_dir()) if folder is not None]
        managers = (TaskManager(include_path=str(x), include_defaults=False) for x in folders)
        manager = next((manager for manager in managers if self.name in manager.all_tasks), None)
        try:
            manager = manager or TaskManager(include_path=str(folders[0]))
            task = get_task_dict([self.name], manager)[self.name]
            len(task.eval_docs)
        except Exception as error:  # whatever a task of anybody's does when it is loaded
            raise SourceError(
                f"task {self.name!r} cannot be loaded ({type(error).__name__}: {error}). Its "
                "data are needed, because logged samples hold no images"
            ) from error
        return task

    def images(self, record: Record) -> Sequence[Image]:
        """Return the images that the request of a logged sample showed.

        Raises:
            RecordError: if the task has no such document, another right answer to it, or no images.
        """
        number = record.get("doc_id", int)
        try:
            doc = self.task.eval_docs[number]
            target, shown = str(self.task.doc_to_target(doc)), self.task.doc_to_visual(doc)
        except SourceError:
            raise
        except Exception as error:  # whatever a task of anybody's does
            raise RecordError(
                f"{record.where}: {self.name} has no images for this sample "
                f"({type(error).__name__}: {error})"
            ) from error
        if target != str(record.fields.get("target")):
            raise RecordError(
                f"{record.where}: the right answer is {record.fields.get('target')!r:.60} in "
                f"the sample, but {target!r:.60} in the data of {self.name}: the data "
                "have changed since the run. Use the data of the run"
            )
        return [image for image in shown or () if isinstance(image, Image)]
