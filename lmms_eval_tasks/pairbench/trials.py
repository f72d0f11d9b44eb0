"""The trials of one PairBench split: how similar are two images, or an image and a text?"""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from lmms_eval_tasks.pairbench import promptset
from lmms_eval_tasks.pairbench.entry import DEMO, SOURCE, PairEntry, locate
from lmms_eval_tasks.pairbench.pairs import Pair, column_name, find_pairs
from lmms_eval_tasks.pairbench.promptset import PromptSet, wherever
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS, TRANSFORMED, Condition
from lmms_eval_tasks.pairbench.splits import find_split
from pairbench_ext.core import sources
from pairbench_ext.core.benchmark import Pictures, Request, TaskTrials, Trial
from pairbench_ext.core.media import SourceImages
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.trials import Draw, Plan


class PairTrials(TaskTrials[PairEntry]):
    """The trials of one split: each asks for the similarity of a pair."""

    entry_type = PairEntry
    source = SOURCE

    @cached_property
    def data(self) -> str:
        """Return where the data set is: a folder or a repository of the hub."""
        return locate(self.entry.data)

    @cached_property
    def split(self) -> str:
        """Return the split's name in the data set."""
        if self.entry.split is not None:
            return self.entry.split
        names = sources.split_names(self.data, self.entry.config)
        return find_split(names, subset=self.entry.subset, features=self.entry.features)

    @cached_property
    def table(self) -> Any:
        """Return the split's rows, with columns named img1, img2, ..."""
        table = sources.open_split(self.data, self.entry.config, self.split)
        names = {name: column_name(name) for name in table.column_names}
        changed = {name: new for name, new in names.items() if name != new}
        ambiguous = len({*names.values()}) < len(names)
        return table if ambiguous else table.rename_columns(changed)

    @cached_property
    def prompts(self) -> PromptSet:
        """Return the data set's own prompts, or the paper's if it has none."""
        image_text = self.entry.image_text
        prompts = promptset.load(
            self.data,
            self.entry.config,
            image_text=image_text,
            warn=self.entry.data != DEMO,  # the demo is made for the built-in prompts
            left_out=self.left_out,
        )
        return promptset.with_conditions(prompts, self.entry.features, image_text=image_text)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Return the pairs of columns that each row compares, with the kind of each pair."""
        texts = sources.texts_of(self.table)
        entry, listed = self.entry, self.entry.pairs is not None
        pairs = find_pairs(
            [*sorted(self.images.columns), *texts],
            entry.pairs if listed else self.prompts.pairs,
            entry.kinds if listed else self.prompts.kinds,
            f"{self.data}, config {entry.config!r}",
            positions="spatial" in entry.features,
            left_out=self.left_out,
        )
        n_texts = {pair: (pair.first in texts) + (pair.second in texts) for pair in pairs}
        fitting = tuple(pair for pair in pairs if n_texts[pair] == entry.image_text)
        mixed = [
            f"{self.where}: pair ({pair.first}, {pair.second}) has {n_texts[pair]} texts, but the "
            f"task's settings say 'image_text': {str(entry.image_text).lower()}"
            for pair in pairs
            if pair not in fitting
        ]
        if not fitting:
            raise SourceError("; ".join(mixed))
        self.left_out.extend(mixed)
        return fitting

    @cached_property
    def images(self) -> SourceImages:
        """Return the images of the split's rows; an image is loaded when it is needed."""
        return SourceImages(self.table, self.where)

    @cached_property
    def texts(self) -> Any:
        """Return the split's rows without images, so that texts are read quickly."""
        return self.table.remove_columns(sorted(self.images.columns))

    @property
    def where(self) -> str:
        """Return the name of the data, config and split, for error messages."""
        return f"{self.data}, config {self.entry.config!r}, split {self.split!r}"

    @cached_property
    def requests(self) -> Sequence[dict[str, Any]]:
        """Return a trial, with a prompt template, for each row, pair, condition and order."""
        templates = tuple(range(len(self.prompts.templates)))
        pairs = tuple(range(len(self.pairs)))
        crossed: dict[str, tuple[Any, ...]] = {"pair": pairs, "condition": CONDITIONS}
        drawn = {}
        if self.entry.templates == "all":
            crossed["template"] = templates
        else:
            # Section D.1: a template at random per pair; both orders and conditions share it. The
            # authors' notebook draws anew for each condition.
            by = ("row", "pair", *(("condition",) if self.entry.asking == "authors" else ()))
            drawn = {"template": Draw(templates, by=by)}
        crossed["order"] = ORDERS if self.entry.orders == "both" else ORDERS[:1]
        name = f"pairbench/{self.entry.config}/{self.split}"
        trials = Plan(crossed, drawn, seed=self.entry.seed, name=name).expand(len(self.table))
        if self.prompts.asked_under is None:
            return trials
        asked = [self.conditions_of(pair) for pair in self.pairs]
        return [trial for trial in trials if trial["condition"] in asked[trial["pair"]]]

    def conditions_of(self, pair: Pair) -> tuple[Condition, ...]:
        """Return the conditions, "sens" or "inv", under which a pair is asked about."""
        listed = dict(zip(self.prompts.pairs or (), self.prompts.asked_under or (), strict=False))
        only = listed.get((pair.first, pair.second))
        return CONDITIONS if only is None else (only,)

    def _transformed(self, row: int, pair: Pair) -> dict[str, str]:
        """Return which picture of a balanced pair is transformed, for the log."""
        if self.prompts.asked_under is None:
            return {}
        shown = json.loads(self.text(row, "params"))
        first, second = (bool(shown[x]["transformed"]) for x in (pair.first, pair.second))
        return {"transformed": TRANSFORMED[first, second]}

    def describe(self, request: Trial) -> dict[str, Any]:
        """Return the logged fields of a trial: its pair, condition, order, truth and source."""
        pair = self.pairs[request["pair"]]
        first, second = pair.first, pair.second
        if request["order"] == "rev":
            first, second = second, first
        return {
            **request,
            "pair": pair.name,
            "kind": pair.kind,
            "truth": self.prompts.truth[pair.kind][request["condition"]],
            "first": first,
            "second": second,
            "features": list(self.entry.features),
            "config": self.entry.config,
            "split": self.split,
            "rule": self.entry.rule,
            "prompts": self.prompts.origin,
            "asking": self.entry.asking,
            "image_text": self.entry.image_text,
            **self._transformed(request["row"], pair),
        }

    def ask(self, trial: Trial) -> Request:
        """Return the prompt with the two images, or the image and text, in the trial's order.

        As the authors ask: the two data, then the prompt.
        """
        chosen = trial["template"], trial["features"], trial["condition"]
        data = [self._shown(trial["row"], trial[place]) for place in ("first", "second")]
        if self.entry.asking == "authors":
            return Request((*data, self.prompts.filled(*chosen)))
        before, after = self.prompts.render(*chosen)
        texts = (part for part in data if isinstance(part, str))
        simple = Request((wherever(before), *texts, wherever(after)))
        return Request((before, *data, after), for_simple=simple.text)

    def pixels(self, trial: Trial) -> int:
        """Return the number of pixels of a trial's images, read from the files' headers."""
        shown = {trial[place] for place in ("first", "second")} & self.images.columns
        return sum(self.images.pixels(trial["row"], column) for column in shown)

    def target(self, trial: Trial) -> str:
        """Return the pair's ground-truth similarity, from 1 to 10."""
        return str(trial["truth"])

    def _shown(self, row: int, column: str) -> str | Pictures:
        if column in self.images.columns:
            return lambda: [self.images.get(row, column)]
        return f'"{self.text(row, column)}"'

    def text(self, row: int, column: str) -> str:
        """Return the text in one column of a row.

        Raises:
            SourceError: if the cell is empty or no text.
        """
        text = self.texts[row][column]
        if not isinstance(text, str):
            raise SourceError(
                f"{self.where}, row {row}: {column!r} must be a text, not {text!r:.40}"
            )
        return text
