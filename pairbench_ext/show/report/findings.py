"""The sections of the report page that show findings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from markupsafe import Markup

from pairbench_ext.core.extras import MissingPackageError
from pairbench_ext.core.findings import Finding
from pairbench_ext.core.findings_html import body
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.card_finding import card_finding
from pairbench_ext.runs.comparisons import Comparisons
from pairbench_ext.runs.correct import Corrected, correct
from pairbench_ext.runs.distributions import Recalibration, recalibrations
from pairbench_ext.runs.labels_finding import correct_finding, trust_finding
from pairbench_ext.runs.panel import panel
from pairbench_ext.runs.panel_finding import panel_finding
from pairbench_ext.runs.people import beside_people
from pairbench_ext.runs.people_finding import people_finding
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.promised import Trust
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import SideBySide, side_by_side
from pairbench_ext.runs.trust import known_items, trust
from pairbench_ext.show.figures.panels import draw_reliability, draw_trust
from pairbench_ext.show.report.overview import drawn
from pairbench_ext.statistics.calibration import Bin

Made = TypeVar("Made")
_MOST_JUDGES = 12  # of which each is corrected, and all together are a panel


class Part(NamedTuple):
    """A section of the report page.

    Attributes:
        name: of its address.
        short: in the menu.
        title: above it.
        bodies: its markup, by judge; the first one is seen, the others by choice. Under "" if it is
            of all judges.
    """

    name: str
    short: str
    title: str
    bodies: Mapping[str, Markup]


class Labelled(NamedTuple):
    """What people's labels show about one judge; empty if there are no labels."""

    trusts: Sequence[Trust] = ()
    corrected: Sequence[Corrected] = ()
    recalibrations: Sequence[Recalibration] = ()


def parts_of(
    compared: Comparisons, people: PeopleLabels, agree: float = 0.8
) -> tuple[list[Part], list[Trust]]:
    """Return the page's sections, and which verdicts of each judge can be trusted.

    Args:
        compared: the judges, in order.
        people: labels, from files or of the data.
        agree: the share of labels that trusted verdicts must agree with.

    Raises:
        RecordError: if labels from files cannot be used.
    """
    judges, card = compared.judges, card_finding(compared.judges, compared)
    rows = [row.keys[0] for table in card.tables[:1] for row in table.rows]
    first = sorted(judges, key=lambda x: rows.index(x.name) if x.name in rows else len(rows))
    labelled = _labelled(first, people, agree)
    trusts = [trust for judged in labelled.values() for trust in judged.trusts]
    return list(_parts(judges, card, labelled, people)), trusts


def _parts(
    judges: Sequence[Judge], card: Finding, labelled: Mapping[str, Labelled], labels: PeopleLabels
) -> Iterator[Part]:
    question = "Which judge is the best?" if len(judges) > 1 else "Can this judge be trusted?"
    yield _part("card", "Judges", question, card)
    if labelled:
        first = next(iter(labelled))  # the figure is of this one alone: one takes half a second
        bodies = {
            judge: _trust_body(judge, judged, drawn=judge == first)
            for judge, judged in labelled.items()
        }
        yield Part("trust", "Trust", "Which verdicts need no check by a person?", bodies)
    figures = {
        judge: _figure(draw_reliability, _bins(judged.recalibrations))
        for judge, judged in labelled.items()
        if judged.recalibrations
    }
    if figures:
        yield Part(
            "reliability",
            "Reliability",
            "Are the judge's answer probabilities calibrated?",
            figures,
        )
    corrected = {
        judge: _body(correct_finding(judged.corrected))
        for judge, judged in labelled.items()
        if judged.corrected
    }
    if corrected:
        yield Part(
            "correct",
            "Corrected",
            "What would the result be if people labelled all items?",
            corrected,
        )
    people = _if_possible(lambda: people_finding(beside_people(side_by_side(judges), labels)))
    if people is not None:
        yield _part(
            "people",
            "People",
            "Do judges agree with people as well as people agree with each other?",
            people,
        )
    if 1 < len(judges) <= _MOST_JUDGES:
        together = _if_possible(lambda: panel_finding(panel(judges)))
        if together is not None:
            yield _part(
                "panel",
                "Together",
                "Are several judges together better than the best judge?",
                together,
            )


def _labelled(judges: Sequence[Judge], labels: PeopleLabels, agree: float) -> dict[str, Labelled]:
    """Return what labels say of each judge, the first one first; labels of the data may not fit.

    Raises:
        RecordError: if labels from files cannot be used.
    """
    labelled = {}
    for place, judge in enumerate(judges[:_MOST_JUDGES]):
        sides = _sides_of(judge, judges)
        promised = partial(trust, sides, labels, agree=agree)
        trusts = _if_possible(promised, () if place else labels.paths) or ()
        if any(part.levels or part.refused for part in trusts):
            runs = [side.judges[judge.name] for side in sides]
            corrected = _if_possible(partial(correct, runs, labels)) or ()
            labelled[judge.name] = Labelled(trusts, corrected, [*recalibrations(runs, labels)])
    return labelled


def _sides_of(judge: Judge, judges: Sequence[Judge]) -> list[SideBySide]:
    """Return the tasks of a judge, with the others that were asked the same behind it."""
    sides = side_by_side([judge, *(other for other in judges if other is not judge)])
    return [side for side in sides if next(iter(side.judges), "") == judge.name]


def _trust_body(judge: str, labelled: Labelled, *, drawn: bool) -> Markup:
    """Return what is promised of a judge, its figure, and the way to where people disagree."""
    finding = _body(trust_finding(labelled.trusts, labelled.recalibrations))
    figure = _figure(draw_trust, [part for part in labelled.trusts if part.levels and drawn])
    unlike: dict[str, set[str]] = {}
    for part in labelled.trusts:
        unlike.setdefault(part.task, set()).update(known_items([part], part.task)[judge].unlike)
    link = Markup(
        '<p class="pb-note"><a href="#samples/{}" data-state="unlike" data-judge="{}">'
        "{}: {} on which {} and people disagree</a></p>"
    )
    links = (
        link.format(task, judge, task, counted(len(names), "item"), judge)
        for task, names in unlike.items()
        if names
    )
    return Markup("").join([finding, *links, figure])


def _if_possible(make: Callable[[], Made], asked: Sequence[Any] = ()) -> Made | None:
    """What can be made; None where the data do not allow it, unless somebody asked for it."""
    try:
        return make()
    except RecordError:
        if asked:
            raise
        return None


def _part(name: str, short: str, title: str, finding: Finding) -> Part:
    return Part(name, short, title, {"": _body(finding)})


def _body(finding: Finding) -> Markup:
    return Markup(body(finding))  # noqa: S704  (escaped there)


def _figure(draw: Callable[[Any, Path], None], data: Any) -> Markup:
    """Return the figure in a frame; empty without one."""
    try:
        source = drawn(partial(draw, data)) if data else ""
    except MissingPackageError:
        source = ""
    frame = Markup(
        '<div class="scroll figure-frame" tabindex="0" role="region" aria-label="Figure">'
        '<img class="figure" src="{}" alt="Figure"></div>'
    )
    return frame.format(source) if source else Markup("")


def _bins(recalibrations: Sequence[Recalibration]) -> dict[str, list[Bin]]:
    """Reliability by people's labels, of each judge and task before and after recalibration."""
    return {
        f"{judged.task}, {judged.judge}{when}": likeliest.bins
        for judged in recalibrations
        for when, likeliest in ((", as it is", judged.before), (", recalibrated", judged.after))
    }
