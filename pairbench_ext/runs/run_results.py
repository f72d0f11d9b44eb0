"""What the harness writes beside samples, `<date>_results.json`: its one reader.

Everything in it may be missing or of another shape, as another version of the harness writes it, or
half there, as a run that was killed leaves it: then it says nothing of that.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.characters import printable
from pairbench_ext.core.file_errors import unreadable
from pairbench_ext.runs.sample_log import date_of

_SHORT = 40  # arguments that a judge is named by


class Counts(NamedTuple):
    """How many samples a task has.

    Attributes:
        of: in all.
        limited: how many of them a run was to take; None where that is not said.
    """

    of: int
    limited: int | None


@dataclass(frozen=True)
class RunResults:
    """The results of a run.

    Attributes:
        file: where they are, or would be.
        said: what is in them; empty where they are not there or cannot be read.
        unread: why they cannot be read; empty if they can, or are not there.
    """

    file: Path
    said: Mapping[str, Any] = field(default_factory=dict)
    unread: str = ""

    @property
    def judge(self) -> str:
        """The model and what was said of it; empty where that is not said."""
        config = self._at("config")
        named, kind, arguments = (
            value if isinstance(value, str) else ""
            for value in (
                self.said.get("model_name"),
                config.get("model"),
                config.get("model_args"),
            )
        )
        if kind and named:
            return named.rstrip("/").rpartition("/")[2]
        return f"{kind} ({arguments})" if kind and 0 < len(arguments) <= _SHORT else kind

    def counts(self, task: str) -> Counts | None:
        """How many samples a task has (`n-samples`); None where that is not said."""
        counts = self._at("n-samples", task)
        of, limited = counts.get("original"), counts.get("effective")
        if type(of) is not int or of < 1:
            return None
        return Counts(of, limited if type(limited) is int else None)

    def decoding(self, task: str) -> Mapping[str, Any]:
        """How replies were generated: the task's settings, with what `--gen_kwargs` changed.

        By name; none where that is not said.
        """
        return self._at("configs", task, "generation_kwargs")

    def _at(self, *keys: str) -> Mapping[str, Any]:
        found: Any = self.said
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}


def results_of(samples: Path) -> RunResults:
    """The results of the run that wrote a file of samples."""
    file = samples.with_name(f"{date_of(samples)}_results.json")
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return RunResults(file)
    except OSError as error:
        return RunResults(file, unread=unreadable(file, error))
    except (ValueError, RecursionError) as error:
        return RunResults(file, unread=f"{file}: not JSON ({error}); was the run killed?")
    if not isinstance(said, dict):
        return RunResults(file, unread=f"{file}: an object is expected, not {said!r:.40}")
    return RunResults(file, said)


def judge_of(samples: Path) -> str:
    """Whose answers a file of samples holds: the model of its results, else its folder's name.

    The name of a file of plain rows is the judge's. What steers a terminal, or may not stand in a
    picture, is spelt out.
    """
    if "samples_" not in samples.name:
        return printable(samples.stem)
    return printable(results_of(samples).judge or Path(os.path.realpath(samples)).parent.name)
