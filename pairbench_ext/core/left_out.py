"""Rows that a task leaves out, with reasons: broken data cost a row, never the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from loguru import logger

from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError

_SHOWN = 3  # reasons that are named


def why(error: Exception, where: str = "") -> str:
    """An error in one line; errors of ours name file, row and field themselves."""
    known = isinstance(error, (RecordError, SourceError))
    text = " ".join(str(error).split()) if known else f"{type(error).__name__}: {error}"[:300]
    if isinstance(error, KeyError):
        text = f"{error} is missing"
    return text if known or not where else f"{where}: {text}"


def named(reasons: Iterable[str]) -> str:
    """The first reasons, and how many more there are.

    >>> named(["row 1: empty", "row 4: empty", "row 7: empty", "row 9: empty"])
    'row 1: empty; row 4: empty; row 7: empty; and 1 more'
    """
    listed = list(dict.fromkeys(reasons))
    more = f"; and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return "; ".join(listed[:_SHOWN]) + more


class LeftOut(list[str]):
    """Why rows, columns or whatever else of a task's data are left out, a text for each.

    They are in the log of the task's first trial, and counted in the results.
    """

    def warn(self) -> None:
        """Say how many there are, and the first."""
        if self:
            logger.warning(f"{counted(len(self), 'row')} skipped: {named(self)}")

    @contextmanager
    def unless_usable(self, where: str = "") -> Iterator[None]:
        """Take an error inside as the reason why what is being read is left out.

        Args:
            where: names it, for errors that do not.
        """
        try:
            yield
        except Exception as error:  # noqa: BLE001  (data may be wrong in any way)
            self.append(why(error, where))


class NothingLeftOut(LeftOut):
    """For readers that leave nothing out: what is wrong is raised."""

    def append(self, reason: str) -> None:
        """Raise SourceError."""
        raise SourceError(reason)

    def extend(self, reasons: Iterable[str]) -> None:
        """Raise SourceError, if there are any."""
        given = list(reasons)
        if given:
            raise SourceError(named(given))

    @contextmanager
    def unless_usable(self, where: str = "") -> Iterator[None]:  # noqa: ARG002
        """Let errors pass."""
        yield


EVERYTHING_USABLE = NothingLeftOut()  # it never holds anything
