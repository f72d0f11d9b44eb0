"""Columns beside the main number in a ranking of judges: agreement, biases and problems."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pairbench_ext.core.findings import Measure, Problem, Quantity
from pairbench_ext.core.texts import capitalised
from pairbench_ext.runs.card.choices import kappas
from pairbench_ext.runs.card.lines import CardLine
from pairbench_ext.runs.card.model import ASPECTS, Aspect
from pairbench_ext.runs.judge_groups import JudgeGroup
from pairbench_ext.statistics.combination import clustered_interval

#: What each aspect of a card is called where judges stand beside each other.
COLUMNS: Mapping[Aspect, Measure] = {
    "sees": Measure(
        "beyond_guessing",
        "Beyond guessing",
        "How closely verdicts follow the right answers, beyond what position and length explain: "
        "0 is guessing, 1 is always right.",
        better="higher",
        reference=0.0,
        reference_says="guessing",
    ),
    "order": Measure(
        "position_bias",
        "Position bias",
        "How often the judge would choose the position that it favours, if each position were "
        "right equally often. For ratings: mean difference between the two orders.",
        reference_says="no bias",
    ),
    "length": Measure(
        "length_bias",
        "Length bias",
        "How often the judge would choose the longer answer, if the longer answer were right in "
        "half of the items.",
        reference_says="no bias",
    ),
    "yes": Measure(
        "yes_bias",
        "Yes bias",
        "Share of yes in the judge's answers minus share of yes in people's answers; 0: equally "
        "often.",
        reference_says="no bias",
    ),
    "instructions": Measure(
        "unreadable",
        "Unreadable replies",
        "Share of replies from which no verdict can be read.",
        "share",
        "lower",
        (0, 1),
    ),
    "scale": Measure(
        "scale_use",
        "Use of the scale",
        "How often the best and the worst pair get the same rating. For recorded ratings: share "
        "of ratings other than the commonest one.",
        reference_says="no bias",
    ),
    "condition": Measure(
        "follows_condition",
        "Follows the condition",
        "Change of the judge's ratings, as a share of the change that the prompt asks for.",
        better="higher",
        reference_says="fully",
    ),
    "itself": Measure(
        "same_answer",
        "Same answer again",
        "Share of questions that get the same answer when they are asked again.",
        better="higher",
    ),
    "people": Measure(
        "agrees_with_people",
        "Agrees with people",
        "Agreement with people's answers, beyond chance: 0 is guessing, 1 is full agreement.",
        better="higher",
        reference=0.0,
        reference_says="guessing",
    ),
}
KAPPA = Measure(
    "kappa",
    "Kappa",
    "Cohen's kappa between verdicts and the truth: 0 is chance, 1 is full agreement. An unreadable "
    "reply agrees with nothing.",
    better="higher",
    scale=(-1, 1),
    reference=0.0,
    reference_says="chance",
)
PEOPLES_KAPPA = replace(
    KAPPA,
    name="peoples_kappa",
    title="People's kappa",
    explain="One person's agreement with the majority of the other people: Cohen's kappa.",
)
#: Columns that the accuracy and kappa of choices tell already.
TOLD_BY_KAPPA = ("beyond_guessing", "agrees_with_people")
_TITLES = {
    "first_position": "Position bias",
    "last_position": "Position bias",
    "asymmetric": "Position bias",
    "longer": "Length bias",
    "shorter": "Length bias",
    "says_yes": "Yes bias",
    "says_no": "Yes bias",
    "unreadable": "Unreadable replies",
    "blind": "No better than guessing",
    "unlike_people": "Disagrees with people",
    "constant": "Tells nothing apart",
    "disobedient": "Ignores the condition",
}


def kappas_of(group: JudgeGroup, judge: str) -> dict[str, Quantity]:
    """Return Cohen's kappa of a judge and of one person, as table cells keyed by column."""
    rows = [
        x
        for outcomes in group.outcomes_of(judge)
        for x in outcomes.outcomes
        if x.kind == "chosen" and x.truth is not None
    ]
    if sum(x.usable for x in rows) < 2:
        why = "Not measured: the judge has no readable choice whose right answer is known."
        return {KAPPA.name: Quantity(why=why)}
    return {
        column.name: Quantity(of.statistic.estimate(), clustered_interval(of), len(rows), "reply")
        for column, of in zip((KAPPA, PEOPLES_KAPPA), kappas(rows), strict=True)
        if of is not None
    }


