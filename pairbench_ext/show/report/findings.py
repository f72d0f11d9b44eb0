"""The parts of the page that show findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from markupsafe import Markup

from pairbench_ext.core.extras import MissingPackageError
from pairbench_ext.core.findings import Finding
from pairbench_ext.core.findings_html import body
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.card_finding import card_finding
from pairbench_ext.runs.correct import Corrected, correct
from pairbench_ext.runs.distributions import Recalibration, recalibrations
from pairbench_ext.runs.label_draws import draws_of
from pairbench_ext.runs.labels_finding import correct_finding, trust_finding
from pairbench_ext.runs.panel import panel
from pairbench_ext.runs.panel_finding import panel_finding
from pairbench_ext.runs.people import beside_people
from pairbench_ext.runs.people_finding import people_finding
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.promised import Trust
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.runs.trust import trust
from pairbench_ext.show.figures.panels import draw_reliability, draw_trust
from pairbench_ext.show.report.overview import drawn
from pairbench_ext.statistics.calibration import Bin

Made = TypeVar("Made")
_MOST_IN_PANEL = 12  # judges: their pairs grow with the square


class Part(NamedTuple):
    """A part of the page.

    Attributes:
        name: of its address.
        short: in the menu.
        title: above it.
        body: its markup.
        figure: as a data address; empty without one.
    """

    name: str
    short: str
    title: str
    body: Markup
    figure: str = ""


class Labelled(NamedTuple):
    """The findings from people's labels: promises, corrections, recalibrations."""

    trusts: Sequence[Trust] = ()
    corrected: Sequence[Corrected] = ()
    recalibrations: Sequence[Recalibration] = ()


UNLABELLED = Labelled()


def parts_of(judges: Sequence[Judge], labelled: Labelled) -> Iterator[Part]:
    """Yield the parts of a page.

    Args:
        judges: in order.
        labelled: what labels say.
    """
    question = "Which judge is the best?" if len(judges) > 1 else "Can this judge be trusted?"
    yield _part("card", "Judges", question, card_finding(judges))
    if labelled.trusts:
        figure = _figure(draw_trust, [each for each in labelled.trusts if each.levels])
        finding = trust_finding(labelled.trusts, labelled.recalibrations)
        yield _part("trust", "Trust", "Which verdicts need no person?", finding, figure)
    if labelled.recalibrations:
        yield Part(
            "reliability",
            "Reliability",
            "Do the judge's probabilities hold?",
            Markup(""),
            _figure(draw_reliability, _bins(labelled.recalibrations)),
        )
    if labelled.corrected:
        question = "What would people say of all items?"
        yield _part("correct", "Corrected", question, correct_finding(labelled.corrected))
    people = _if_possible(lambda: people_finding(beside_people(judges)))
    if people is not None:
        yield _part("people", "People", "Do judges agree with people as people do?", people)
    if 1 < len(judges) <= _MOST_IN_PANEL:
        together = _if_possible(lambda: panel_finding(panel(judges)))
        if together is not None:
            yield _part("panel", "Together", "Are the judges better together?", together)


def labelled_by(judges: Sequence[Judge], files: Sequence[Path], agree: float) -> Labelled:
    """Return the findings from labels on the first judge of each task.

    Raises:
        RecordError: if a file cannot be used; labels of the data that cannot be are left out.
    """
    sides = side_by_side(judges)
    every = [judge for side in sides for judge in side.judges.values()]
    labels = PeopleLabels(files, every)
    trusts = _if_possible(lambda: trust(sides, labels, agree=agree, draws=draws_of(files)), files)
    if not any(each.levels or each.refused for each in trusts or ()):
        return UNLABELLED
    first = [next(iter(side.judges.values())) for side in sides if side.judges]
    corrected = _if_possible(lambda: correct(judges, files), ())
    return Labelled(trusts or (), corrected or (), list(recalibrations(first, labels)))


def _if_possible(make: Callable[[], Made], asked: Sequence[Any] = ()) -> Made | None:
    """What can be made; None where the data do not allow it, unless somebody asked for it."""
    try:
        return make()
    except RecordError:
        if asked:
            raise
        return None


def _part(name: str, short: str, title: str, finding: Finding, figure: str = "") -> Part:
    return Part(name, short, title, Markup(body(finding)), figure)  # noqa: S704  (escaped there)


def _figure(draw: Callable[[Any, Path], None], of: Any) -> str:
    """Return the figure as an address; empty without one."""
    try:
        return drawn(partial(draw, of)) if of else ""
    except MissingPackageError:
        return ""


def _bins(recalibrations: Sequence[Recalibration]) -> dict[str, list[Bin]]:
    """Reliability by people's labels, of each judge and task before and after recalibration."""
    return {
        f"{each.task}, {each.judge}{when}": known.bins
        for each in recalibrations
        for when, known in ((", as it is", each.before), (", recalibrated", each.after))
    }
