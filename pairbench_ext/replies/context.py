"""Decide whether a reply asserts a verdict, or only denies, asks about or quotes it.

Every pattern looks at the sentence around a candidate, and at no more than a few hundred
characters of it, so that reading a reply takes time linear in its length. English first; other
languages have what their replies need most often.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

from pairbench_ext.replies import phrases

_PHRASES = phrases.of("context")

REACH = 240  # characters of a sentence on either side of a candidate


@dataclass(frozen=True)
class Context:
    """The sentences of a reply that was turned into plain text."""

    text: str

    @cached_property
    def _bounds(self) -> tuple[list[int], list[str]]:
        boundaries = list(_PHRASES["boundary"].finditer(self.text))
        return [match.end() for match in boundaries], [match[0][0] for match in boundaries]

    def sentence(self, start: int, end: int) -> tuple[str, str, str]:
        """Return a sentence's text before and after a passage, and the sentence's closing mark."""
        ends, signs = self._bounds
        first = bisect_right(ends, start) - 1
        last = bisect_left(ends, max(end, start + 1))
        begin = ends[first] if first >= 0 else 0
        stop, sign = (ends[last], signs[last]) if last < len(ends) else (len(self.text), "")
        stop = max(stop, end)
        before = self.text[max(begin, start - REACH) : start]
        return before, self.text[end : min(stop, end + REACH)], sign

    def stands(self, start: int, end: int, *, declines: bool = False) -> bool:
        """Return whether the reply asserts the text from `start` to `end`."""
        before, after, sign = self.sentence(start, end)
        if sign == "?" and not _PHRASES["quoted_question"].search(after):
            tag = _PHRASES["tag"].search(after)
            if not tag:
                return False
            after = after[: tag.start()]
        before = _PHRASES["ground"].sub("", before)
        if _PHRASES["unsaid"].match(after) or self._is_unsaid(before, declines):
            return False
        return not self._is_quoted(before, self.text[start:end], after, declines)

    @staticmethod
    def _is_unsaid(before: str, declines: bool) -> bool:
        """Whether what comes before denies what follows, supposes it, or has others say it."""
        turns = [match.end() for match in _PHRASES["turn"].finditer(before)]
        clause = [0, 0, *(match.end() for match in _PHRASES["clause"].finditer(before))]
        parts = {
            "other_one": 0,
            **({"supposed": turns[-1] if turns else 0} if declines else {}),
            **dict.fromkeys(("others", "not_at_all"), turns[-1] if turns else 0),
            "denied": clause[-1],
            "open": clause[-2],
        }
        return any(_PHRASES[name].search(before[start:]) for name, start in parts.items())

    def _is_quoted(self, before: str, claim: str, after: str, declines: bool) -> bool:
        """Whether it is an example, or within quotation marks that are not the reply's own."""
        if (
            _PHRASES["echo"].search(before[-60:])
            or _PHRASES["cited"].search(before)
            or _PHRASES["choice"].search(before)
        ):
            return True
        # In `{"score": 8}` what is said closes the quotation mark of its label.
        opened = before.count('"') % 2 == 1 and claim.count('"') % 2 == 0 and '"' in after
        if not opened:
            return False
        rest = after.partition('"')[2].strip(" .}],:\n")
        return declines or (bool(rest) and not rest.startswith('"'))
