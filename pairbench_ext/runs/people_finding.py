"""Compare judges with people: agreement, and which judge may replace a person."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pairbench_ext.core.findings import Finding, FindingRow, FindingTable, Measure, Quantity
from pairbench_ext.core.texts import counted, decimal, plural
from pairbench_ext.runs.people import Beside, Besides
from pairbench_ext.runs.side_by_side import describe_incomplete
from pairbench_ext.statistics.alternative_annotator import PASSES

_SCALE = (-1.0, 1.0)
COLUMNS = (
    Measure("items", "Items", "Items that the judge and at least one person rated.", "count"),
    Measure(
        "kappa",
        "Kappa",
        "Cohen's kappa of the judge with a person, averaged over people: 0 is chance, 1 is full "
        "agreement.",
        better="higher",
        scale=_SCALE,
        reference=0.0,
        reference_says="chance",
        main=True,
    ),
    Measure(
        "people_kappa",
        "People's kappa",
        "Mean agreement between two people. A judge as good as a person reaches this value.",
        scale=_SCALE,
    ),
    Measure(
        "with_mean",
        "Correlation with mean",
        "Spearman's correlation of the judge with the mean of all people.",
        better="higher",
        scale=_SCALE,
    ),
    Measure(
        "with_others",
        "Correlation",
        "Leave out one person at a time: Spearman's correlation of the judge with the mean of the "
        "others, averaged.",
        better="higher",
        scale=_SCALE,
    ),
    Measure(
        "ceiling",
        "People's correlation",
        "Leave out one person at a time: Spearman's correlation of that person with the mean of "
        "the others, averaged. A judge as good as a person reaches this value.",
        scale=_SCALE,
    ),
    Measure(
        "advantage",
        "Wins",
        "Share of items on which the judge is at least as close to the other people as the "
        "left-out person is.",
        "share",
        "higher",
        (0, 1),
    ),
    Measure(
        "winning_rate",
        "Winning rate",
        "Share of people whom the judge may replace (alternative annotator test).",
        "share",
        "higher",
        (0, 1),
    ),
    Measure(
        "constant",
        "Constant answer",
        "Winning rate of a judge that always gives one answer: the one that wins most.",
        "share",
        scale=(0, 1),
    ),
    Measure(
        "stands_in",
        "May replace",
        "Whether the winning rate is at least one half: then the judge may replace a person.",
        "text",
    ),
)
_BY_PERSON = (
    COLUMNS[1],
    replace(COLUMNS[6], explain=(
        "Share of items on which the judge is at least as close to the other people as this "
        "person is."
    )),
    Measure("n", "Items", "Items in the test: this person and other people rated them.", "count"),
    Measure("p", "p", "p-value, adjusted for all people (Benjamini and Yekutieli).", "p"),
    Measure("stands_in", "May replace", "Whether the judge may replace this person.", "text"),
)  # fmt: skip


def people_finding(compared: Besides) -> Finding:
    """Return a finding that compares judges with people: a table for each part of a task."""
    parts: dict[tuple[str, str], list[Beside]] = {}
    for beside in compared.every:
        parts.setdefault((beside.task, beside.part), []).append(beside)
    return Finding(
        "people",
        tuple(_says(besides) for besides in parts.values()),
        (
            *(_table(besides) for besides in parts.values()),
            *(_by_person(besides) for besides in parts.values() if _several(besides)),
        ),
        notes=(
            *describe_incomplete(compared.sides),
            *(f"{where}: {why}" for where, why in compared.not_possible.items()),
        ),
        fields=compared.to_dict(),
    )


def _name(beside: Beside) -> str:
    return ", ".join(filter(None, (beside.task, beside.part)))


def _says(besides: Sequence[Beside]) -> str:
    """Say which judges agree with people as well as people do, and which may replace a person."""
    who = counted(max(len(beside.people) for beside in besides), "person")
    where = f"{_name(besides[0])}: compared with {who}"
    if not any(beside.numbers.alt_test.passes is not None for beside in besides):
        return f"{where}. No judge can be tested: see the notes."
    passed = [b.judge for b in besides if b.numbers.alt_test.passes]
    if not passed:
        return f"{where}. No judge may replace one of these people."
    verb = "may replace one of them"
    return f"{where}. {', '.join(passed)} {verb}."


def _table(besides: Sequence[Beside]) -> FindingTable:
    first = besides[0]
    notes = (line for beside in besides for line in (*_test_notes(beside), *_notes(beside)))
    return FindingTable(
        _name(first),
        _name(first),
        ("Judge",),
        COLUMNS,
        tuple(map(_row, besides)),
        notes=tuple(dict.fromkeys(notes)),
    )


def _several(besides: Sequence[Beside]) -> bool:
    return any(len(beside.people) > 1 for beside in besides)


def _by_person(besides: Sequence[Beside]) -> FindingTable:
    """Return how far each judge agrees with each person."""
    rows = []
    for beside in besides:
        numbers = beside.numbers
        people = zip(beside.people, numbers.kappas, numbers.alt_test.by_annotator, strict=True)
        for name, kappa, person in people:
            cells = {"kappa": Quantity(kappa.value, n=kappa.n), "n": Quantity(person.n)}
            if not person.reason:
                cells |= {
                    "advantage": Quantity(person.advantage),
                    "p": Quantity(person.adjusted),
                    "stands_in": Quantity("yes" if person.wins else "no"),
                }
            rows.append(FindingRow((beside.judge, name), cells))
    name = _name(besides[0])
    title = f"{name}: agreement with each person"
    keys = ("Judge", "Person")
    return FindingTable(f"{name}_by_person", title, keys, _BY_PERSON, tuple(rows), detail=True)


def _row(beside: Beside) -> FindingRow:
    numbers, test = beside.numbers, beside.numbers.alt_test
    values = {"kappa": numbers.kappa, "people_kappa": numbers.people_kappa}
    if numbers.correlations is not None:
        # With one person there are no others; with several, all of them are less comparable.
        names = ("with_mean",) if len(beside.people) == 1 else ("with_others", "ceiling")
        values |= {name: getattr(numbers.correlations, name) for name in names}
    cells = {
        name: Quantity(value, numbers.intervals.get(name), numbers.items)
        for name, value in values.items()
    }
    cells |= {
        "items": Quantity(numbers.items),
        "advantage": Quantity(test.advantage),
        "winning_rate": Quantity(test.winning_rate),
        "constant": Quantity(numbers.constant),
        "stands_in": Quantity({None: None, True: "yes", False: "no"}[test.passes]),
    }
    return FindingRow((beside.judge,), cells)


def _test_notes(beside: Beside) -> Iterator[str]:
    test = beside.numbers.alt_test
    reasons = {
        name: annotator.reason
        for name, annotator in zip(beside.people, test.by_annotator, strict=True)
        if annotator.reason
    }
    tested = len(beside.people) - len(reasons)
    if tested:
        yield (
            "A judge may replace a person if it wins against at least half of "
            f"{counted(tested, 'person')} (alternative annotator test, epsilon {test.epsilon:g}; "
            "false discovery rate 5%, Benjamini and Yekutieli)."
        )
    if test.passes and beside.numbers.constant >= PASSES:
        yield (
            f"{beside.judge}: a judge that always gives the same answer passes too, so with these "
            "people the test does not show that the judge looks at the items."
        )
    if len(beside.people) == 1:
        yield (
            "Only one person rated the items, or people gave one joint judgment: the agreement "
            "between people is undefined."
        )
        return
    if tested < 3:
        yield "Fewer than three people are tested. The test assumes three or more."
    for reason in dict.fromkeys(reasons.values()):
        names = ", ".join(name for name in reasons if reasons[name] == reason)
        yield f"{beside.judge}: not tested: {names} ({reason})."


def _notes(beside: Beside) -> Iterator[str]:
    numbers, correlations = beside.numbers, beside.numbers.correlations
    if correlations is not None and correlations.undefined:
        yield (
            f"{beside.judge}: {correlations.undefined} of {correlations.single} correlations are "
            "undefined, because the judge or the people give all items "
            "the same rating. The means leave out these correlations."
        )
    for count, why in (
        (numbers.silent - beside.undecided, "no readable answer"),
        (beside.undecided, "the judge contradicts itself, in two orders or in repeats"),
        (numbers.unrated, "rated by no person"),
    ):
        if count:
            verb = plural("is", count)
            yield f"{beside.judge}: {counted(count, 'item')} {verb} left out ({why})."
    people = [rates for name, rates in beside.base_rates.items() if name != "judge" and rates]
    if people:
        judge = beside.base_rates["judge"]
        means = {key: sum(rates[key] for rates in people) / len(people) for key in judge}
        shown = ", ".join(
            f"{key} {decimal(value, 2)} ({decimal(means[key], 2)})" for key, value in judge.items()
        )
        yield f"{beside.judge}: share of each answer, with people's mean in brackets: {shown}."
