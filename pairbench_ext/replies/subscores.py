r"""Read sub-scores from 0 to 10 with a rationale: {"score": [8, 7], "reasoning": "..."}.

Paper: VIEScore, "Towards Explainable Metrics for Conditional Image Synthesis Evaluation", Section 4
(sub-scores on a scale of 0 to 10) and Appendix A (the JSON that is asked for).

Rule `careful`, the default: the numbers under `score`, as many as were asked for, each in [0, 10],
or up to another end of the scale that was asked for (`highest`).

- Any wrapping of the JSON is tolerated: prose, code fences, the authors' `||V^=^V||`, single or
  curly quotes, missing or trailing commas, no braces at all (`Score: [8, 7]`); and `8/10`, `8 out
  of 10`, `"8"`, `{"score1": 8, "score2": 7}`.
- Without any `score`, a list counts that the reply begins or ends with, or a number that is all of
  the reply.
- `json-repair` mends the object; its numbers count only if the reply has them written so, and
  closed: of `[8, 1` the last may have been a 10, `10%` and `8-9` are none.
- Of several scores the last one holds; those in an object come before those in prose. A format that
  is echoed (`[...]`, `[score1, score2]`) says nothing.
- A reply that declines to judge is unusable and says so (`refusals`), also if it fills in a
  score (the paper drops those too, Section 7).
- Thoughts between `<think>` and `</think>` are not read.

Rule `strict`: the asked format, an object in JSON (in a code fence, or between other text) with a
list of as many numbers from 0 to 10 as were asked for under "score".

Rule `authors`: the authors' code, for comparison; see `subscores_authors`.
"""

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.json_objects import Object, as_text, object_around
from pairbench_ext.replies.meanings import bare
from pairbench_ext.replies.numbers import WORDS
from pairbench_ext.replies.patterns import Phrase
from pairbench_ext.replies.plain import SIGNS, plain, records, shortened
from pairbench_ext.replies.refusals import refusal
from pairbench_ext.replies.scores import read as read_score
from pairbench_ext.replies.subscores_authors import authors
from pairbench_ext.replies.thoughts import strip_thinking

_PHRASES = phrases.of("subscores", numeral="|".join(WORDS))

LOWEST, HIGHEST = 0, 10
NO_SCORE = 'no field "score" with numbers'
UNCLEAR = "scores that can be read in more than one way"

Scores = tuple[float, ...]
Named = Sequence[tuple[str, float]]

_HUGE = 1e300  # too large for a float, or nearly
_LAST = 5  # written scores around which an object is looked for, from the last
_GAP, _AROUND = 40, 500
_SHORTEST = 3  # letters of a key's beginning
_TAIL = 20_000  # characters in which scores with names are looked for


def asks(n: int | None = None, highest: int = HIGHEST) -> AnswerFormat:
    """Declare how many sub-scores a prompt asks for, and the top of their scale.

    Args:
        n: how many were asked for; None for any number.
        highest: the end of the scale that was asked for.
    """
    authors = (("n", n), ("highest", highest))
    scale = (LOWEST, highest)
    return AnswerFormat("subscores", scores=n or 0, scale=scale, keys=("score",), authors=authors)


def prose(response: str, asks: AnswerFormat) -> Parsed:
    r"""Return the sub-scores that a reply states, in any wording.

    Returns:
        The sub-scores as a tuple (ints where written without a point) with the rationale, empty if
        there is none; else None with what is wrong.

    >>> prose("```json\n{'score': [8, 7], 'reasoning': 'well lit',}\n```", asks(n=2))
    Parsed(value=(8, 7), reason='well lit')
    >>> prose('{"score": [8, 11]}', asks(n=2))
    Parsed(value=None, reason='not from 0 to 10: 11')
    """
    n, scale = asks.scores or None, asks.scale or (LOWEST, HIGHEST)
    whole = _unescaped(strip_thinking(response).strip())
    whole = _unquoted(whole)
    text = _simple(whole, int(scale[1]))
    as_asked = _as_asked(whole, text, asks.keys, n)
    found = (
        as_asked
        or _by_name(_on_lines(text, "named"), asks.keys, n)
        or _by_name(_on_lines(text, "tagged"), asks.keys, n)
        or _in_prose(response, asks.keys, n, scale)
    )
    scores, reason = found or (None, NO_SCORE)
    if scores is None:
        return refusal(shortened(text)) or Parsed(None, reason)
    declined, problem = refusal(shortened(reason), judged=any(scores)), _problem(scores, n, scale)
    read = declined or (Parsed(None, problem) if problem else Parsed(scores, reason))
    return read.by("asked") if as_asked and not declined else read


