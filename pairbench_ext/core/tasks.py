"""Tasks and groups of the harness, as a benchmark declares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

#: How a task asks: as the paper prints it, or as the authors' public code sends it. Tasks of the
#: second kind are called `..._authors`.
Asking: TypeAlias = Literal["paper", "authors"]


class Decoding(NamedTuple):
    """How replies are generated.

    Attributes:
        name: of the settings; a benchmark has one base file of each.
        tokens: the longest reply.
        temperature: 0 decodes greedily.
        top_p: share of the distribution that is sampled from; None leaves it to the backend.
        repetition_penalty: likewise.
        why: a comment for the base file.
    """

    name: str
    tokens: int
    temperature: float = 0
    top_p: float | None = None
    why: str = ""
    repetition_penalty: float | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The harness's `generation_kwargs`; nothing but its length stops a reply."""
        settings: dict[str, Any] = {
            "do_sample": self.temperature > 0,
            "temperature": self.temperature,
        }
        if self.top_p is not None:
            settings["top_p"] = self.top_p
        if self.repetition_penalty is not None:
            settings["repetition_penalty"] = self.repetition_penalty
        # The harness's default of `until` stops at a blank line.
        return settings | {"max_new_tokens": self.tokens, "until": []}


class Task(NamedTuple):
    """A task of the harness.

    Attributes:
        name: as `--tasks` takes it.
        entry: what it asks, as the benchmark's `entry_type` has it.
        about: one line for `pairbench tasks`.
        decoding: the generation settings.
        rounds: how it asks: once, in conversations, or one request after the other.
        folder: below the benchmark's folder of task files, for benchmarks with many.
        version: as the harness prints it; another one's numbers cannot be compared.
    """

    name: str
    entry: Mapping[str, Any]
    about: str
    decoding: Decoding
    rounds: Literal["once", "conversation", "one_by_one"] = "once"
    folder: str = ""
    version: str = "1.0"


class Group(NamedTuple):
    """A group of tasks; its numbers, if it has any, are means (counts: sums) over the tasks.

    Attributes:
        name: as `--tasks` takes it.
        members: tasks or groups.
        about: one line for `pairbench tasks`.
        version: as that of a task.
        mean: whether it has numbers; not where its tasks are of several benchmarks, or ask for
            what has no common mean.
    """

    name: str
    members: tuple[str, ...]
    about: str
    version: str = "1.0"
    mean: bool = True
