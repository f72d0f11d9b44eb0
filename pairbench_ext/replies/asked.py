r"""Read a reply, first step: look for an answer in the format that the prompt asked for.

From the firmest place to the least:

- marked and announced: `Rating: [[2]]`;
- marked: `[[A]]`, `\boxed{8}`, `<answer>2</answer>`, `{"answer": "B"}`, `[RESULT] 4`;
- announced: "Answer: B", all of a line;
- alone in the last line, or in the first one where that was asked for.

A mark under another name (`Confidence: [[8]]`) is not the answer's. Of marks of one rank all count:
two numbers where two things are compared are their scores; others that differ, or one that nobody
declared, are a contradiction. Where a value stands unmarked, what follows it may take it back:
then, and where nothing is found, prose is read instead (`read` returns None).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.engine import CONFLICT, next_question
from pairbench_ext.replies.meanings import UNDECLARED, Meanings, bare, pair_of, two_scores
from pairbench_ext.replies.plain import Plain, shortened
from pairbench_ext.replies.thoughts import spoken

_PHRASES = phrases.of("asked")

NOT_DECLARED = "an explicit answer that is none of the allowed answers"
_NEAR = 400  # characters of a line around a mark
_LONGEST = 160  # characters of a line with an answer alone
_SIGNS = " .,;:!*_`\"'$#>"
_SHORT = 9  # characters of what may be a label
_MOST = 60  # marks that are looked at
_LEAD = 60  # characters before a label in its line
_FEW = 6  # words beside a score: "Score for Answer 1:"
_FEW_FIELDS = 2  # of an object whose one boolean is the answer
_SEVERAL = 3  # marks that may be a list


class Hit(NamedTuple):
    """A value found in a reply, and its position.

    Attributes:
        value: its meaning; `UNDECLARED` for none.
        raw: as written.
        form: in which it stands, such as "brackets".
        start, end: where.
        firm: whether it is announced as the final one, or under the first key that was declared.
    """

    value: Any
    raw: str
    form: str
    start: int
    end: int
    firm: bool = False


def read(asks: AnswerFormat, response: str, *, in_form: bool = False) -> Parsed | None:
    """Return the answer in the requested format, or a contradiction; None if neither is found.

    Args:
        asks: what was asked for.
        response: the reply.
        in_form: whether the form that was asked for is the only one.
    """
    if asks.kind == "subscores":  # its grammar knows lists in JSON
        return None
    parts = spoken(response)
    text = Plain(response)
    if parts != [(0, len(response))]:
        text = text.of(parts)
    if len(text.text) != len(shortened(text.text)) or _PHRASES["echo"].search(text.text):
        return None
    if next_question(text.text):
        text = text.of([(0, next_question(text.text))])
    found = _Asked.of(asks).hit(text.text)
    if not isinstance(found, Hit) or (in_form and asks.form not in ("", found.form)):
        return found if isinstance(found, Parsed) else None
    parsed = found.value if isinstance(found.value, Parsed) else Parsed(found.value, "")
    return parsed.at(text.span(found.start, found.end))


def _agree(hits: Sequence[Hit]) -> bool:
    """Return whether hits, of which there are some, have one value."""
    return len({repr(hit.value) for hit in hits}) == 1


def _of_itself(key: str) -> bool:
    """Return whether a field is about the judgment, such as how sure it is."""
    return _PHRASES["of_itself"].search(key) is not None


def _within(match: re.Match[str], group: str | int) -> tuple[int, int]:
    """Return where what a group matched is, without the signs around it."""
    start, end = match.span(group)
    text = match[group]
    inner = text.strip(_SIGNS) or text
    start += text.index(inner)
    return start, min(end, start + len(inner))


class _Asked:
    """What the declared answer looks like."""

    def __init__(self, asks: AnswerFormat) -> None:
        self.asks, self.meanings = asks, Meanings(asks)
        words = {"rating": "scores", "points": "scores", "subscores": "scores"}
        kinds = phrases.of(words.get(asks.kind, asks.kind)) if asks.kind != "ranking" else _PHRASES
        finals, labels = (kinds.word(name) for name in ("finals", "labels"))
        self.keys = tuple(map(bare, asks.keys))
        named = "|".join(map(re.escape, filter(None, self.keys)))
        keys = rf"|(?:{named})" if named else ""
        self.label = phrases.phrase(rf"(?P<final>{finals}{keys})|{labels}", re.IGNORECASE)

    @staticmethod
    @functools.lru_cache(maxsize=4096)
    def of(asks: AnswerFormat) -> _Asked:
        return _Asked(asks)

    def hit(self, text: str) -> Hit | Parsed | None:
        """Return the answer, or why there is none; None if the reply's prose must decide."""
        marked = self._marked(text)
        announced, alone = self._announced(text), self._alone(text)
        found = self._of_marks(text, marked)
        if isinstance(found, Hit):
            return self._unless_contradicted(text, found, (*announced, *alone))
        # Where marks have declared values, no line outranks them.
        if found is not None or any(hit.value is not UNDECLARED for hit in marked):
            return found
        firm = [hit for hit in announced if hit.firm]
        return self._of_lines(text, [*(firm or announced), *alone])

    def _unless_contradicted(
        self, text: str, found: Hit, lines: Sequence[Hit]
    ) -> Hit | Parsed | None:
        """Return a marked value; what is wrong where a line has another one, None where later."""
        others = [hit for hit in lines if hit.value not in (found.value, UNDECLARED)]
        if any(hit.start >= found.end for hit in others):
            return None
        final = any(hit.firm and not self._taken_back(text, hit) for hit in others)
        return Parsed(None, CONFLICT) if final else found

    def _of_lines(self, text: str, hits: Sequence[Hit]) -> Hit | None:
        """What unmarked values say, if it is one thing and nothing after them takes it back."""
        if not _agree(hits) or hits[0].value is UNDECLARED:
            return None
        return None if self._taken_back(text, hits[-1]) else hits[-1]

    def _taken_back(self, text: str, hit: Hit) -> bool:
        """Return whether what follows a value in an unmarked place may take it back."""
        if not text[hit.end :].strip(" \n.*_`'\")]}"):
            return False
        takes_back = phrases.of("context")["revision"], _PHRASES["next_turn"], _PHRASES["changes"]
        return any(phrase.search(text, hit.end) for phrase in takes_back)

    # Marks.

    def _marked(self, text: str) -> list[Hit]:
        """Return every mark of the answer's own name."""
        if not _PHRASES["has_mark"].compiled.search(text):
            return []
        scored = self.asks.kind == "verdict" and not self.keys
        scored = scored and _PHRASES["scored_key"].compiled.search(text) is not None
        hits = []
        matches = list(islice(_PHRASES["mark"].compiled.finditer(text), _MOST + 1))
        for match in matches if len(matches) <= _MOST else ():  # more are no answer
            if match["name"] is None and match["key"] is None:
                found = self._signed(text, match)
            elif match["key"] is not None and scored:
                found = None
            else:
                found = self._under_name(match)
            if found:
                hits.append(self._unless_for_tie(text, found))
        return hits or (self._only_field(text) if '":' in text else [])

    def _signed(self, text: str, match: re.Match[str]) -> Hit | None:
        """Return what stands in brackets or a box; None if it is of something else, or not said."""
        form = str(match.lastgroup)
        firm = self._headed(text, match.start())
        if firm is None or not self._stands(text, match):
            return None
        raw = bare(match[form]) if "\\" in match[form] else match[form].strip()
        value = self.meanings(raw)
        if self.asks.kind == "ranking" and value is UNDECLARED:
            return None  # of labels that are marked one by one the line is read
        return Hit(value, raw, form, *match.span(form), firm)

    def _under_name(self, match: re.Match[str]) -> Hit | None:
        """Return what stands in a tag or a field; None if that has the name of something else."""
        form = str(match.lastgroup)
        name, raw = bare(match["name"] or match["key"]), match[form].strip().strip("\"'")
        whole = bare(match["of"] or "")
        name = whole if whole and self.keys else name
        place, firm = match.span(form), self._named(name)
        if firm is None:
            boolean = _PHRASES["boolean"].fullmatch(name)
            if boolean and raw.lower() == "true" and self.asks.kind == "verdict":
                firm, raw = False, boolean["name"]
            elif form == "tag" and self._is_score_of_two(name, raw):
                firm, form = False, "scores"
        return None if firm is None else Hit(self.meanings(raw), raw, form, *place, firm)

    def _unless_for_tie(self, text: str, hit: Hit) -> Hit:
        """A hit, undeclared where it is said to be for a tie and stands for something else."""
        for_tie = _PHRASES["for_tie"].match(text, hit.end)
        other = for_tie and hit.value != self.asks.value_of(0)
        return hit._replace(value=UNDECLARED) if other else hit

    def _only_field(self, text: str) -> list[Hit]:
        """The one thing that fields of whatever names say, where none is named as an answer."""
        open_kind = self.asks.kind in ("verdict", "yesno") and not self.keys
        if not open_kind or _PHRASES["scored_key"].compiled.search(text):
            return []
        hits = []
        for field in _PHRASES["json"].compiled.finditer(text):
            raw = field["json"].strip("\"'")
            hit = Hit(self.meanings(raw), raw, "json", *field.span("json"))
            named = raw.isascii() and not raw.isdecimal()
            if named and hit.value is not UNDECLARED and not _of_itself(field["key"]):
                hits.append(hit)
        # Of other names than the answer's, more than one may be true of something else.
        alone = self.asks.kind == "verdict" or (len(hits) == 1 and text.count('":') <= _FEW_FIELDS)
        return hits if hits and alone and _agree(hits) else []

    def _is_score_of_two(self, name: str, raw: str) -> bool:
        """Return whether a tag holds the score of one of the two things compared."""
        compared = self.asks.kind == "verdict" and not self.keys and "score" in name
        return compared and _PHRASES["score"].compiled.fullmatch(raw) is not None

    def _named(self, name: str) -> bool | None:
        """Whether a key or a tag is the answer's decisive one; None if it is not the answer's."""
        if self.keys:
            return name == self.keys[0] if name in self.keys else None
        return False if self.label.fullmatch(name) else None

    def _ends_in_label(self, name: str, *, anywhere: bool = False) -> bool:
        """Return whether a name ends in a label of the answer, or has one."""
        found = self.label.finditer(name)
        return any(anywhere or label.end() == len(name) for label in found)

    def _headed(self, text: str, start: int) -> bool | None:
        """Return whether a mark is announced; None if it is under another name."""
        before = text[max(0, start - 80) : start]
        line = _PHRASES["listed"].sub("", before.rpartition("\n")[2])
        head = _PHRASES["head"].search(line) if line.strip() else None
        if head is None:
            head = _PHRASES["heading"].search(before) if not line.strip(" *_`$#>-") else None
        if head is None:
            return False
        name = bare(head["name"])
        if self._ends_in_label(name):
            return True
        is_name = _PHRASES["any_name"].search(name) or self.meanings(name) is not UNDECLARED
        return False if is_name or len(name.split()) > 3 or not head["sign"] else None

    def _stands(self, text: str, match: re.Match[str]) -> bool:
        """Whether a mark within a line is said there: not denied, asked, supposed or quoted."""
        begin = text.rfind("\n", max(0, match.start() - _NEAR), match.start()) + 1
        begin = begin or max(0, match.start() - _NEAR)
        line = text[begin : match.end() + _NEAR]
        line = line[: match.end() - begin] + line[match.end() - begin :].partition("\n")[0]
        if not line.replace(match[0], "").strip(" .*_`$\"'#>-"):
            return True
        return Context(line).stands(match.start() - begin, match.end() - begin)

    def _of_marks(self, text: str, marked: Sequence[Hit]) -> Hit | Parsed | None:
        """Return what marks say; None if they say nothing that holds."""
        hits = self._that_count(text, marked)
        if not hits:
            return None
        if self._are_scores(text, hits):
            value = two_scores(self.asks, hits[0].raw, hits[1].raw)
            return hits[1]._replace(value=value, start=hits[0].start)
        if any(hit.value is UNDECLARED for hit in hits):
            other = len(hits) < _SEVERAL and all(len(hit.raw) <= _SHORT for hit in hits)
            return Parsed(None, NOT_DECLARED) if other else None
        hits = [hit for hit in hits if self._is_overall(text, hit)] or hits
        # Where several differ, prose may tell which of them holds.
        revision = phrases.of("context")["revision"]
        places = (hits[-2].end, hits[-1].start) if len(hits) > 1 else (0, 0)
        return hits[-1] if _agree(hits) or revision.search(text, *places) else None

    def _that_count(self, text: str, marked: Sequence[Hit]) -> list[Hit]:
        """The marks of the first rank: of the form that was asked for, or that has a value."""
        ranked = [hit for hit in marked if hit.firm] or list(marked)
        asked = [hit for hit in ranked if hit.form == self.asks.form]
        if asked:
            return asked
        by_form: dict[str, list[Hit]] = {}
        for hit in ranked:
            by_form.setdefault(hit.form, []).append(hit)
        return [
            hit
            for hits in by_form.values()
            if self._are_scores(text, hits) or any(hit.value is not UNDECLARED for hit in hits)
            for hit in hits
        ]

    def _are_scores(self, text: str, hits: Sequence[Hit]) -> bool:
        """Whether two marks are the scores of the two things compared: numbers in no sentence."""
        if self.asks.kind != "verdict" or len(hits) != 2:
            return False
        before = text[max(0, hits[0].start - _NEAR) : hits[0].start].rpartition("\n")[2]
        between = text[hits[0].end : hits[1].start]
        if any(len(_PHRASES["word"].compiled.findall(part)) > _FEW for part in (before, between)):
            return False
        numbers = all(_PHRASES["score"].compiled.fullmatch(hit.raw) for hit in hits)
        labels = all(hit.value is not UNDECLARED for hit in hits)
        return numbers and (self.asks.scores == 2 or not labels)

    @staticmethod
    def _is_overall(text: str, hit: Hit) -> bool:
        """Return whether a field is in an object about the whole."""
        begin = text.rfind("{", 0, hit.start) if hit.form == "json" else hit.start
        return _PHRASES["overall"].search(text, begin, hit.start) is not None

    # Lines.

    def _announced(self, text: str) -> list[Hit]:
        """Return values after a label, which are all of its line or of the line below."""
        hits = []
        for label in self.label.finditer(text):
            match = _PHRASES["announced"].match(text, label.end())
            before = text[max(0, label.start() - _LEAD) : label.start()] if match else ""
            before = _PHRASES["begins"].compiled.split(before)[-1]
            if not match or not _PHRASES["lead"].fullmatch(before):
                continue
            value = self._announced_value(match, match["value"])
            place = _within(match, "value")
            firm = label["final"] is not None
            hits.append(Hit(value, match["value"], "announced", *place, firm))
        return hits

    def _announced_value(self, match: re.Match[str], raw: str) -> Any:
        """What a value after a label means; `UNDECLARED` where it is a word, or one of a list."""
        note, text = match["note"] or "", match.string
        if note and self.meanings.is_other_scale(note):
            return Parsed(None, f"another scale: {note.strip()}")
        below = text[match.end("value") :].lstrip().partition("\n")[0]
        listed = match.start("value") and text[match.start("value") - 1] == "\n" and below
        value = self.meanings(raw)
        if listed and (_PHRASES["numbered"].match(raw) or self.meanings(below) is not UNDECLARED):
            return UNDECLARED
        is_word = raw.strip(" .*") == "a" and ":" not in match["between"]
        worst_first = self.asks.kind == "ranking" and note
        return UNDECLARED if is_word or worst_first else value

    def _alone(self, text: str) -> list[Hit]:
        """The value that is all of the last line, or of the first one where that was asked for."""
        lines = list(_PHRASES["line"].compiled.finditer(text))
        if not lines:
            return []
        numbers = pair_of(lines[0][0]) if self.asks.kind == "verdict" else None
        opens = self.asks.place == "start" or (numbers and (numbers[0] != numbers[1]))
        places = [0] if opens else [len(lines) - 2, len(lines) - 1][-len(lines) :]
        hits = [hit for place in places if (hit := self._on(lines[place]))]
        ends = hits and hits[-1].start >= lines[places[-1]].start()
        return hits if ends and (opens or not self._is_of_other(lines, hits[-1])) else []

    def _on(self, line: re.Match[str]) -> Hit | None:
        """Return the value that is all of a line."""
        if line.end() - line.start() > _LONGEST or _PHRASES["no_answer"].search(line[0]):
            return None
        value = self.meanings(_PHRASES["so"].sub("", line[0]))
        return None if value is UNDECLARED else Hit(value, line[0], "alone", *_within(line, 0))

    def _is_of_other(self, lines: Sequence[re.Match[str]], hit: Hit) -> bool:
        """Whether the line before the last is the head of something else, or the first says another."""
        before = lines[-2][0] if len(lines) > 1 else ""
        head = before.rstrip(" *_`").endswith(":") or before.lstrip().startswith("#")
        if head:
            name = _PHRASES["being"].sub("", bare(before))
            return not self._ends_in_label(name, anywhere=self.asks.kind == "letter")
        opening = _PHRASES["opening"].match(lines[0][0]) if self.asks.kind == "letter" else None
        return bool(opening and len(lines) > 1 and opening["letter"] != hit.value)