def _as_asked(
    whole: str, text: str, keys: Sequence[str], n: int | None
) -> tuple[Scores | None, str] | None:
    """Return the scores of an object, under the declared keys or another label, or alone."""
    by_key = _by_key(_on_lines(text, "named"), keys, n)
    return _valid(whole) or by_key or _labelled(text, n) or _bare(text, n)


def _unquoted(text: str) -> str:
    """Return the content of JSON that was written as a string."""
    quoted = _loaded(text)
    return quoted.strip() if isinstance(quoted, str) else text


def _simple(text: str, highest: int) -> str:
    """Return a text with one kind of each sign, and numbers as digits without their scale."""
    text = _PHRASES["hidden"].sub("", shortened(text).translate(SIGNS))
    text = _PHRASES["spelled"].sub(lambda word: str(WORDS.get(word[0].lower(), word[0])), text)
    text = phrases.of("numbers")["sum"].sub("", text)
    text = _PHRASES["bound"].sub("\u2264", text)
    text = text.replace("\u060c", ",").replace("\u00bd", ".5")
    text = records(_PHRASES["boxed"].sub(r"\g<inside>", text))
    if highest == HIGHEST:
        return text
    return re.sub(rf"(?<=\d) ?(?:/|out of) ?{highest}(?!\d)", "", text)


def strict(response: str, n: int | None = None, highest: int = HIGHEST) -> Parsed:
    """Return the sub-scores of a reply that is a JSON object as the prompt asked for.

    Args:
        response: the reply; any string.
        n: how many sub-scores were asked for; None for any number.
        highest: the end of the scale that was asked for.

    >>> strict('{"score": [8, 7], "reasoning": "lit"}', n=2).value, strict("[8, 7]").value
    ((8, 7), None)
    """
    text = shortened(strip_thinking(response))
    last = text.rfind('"score"')
    around = object_around(text, last) if last >= 0 else None
    content = around.content if around and around.is_closed else {}
    value = content.get("score")
    scores = _numbers(value) if isinstance(value, list) else None
    if scores is None:
        return Parsed(None, NO_SCORE)
    problem = _problem(scores, n, (LOWEST, highest))
    return Parsed(None, problem) if problem else Parsed(scores, _reason_in(content))


RULES = {"strict": strict, "authors": authors}


class _Written(NamedTuple):
    """Scores as a reply has them written: where, and which."""

    start: int
    end: int
    scores: Scores
    is_list: bool


def _problem(scores: Scores, n: int | None, scale: tuple[float, float]) -> str | None:
    if n is not None and len(scores) != n:
        return f"{len(scores)} sub-scores, not {n}"
    outside = [score for score in scores if not scale[0] <= score <= scale[1]]
    return f"not from {scale[0]:g} to {scale[1]:g}: {outside[0]:g}" if outside else None


def _labelled(text: str, n: int | None) -> tuple[Scores | None, str] | None:
    """The last scores that are called so, those in an object first; None if there are none."""
    written = _all_written(text)
    if n and len(written) == n > 1 and _are_one(text, written):
        return tuple(label.scores[0] for label in written), _reason_after(text, written[-1].end)
    if _disagree(text, [label for label in written if label.is_list]):
        return None, UNCLEAR
    in_prose = []
    for label in reversed(written[-_LAST:]):
        around = object_around(text, label.start)
        if around is None:
            in_prose.append(label)
        elif found := _in_object(text, label, around, written):
            return found
    return _last_that_stands(text, in_prose) if in_prose else None


def _last_that_stands(text: str, labels: list[_Written]) -> tuple[Scores | None, str]:
    """Return the first of these scores in prose that the reply asserts."""
    for label in labels:
        if _stands(text, label.start, label.end):
            return label.scores, _reason_after(text, label.end)
    return None, UNCLEAR


def _in_object(
    text: str, label: _Written, around: Object, written: list[_Written]
) -> tuple[Scores | None, str] | None:
    """The scores of the object around a label, if the reply has them written so; None if none."""
    if label.end == len(text) and not (around.is_closed or label.is_list):
        return None, UNCLEAR  # cut: a 1 may have been a 10
    content, value = around.content, _score_in(around.content)
    scores = _numbers(value)
    if scores is not None and any(scores == other.scores for other in written):
        return scores, _reason_in(content) or _reason_after(text, label.end)
    return None if value is None else (None, UNCLEAR)


