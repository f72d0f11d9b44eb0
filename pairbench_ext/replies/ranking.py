"""Read rankings of several answers from replies: "[[C]], [[A]], [[D]], [[B]]", the best first.

The value is the labels in their order, "CADB"; the reason of a usable reply is the whole reply.

Rule `careful`, the default: the ranking of every label, once each, that a careful person reads:

- in double brackets; with ">" between them; after "ranking:", "Judgement:" and the like; as a list
  numbered from 1 or counted down to it, or with a rank for each ("Rank 2: A", "A comes third",
  `{"rank": 2, "answer": "A"}`).
- from comparisons of two that leave one order ("C beats A, A beats B"), or scores of all;
- "B < A", or a list "from worst to best", is read the other way round.
- With "=" or "A > B, C" there is a tie and no ranking; labels that are merely enumerated ("answers
  A, B, C, D"), a format that is echoed, a question, a supposition are none.

Rule `strict`: the declared answer where it stands as asked.
Rule `authors`: every label in double brackets, in the order in which they occur.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.engine import Candidate, Strength, decide
from pairbench_ext.replies.plain import Plain, plain

_LISTED = 3  # which of the ways to say places is a list
NO_RANKING = "no ranking that names every answer once"
_PLACES = {
    **{word: n for n in range(1, 10) for word in phrases.of("ranking").all(f"place_{n}")},
    **dict.fromkeys(phrases.of("ranking").all("last_place"), -1),
}
_PHRASES = phrases.of("ranking", places="|".join(sorted(_PLACES, key=len, reverse=True)))


def asks(labels: str = "ABCD") -> AnswerFormat:
    """Declare that a prompt asks to rank answers with these labels, one character each."""
    return AnswerFormat("ranking", tuple((label, label) for label in labels))


def prose(response: str, asks: AnswerFormat) -> Parsed:
    """Return the ranking of answers that a reply states, in any wording.

    >>> prose("I rank them [[B]], [[A]], [[D]], [[C]].", asks()).value
    'BADC'
    >>> prose("Answers A, B, C, D are alike.", asks()).value
    """
    labels = "".join(text for text, _ in asks.texts)
    if labels.isdecimal():  # read as letters
        lettered = "".join(chr(ord("A") + n) for n in range(len(labels)))
        letters = dict(zip(labels, lettered, strict=True))

        def as_letter(named: re.Match[str]) -> str:
            digit = named["digit"] or str(_PLACES[named["ordinal"].lower()])
            return (named["noun"] or "") + letters.get(digit, "Z")

        text = plain(response).rewritten(_PHRASES["digit"], as_letter)
        parsed = _read(text, lettered, response)
        labels_of = dict(zip(lettered, labels, strict=True))
        named = "".join(labels_of[letter] for letter in str(parsed.value or ""))
        return parsed._replace(value=named) if named else Parsed(*parsed)
    return _read(plain(response), labels, response)


def _read(text: Plain, labels: str, response: str) -> Parsed:
    """Read the ranking of letters in a plain text."""
    text = (
        text.rewritten(_PHRASES["more"], lambda _: ">")
        .rewritten(_PHRASES["small"], lambda match: match[0].upper())
        .rewritten(_PHRASES["hyphens"], lambda match: match[0].replace("-", ">"))
    )
    candidates = [*_bracketed(text.text, labels)]
    if not _PHRASES["label"].search(text.text):
        candidates = [
            *_chained(text.text, labels),
            *_placed(text.text, labels),
            *_recorded(text.text, labels),
            *_compared(text.text, labels),
            *_scored(text.text, labels),
        ]
    if candidates and _PHRASES["shares"].search(text.text):
        return Parsed(None, "a tie in the ranking")
    return decide(text, candidates, response, NO_RANKING)


def authors(response: str, labels: str = "ABCD") -> Parsed:  # noqa: ARG001  (any will do)
    """Return all labels in double brackets in their order, as the benchmark authors' code does.

    >>> authors("[[A]] and [[A]]").value
    'AA'
    """
    named = "".join(_PHRASES["label"].findall(response))
    return Parsed(named, response) if named else Parsed(None, NO_RANKING)


RULES = {"authors": authors}


def _bracketed(text: str, labels: str) -> Iterator[Candidate]:
    """Rankings in double brackets: labels close to each other, or the only ones of the reply."""
    matches = list(_PHRASES["label"].finditer(text))
    runs: list[list[re.Match[str]]] = []
    for match in matches:
        between = text[runs[-1][-1].end() if runs else 0 : match.start()]
        is_whole = runs and len(runs[-1]) % len(labels) == 0
        if (
            not runs
            or not _PHRASES["gap"].fullmatch(between)
            or (is_whole and re.search(r"[.:;\n]", between))
        ):
            runs.append([])
        runs[-1].append(match)
    if len(matches) == len(labels):
        runs = [matches]
    for run in runs:
        if _PHRASES["subject"].match(text, run[-1].end()):
            continue
        named = "".join(match[1].upper() for match in run)
        signs = "".join(
            text[before.end() : after.start()] for before, after in itertools.pairwise(run)
        )
        place = (run[0].start(), run[-1].end())
        yield from _candidate(text, labels, named, signs, place, Strength.MARKED)


def _chained(text: str, labels: str) -> Iterator[Candidate]:
    """Yield rankings of labels that follow each other."""
    at = 0
    while first := _PHRASES["first"].search(text, at):
        named, end, signs = first["label"].upper(), first.end(), []
        while len(named) <= len(labels) and (match := _PHRASES["next"].match(text, end)):
            if len(named) == len(labels) and not re.search(r"[>,;=<]", match["sign"]):
                break
            named, end = named + match["label"].upper(), match.end()
            signs.append(match["sign"])
        at = max(end, first.end())
        start = first.start() if first[0][0].isdecimal() else first.start("label")
        strength = _announced(text, first.start(), end, signs)
        if strength and not any(re.search("and|und|et", sign) for sign in signs[:-1]):
            yield from _candidate(text, labels, named, " ".join(signs), (start, end), strength)


def _announced(text: str, start: int, end: int, signs: list[str]) -> Strength | None:
    """Return how firmly labels that follow each other are a ranking; None if they are not one."""
    lead = _PHRASES["lead"].search(text, max(0, start - 80), start)
    if _PHRASES["opened"].search(text, max(0, start - 20), start):
        return Strength.MARKED
    if _PHRASES["subject"].match(text, end):
        return None
    if lead or _PHRASES["worst_first"].search(text, max(0, start - 80), start):
        return Strength.FINAL if lead and lead["final"] else Strength.LABELLED
    ordered = _is_ordered(text, start, signs) or _is_all_out_of_order(text, start, end)
    return Strength.BARE if ordered else None


def _is_ordered(text: str, start: int, signs: list[str]) -> bool:
    """Return whether what stands between labels puts them in an order."""
    if any(all(re.search(sign, part) for part in signs) for sign in ("[>\u2192]", "<")):
        return True
    if text[start] == "1" and all(str(n) in sign for n, sign in enumerate(signs, 2)):
        return True
    hinted = _PHRASES["hint"].sub(r"\g<0> ", signs[0] if signs else "")
    best_first = _PHRASES["best_first"].search(text[max(0, start - 60) : start] + hinted)
    return bool(best_first and _PHRASES["then"].search("".join(signs)))


def _is_all_out_of_order(text: str, start: int, end: int) -> bool:
    """Return whether labels are all of a text, in another order than that of the alphabet."""
    alone = not text[:start].strip() and not text[end:].strip(" .\n\"')]")
    labels = re.findall(r"(?-i:[A-Z])(?![a-z])", text[start:end])
    return alone and labels != sorted(labels)


def _candidate(
    text: str, labels: str, named: str, signs: str, place: tuple[int, int], strength: Strength
) -> Iterator[Candidate]:
    """Yield a ranking, unless its signs say that some are tied."""
    more, less = _PHRASES["more_sign"].search(signs), _PHRASES["less_sign"].search(signs)
    tied = _PHRASES["tie_sign"].search(signs) or ((more or less) and re.search(r"[,;/&]", signs))
    if sorted(named) != sorted(labels) or tied or (more and less):
        return
    worst_first = _PHRASES["worst_first"].search(text, max(0, place[0] - 80), place[0])
    if worst_first and more:
        return
    yield Candidate(named[::-1] if worst_first or less else named, strength, *place)


def _placed(text: str, labels: str) -> Iterator[Candidate]:
    """Yield a ranking that says the place of each label, if it says one of each."""
    found = [list(pattern.finditer(text)) for pattern in _PHRASES.each("placed")]
    mixed = sorted(itertools.chain(*found[:_LISTED]), key=re.Match.start)
    for n, matches in enumerate([*found, mixed]):
        ranks = _ranks(matches, labels)
        named = "".join(label for _, label in sorted(ranks.items()))
        whole = sorted(ranks) == list(range(1, len(labels) + 1)) and sorted(named) == sorted(labels)
        if whole and _are_places(text, n, matches, named):
            yield Candidate(named, Strength.LABELLED, matches[0].start(), matches[-1].end())


def _are_places(text: str, n: int, matches: Sequence[re.Match[str]], named: str) -> bool:
    """Return whether what the `n`th way to say places found is no score and no mere list."""
    numbers = n not in (0, 2, _LISTED) and any(match["place"].isdecimal() for match in matches)
    if numbers and not _PHRASES["speaks_of_places"].search(text):
        return False
    start, first = matches[0].start(), matches[0]["label"].upper()
    turned = named[0] == first and _is_turned(text, start)
    listed = n == _LISTED and list(named) == sorted(named)
    return not turned and not (listed and not _PHRASES["lead"].search(text, 0, start))


def _ranks(matches: Iterable[re.Match[str]], labels: str) -> dict[int, str]:
    """Return each place with the label that has it; nothing where two have one."""
    # Letters may be the same to a pattern only: "f\u0131rst".
    places = (_PLACES.get(match["place"].lower(), 0) for match in matches)
    named = (match["label"].upper() for match in matches)
    placed = {
        (len(labels) if place < 0 else place, label)
        for place, label in zip(places, named, strict=True)
    }
    ranks = dict(placed)
    return ranks if len(ranks) == len(placed) else {}


def _is_turned(text: str, start: int) -> bool:
    """Return whether "from worst to best:" stands above: it numbers a list, unless it counts down."""
    return _PHRASES["worst_first"].search(text, max(0, start - 80), start) is not None


def _recorded(text: str, labels: str) -> Iterator[Candidate]:
    """Yield a list of objects, each with a rank and a label, if it has one for each."""
    records = list(_PHRASES["record"].finditer(text))
    read = (
        (_PHRASES["rank"].findall(record[0]), _PHRASES["name"].findall(record[0]))
        for record in records
    )
    ranked = sorted((int(rank[0]), name[0]) for rank, name in read if len(rank) == len(name) == 1)
    named = "".join(name for _, name in ranked)
    whole = [rank for rank, _ in ranked] == list(range(1, len(labels) + 1))
    if whole and sorted(named) == sorted(labels):
        yield Candidate(named, Strength.LABELLED, records[0].start(), records[-1].end())


def _compared(text: str, labels: str) -> Iterator[Candidate]:
    """The one ranking that comparisons of two allow: "C beats A, A beats D, and D beats B"."""
    text = _PHRASES["which"].sub(r"\g<one>. \g<one> ", text)
    context = Context(text)
    compared = sorted(_PHRASES.matches("better", text), key=re.Match.start)
    matches = [match for match in compared if context.stands(*match.span())]
    pairs = {(match["better"].upper(), match["worse"].upper()) for match in matches}
    if not pairs or {label for pair in pairs for label in pair} != set(labels):
        return
    order = _order(labels, pairs)
    if order:
        end = min(matches[-1].end(), len(text))
        yield Candidate("".join(order), Strength.CLAIMED, matches[0].start(), end)


def _order(labels: str, pairs: set[tuple[str, str]]) -> list[str]:
    """Return the one order that pairs of a better and a worse one allow; empty for none."""
    beats = {label: {worse for better, worse in pairs if better == label} for label in labels}
    for _ in labels:  # what is better than better is better
        beats = {
            label: set.union(worse, *(beats[other] for other in worse))
            for label, worse in beats.items()
        }
    # Each beats all that come after it, and none itself.
    order = sorted(labels, key=lambda label: -len(beats[label]))
    strict = all(beats[label] == {*order[place + 1 :]} for place, label in enumerate(order))
    return order if strict else []


def _scored(text: str, labels: str) -> Iterator[Candidate]:
    """Yield the ranking that scores make, if each answer has one of its own."""
    matches = list(_PHRASES["scored"].finditer(text))
    scores = {match["label"].upper(): float(match["score"]) for match in matches}
    if len(matches) == len(labels) == len(set(scores.values())) and set(scores) == set(labels):
        named = "".join(sorted(labels, key=lambda label: -scores[label]))
        yield Candidate(named, Strength.SCORED, matches[0].start(), matches[-1].end())