def columns_of(
    cards: Mapping[str, Sequence[CardLine]],
) -> Iterator[tuple[Measure, dict[str, Quantity]]]:
    """Yield a table column for each tested aspect, with one cell per judge.

    A cell has the line with a problem that is least likely by chance, or else that of most tasks.
    """
    for aspect in ASPECTS:
        lines = {judge: _line_of(aspect, card) for judge, card in cards.items()}
        measured = {judge: line for judge, line in lines.items() if line is not None}
        if measured:
            yield _column(aspect, measured)


def _line_of(aspect: Aspect, card: Iterable[CardLine]) -> CardLine | None:
    lines = [x for x in card if x.aspect == aspect and x.null and not math.isnan(x.value)]
    if not lines:
        return None
    return min(lines, key=lambda x: (not x.flag, x.p if x.flag else -len(x.tasks)))


def _column(aspect: Aspect, lines: Mapping[str, CardLine]) -> tuple[Measure, dict[str, Quantity]]:
    column = COLUMNS[aspect]
    if aspect == "instructions":  # the share that can be read, turned round
        lines = {
            judge: replace(x, value=1 - x.value, low=1 - x.high, high=1 - x.low)
            for judge, x in lines.items()
        }
    elif len(_fair(lines)) > 1:
        lines = {judge: _standardised(x) for judge, x in lines.items()}
    fair = _fair(lines)
    share = all(x.kind == "share" for x in lines.values()) and all(x > 0 for x in fair)
    column = replace(column, unit="share" if share else "number")
    if len(fair) == 1:
        column = replace(column, reference=fair.pop())
    return column, {judge: _cell(line) for judge, line in lines.items()}


def _fair(lines: Mapping[str, CardLine]) -> set[float]:
    """Return the values of a judge without a bias, to two decimals."""
    return {round(x.fair, 2) for x in lines.values() if not math.isnan(x.fair)}


def _standardised(line: CardLine) -> CardLine:
    """Return a bias as the distance from its fair value, 1 for a judge that always shows it."""
    if math.isnan(line.span):
        return line
    value, low, high = ((x - line.fair) / line.span for x in (line.value, line.low, line.high))
    return replace(line, value=value, low=low, high=high, fair=0.0, span=1.0)


def _cell(line: CardLine) -> Quantity:
    more = None if math.isnan(line.more) or not line.too_few else int(line.more)
    problem = "" if _includes_fair(line) else line.flag
    return Quantity(line.value, (line.low, line.high), line.n, problem=problem, items_needed=more)


def _includes_fair(line: CardLine) -> bool:
    """Return whether the interval includes the value of a judge without the bias.

    For a problem it does so only where yes bias is: its test compares errors, in the sentence.
    """
    return line.low <= line.fair <= line.high


def problems_of(card: Sequence[CardLine]) -> tuple[Problem, ...]:
    """Return a judge's problems, each with the most significant test that shows it."""
    first: dict[str, CardLine] = {}
    for line in sorted((x for x in card if x.flag), key=lambda x: (x.p, -len(x.tasks))):
        first.setdefault(line.flag, line)
    ordered = sorted(first.values(), key=lambda x: ASPECTS.index(x.aspect))
    tasks = {task for line in card for task in line.tasks}
    return tuple(_problem(line, several=len(tasks) > 1) for line in ordered)


def _problem(line: CardLine, *, several: bool) -> Problem:
    column = COLUMNS[line.aspect]
    title = _TITLES.get(line.flag, line.flag.replace("_", " ").capitalize())
    task = line.tasks[0] if several and len(line.tasks) == 1 else ""
    return Problem(line.flag, column.name, title, evidence(line, task), _sentence(line.todo))


def evidence(line: CardLine, task: str = "") -> str:
    """Return a sentence with a test's result and the value that was tested.

    The number is the share or mean that the column shows; of unreadable replies, their share.
    """
    value, ends = line.value, (line.low, line.high)
    if line.aspect == "instructions":
        value, ends = 1 - value, (1 - line.high, 1 - line.low)
    column = Measure("", "", unit="share" if line.kind == "share" else "number")
    number = []
    told = bool(line.flag) and _includes_fair(line)
    if not math.isnan(value) and not told:
        interval = "" if math.isnan(sum(ends)) else f", 95% CI {column.spell_interval(ends)}"
        number.append(f"{column.spell(value)}{interval}")
    if not math.isnan(line.fair) and not told:
        number.append(f"no bias: {column.spell(line.fair)}")
    text = _sentence(line.says).removesuffix(".") + (f" in {task}" if task else "")
    if text.split()[0].lower() in ("chooses", "gives", "rates", "says", "uses"):
        text = f"It {text[0].lower()}{text[1:]}"
    return f"{text} ({'; '.join(number)})." if number else f"{text}."


def _sentence(text: str) -> str:
    return f"{capitalised(text).removesuffix('.')}." if text else ""