def _all_written(text: str) -> list[_Written]:
    """Return every score that is followed by numbers; `score1: 8, score2: 7` are one."""
    labels: list[_Written] = []
    for match in _PHRASES["labelled"].finditer(text):
        scores = _numbers_in(match["value"])
        is_list = _PHRASES["list"].search(match["value"]) is not None
        label = _Written(match.start(), match.end(), scores, is_list)
        rank = match["rank"] or match["number"]
        if labels and not is_list and rank == str(len(labels[-1].scores) + 1):
            last = labels.pop()
            label = label._replace(start=last.start, scores=last.scores + scores)
        labels.append(label)
    return labels


def _bare(text: str, n: int | None) -> tuple[Scores | None, str] | None:
    """Return a number that is all of the reply, or a list that it begins or ends with."""
    text = _PHRASES["wrapping"].sub(" ", _PHRASES["emphasis"].sub("", text)).strip()
    listed = _PHRASES["numbered"].findall(text)
    if n and len(listed) == n > 1 and len(listed) == len(text.splitlines()):
        text = "\n".join(listed)
    if any(_PHRASES[form].fullmatch(text) for form in ("item", "series_only", "list")):
        return _numbers_in(text), ""
    lists = _lists_at_the_ends(text)
    if not lists:
        return None
    stand = all(_stands(text, *match.span()) for match in lists)
    if not stand or len({_numbers_in(match[0]) for match in lists}) > 1:
        return None, UNCLEAR
    rest = text[: lists[0].start()] + text[lists[0].end() :]
    return _numbers_in(lists[0][0]), rest.strip()


def _lists_at_the_ends(text: str) -> list[re.Match[str]]:
    """Return the lists of scores with which a text begins and ends."""
    stripped = text.rstrip(". \n")
    first = _PHRASES["bare_list"].match(text)
    last = _PHRASES["bare_list"].fullmatch(stripped, max(0, stripped.rfind("[")))
    return [
        match
        for match in (first, last)
        if match
        and len(_numbers_in(match[0])) > 1  # "[1]" may be a reference
        and not _PHRASES["of_part"].search(text, max(0, match.start() - 20), match.start())
    ]


def _are_one(text: str, written: list[_Written]) -> bool:
    """Return whether single scores that follow each other are the parts of one answer."""
    gaps = [text[before.end : after.start] for before, after in itertools.pairwise(written)]
    single = all(not before.is_list and len(before.scores) == 1 for before in written)
    return single and not any(
        len(gap) > _GAP or phrases.of("context")["revision"].search(gap) for gap in gaps
    )


def _disagree(text: str, lists: list[_Written]) -> bool:
    """Whether two objects, or two lines under one label, give other scores that both stand."""
    return any(
        before.scores != after.scores
        and len(before.scores) == len(after.scores)
        and not phrases.of("context")["revision"].search(text, before.end, after.start)
        and not _PHRASES["finally"].search(text, before.end, after.start)
        and (
            _label(text, before) == _label(text, after)
            or (object_around(text, before.start) and object_around(text, after.start))
        )
        for before, after in itertools.pairwise(lists[-_LAST:])
    )


def _label(text: str, written: _Written) -> str:
    """Return the line with scores, up to them."""
    return text[text.rfind("\n", 0, written.start) + 1 : written.end].partition("[")[0]


def _stands(text: str, start: int, end: int) -> bool:
    """Whether scores in prose are given: not denied, supposed, or two that the reply offers."""
    before = max(0, start - _AROUND)
    part = text[before : end + _AROUND]
    if _PHRASES["other_scale"].match(text, end):
        return False
    return Context(part).stands(start - before, end - before)


def _valid(text: str) -> tuple[Scores | None, str] | None:
    """Return the scores of an object that is all of the reply, however long it is."""
    content = _loaded(text)
    scores = _numbers(content.get("score")) if isinstance(content, dict) else None
    return (scores, _reason_in(content)) if scores else None


def _by_key(named: Named, keys: Sequence[str], n: int | None) -> tuple[Scores, str] | None:
    """Return the scores whose names have the declared keys, in the keys' order; None if not all."""
    if n != len(keys) or n < len("12"):
        return None
    of_keys = [{score for name, score in named if _names(bare(name), bare(key))} for key in keys]
    whole = all(len(of_key) == 1 for of_key in of_keys)
    return (tuple(of_key.pop() for of_key in of_keys), "") if whole else None


def _names(name: str, key: str) -> bool:
    """Return whether a name has the words of a key, or is the key's beginning: "Acc: 4"."""
    begins = len(name) >= _SHORTEST and key.startswith(name)
    return begins or re.search(rf"\b{re.escape(key)}\b", name) is not None


def _by_name(named: Named, keys: Sequence[str], n: int | None) -> tuple[Scores, str] | None:
    """The same, or the scores in their order, if as many as were asked for have other names."""
    as_declared = _by_key(named, keys, n)
    if as_declared or len(named) != n or n < len("12"):
        return as_declared
    words = {word for name, _ in named for word in bare(name).split()}
    some = len(keys) == n and any(words.issuperset(bare(key).split()) for key in keys)
    return None if some else (tuple(score for _, score in named), "")


def _on_lines(text: str, form: str) -> Named:
    """Return scores with their names, each on a line or in a tag of its own."""
    matches = _PHRASES[form].finditer(text[-_TAIL:])
    return [(match["name"], score) for match in matches for score in _numbers_in(match["item"])]


def _in_prose(
    response: str, keys: Sequence[str], n: int | None, scale: tuple[float, float]
) -> tuple[Scores, str] | None:
    """As many scores in sentences as were asked for, each with a name, and these.

    "The naturalness score is 8, the artifacts score 7"; one needs no name.
    """
    text = plain(response)
    if n == 1:
        value = read_score(text, int(scale[0]), int(scale[1])).value
        scores = (value,) if isinstance(value, (int, float)) else None
        return (scores, strip_thinking(response).strip()) if scores else None
    for form in _PHRASES.each("forms") if n else ():
        named = [*dict(_named(text.text, form)).items()]
        more = _named(text.text, _PHRASES["keyed"])
        found = _by_name(named, keys, n) or _by_key([*named, *more], keys, n)
        if found:
            problem = _problem(found[0], n, scale)
            return None if problem else (found[0], strip_thinking(response).strip())
    return None


def _named(text: str, form: Phrase) -> Iterator[tuple[str, float]]:
    """Yield the scores that sentences of a form give, by name."""
    context = Context(text)
    for match in form.finditer(text):
        name = match["name"].lower()
        if name.split()[-1] not in _PHRASES.all("no_names") and context.stands(*match.span()):
            yield name, _number(match["number"])


def _unescaped(text: str) -> str:
    """Return the text without escapes before its quotation marks, if all of them have one."""
    escaped = _PHRASES["escaped"]
    return text if '"' in escaped.sub("", text) else escaped.sub('"', text)


def _loaded(text: str) -> Any:
    """Return what a text is as JSON; None if it is none."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _numbers_in(text: str) -> Scores:
    return tuple(_number(match["number"]) for match in _PHRASES["each_item"].finditer(text))


def _number(written: str) -> float:
    return float(written) if "." in written else int(written)


def _score_in(content: dict[str, Any]) -> Any:
    """What an object has under `score`, or under `score1`, `score2`, ...; None if nothing."""
    keys = {str(key).strip(" :\"'").lower(): value for key, value in content.items()}
    for key, value in keys.items():
        if _PHRASES["called"].fullmatch(key) and (
            "score" in key or isinstance(value, (list, int, float))
        ):
            return value
    ranked = {key.replace(" ", "").replace("_", ""): value for key, value in keys.items()}
    return [ranked[f"score{n}"] for n in range(1, 10) if f"score{n}" in ranked] or None


def _numbers(value: Any) -> Scores | None:
    if isinstance(value, (int, float)):
        usable = not isinstance(value, bool) and abs(value) < _HUGE  # nor is "not a number"
        return (value,) if usable else None
    if isinstance(value, str):
        forms = ("named_item", "list", "series_only")
        whole = any(_PHRASES[form].fullmatch(value.strip()) for form in forms)
        return _numbers_in(value.strip()) if whole else None
    items = [*value.values()] if isinstance(value, dict) else value
    if not isinstance(items, list) or not items:
        return None
    if len(items) == 1 and isinstance(items[0], list):
        return _numbers(items[0])
    scores = tuple(itertools.chain.from_iterable(map(_single, items)))
    return scores if len(scores) == len(items) else None


def _single(item: Any) -> Scores:
    """Return the score of an item of a list; none where it is not one number."""
    scores = _numbers(item) or ()
    return scores if len(scores) == 1 else ()


def _reason_in(content: dict[str, Any]) -> str:
    for key, value in content.items():
        if _PHRASES["reason_key"].fullmatch(str(key).strip()):
            return as_text(value)
    return ""


def _reason_after(text: str, end: int) -> str:
    """The text after the first label for it that follows the scores, else after the first one."""
    label = _PHRASES["reason_label"].search(text, end) or _PHRASES["reason_label"].search(text)
    return text[label.end() :].strip(" \n\"'}`") if label else ""
