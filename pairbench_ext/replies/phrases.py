"""Load the phrases by which replies are read: regular expressions in the files of `words/`.

A line `better (words, lines) = ...` starts the section `better`. Its phrases have two blanks
between them, or stand on lines of their own; a line that starts with four blanks goes on with the
one before. In a phrase, `{better}` stands for any phrase of that section, `{mentions.any}` for any
of a section of another file, and `{word labels}` for any of them as a whole word, longer ones
first. Lines that start with `# ` are comments. Case does not matter, but for these remarks after a
section's name:

- `words`: its phrases are whole words, longer ones first.
- `lines`: `^` and `$` match at line breaks.
- `case`: case matters.
"""

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.replies.pattern_words import Words, any_of, needs_of, parsed
from pairbench_ext.replies.patterns import Phrase, known_of

FOLDER = Path(__file__).parent / "words"
_HEAD = re.compile(r"(?P<name>\w+)(?: \((?P<remarks>[\w, ]+)\))? =(?: (?P<phrases>.+))?")
# Never a quantifier, such as {2,}: those have digits.
_REFERENCE = re.compile(r"\{(?P<word>word )?(?:(?P<file>[a-z_]+)\.)?(?P<name>[a-z]\w*)\}")
_IN_CLASS = re.compile(_REFERENCE.pattern + r"(?=[^\[\](){}|]*\])")  # in a class: "[^.{both}]"
_SMALL = re.compile(r"(?<!-i:)\[a-z(?P<more>(?:\\u00e0-\\u00ff)?)\]")
_PLAIN = re.compile(r"[\w '-]+")  # a phrase that is a text
_GAP, _GOES_ON = "  ", "    "
_SIGN = 0xF0000  # signs that no phrase has, in place of what a phrase refers to
_REMARKS = ("words", "lines", "case")


class _Section(NamedTuple):
    phrases: tuple[str, ...]
    remarks: tuple[str, ...]


def phrase(pattern: str, flags: int, needs: Callable[[], list[Words]] | None = None) -> Phrase:
    """Return a regular expression as a `Phrase`; equal expressions share one object."""
    found = _made(_SMALL.sub(_of_both_cases, pattern) if flags & re.IGNORECASE else pattern, flags)
    found.needs = needs or found.needs
    return found


@functools.lru_cache(maxsize=4096)
def _made(pattern: str, flags: int) -> Phrase:
    return Phrase(pattern, flags)


class Phrases(dict[str, Phrase]):
    """The phrases in a file of `words/`; `Phrases("letter")["announced"]` matches one section.

    Args:
        file: its name, without `.txt`.
        given: patterns that are not in the file, by the names that it has for them.
    """

    def __init__(self, file: str, given: Mapping[str, str]) -> None:
        super().__init__()
        self._sections = sections(file)
        self._given = given
        self._each: dict[str, tuple[Phrase, ...]] = {}
        self._needs: dict[str, list[Words]] = {}

    def __missing__(self, name: str) -> Phrase:
        whole = "words" in self._sections[name].remarks
        pattern = self.word(name) if whole else "|".join(self.all(name))
        self[name] = phrase(pattern, self._flags(name), functools.partial(self.needs, name))
        return self[name]

    def all(self, name: str) -> tuple[str, ...]:
        """Return each phrase in a section of the file, as a regular expression."""
        return tuple(_REFERENCE.sub(self._resolved, p) for p in self._sections[name].phrases)

    def each(self, name: str) -> tuple[Phrase, ...]:
        """Return each phrase in a section of the file, compiled."""
        if name not in self._each:
            flags = self._flags(name)
            self._each[name] = tuple(
                phrase(pattern, flags, functools.partial(self._needs_of, name, number))
                for number, pattern in enumerate(self.all(name))
            )
        return self._each[name]

    def matches(self, name: str, text: str) -> Iterator[re.Match[str]]:
        """Yield every place in a text where a phrase of the section matches."""
        facts = known_of(text)
        for phrase in self.each(name):
            if phrase.may_be_in(facts):
                yield from phrase.found_in(facts, text)

    def pattern(self, name: str) -> str:
        """Return one regular expression that matches any phrase of a section."""
        if name in self._given:
            return self._given[name]
        phrases = self.all(name)
        return phrases[0] if len(phrases) == 1 else f"(?:{'|'.join(phrases)})"

    def needs(self, name: str) -> list[Words]:
        """Return sets of words; each match of the section's phrases has a word of every set."""
        if name in self._given:
            return needs_of(parsed(self._given[name], re.IGNORECASE))
        if name not in self._needs:
            ways = [self._needs_of(name, n) for n in range(len(self._sections[name].phrases))]
            several = [*filter(None, [any_of(ways)])]
            self._needs[name] = ways[0] if len(ways) == 1 else several
        return self._needs[name]

    def _needs_of(self, name: str, number: int) -> list[Words]:
        """The same of one phrase: parsed with a sign in place of each section that it refers to."""
        if _PLAIN.fullmatch(self._sections[name].phrases[number]):
            return [frozenset((self._sections[name].phrases[number].lower(),))]
        named: dict[int, list[Words]] = {}

        def sign(reference: re.Match[str]) -> str:
            phrases = of(reference["file"]) if reference["file"] else self
            named[_SIGN + len(named)] = phrases.needs(reference["name"])
            return chr(_SIGN + len(named) - 1)

        template = _IN_CLASS.sub(self._resolved, self._sections[name].phrases[number])
        short = _REFERENCE.sub(sign, template)
        try:
            return needs_of(_template(short, self._flags(name)), named)
        except re.error:  # it refers to a group of another section
            return needs_of(parsed(self.all(name)[number], self._flags(name)))

    def word(self, name: str) -> str:
        """Return one regular expression that matches any phrase of a section as whole words."""
        longest_first = sorted(self.all(name), key=len, reverse=True)
        letter = r"(?-i:[a-zA-Z\u00c0-\u00ff])"
        return rf"(?<!{letter})(?:{'|'.join(longest_first)})(?!{letter})"

    def _flags(self, name: str) -> int:
        remarks = self._sections[name].remarks
        lines = re.MULTILINE if "lines" in remarks else 0
        return lines | (0 if "case" in remarks else re.IGNORECASE)

    def _resolved(self, reference: re.Match[str]) -> str:
        phrases = of(reference["file"]) if reference["file"] else self
        return (phrases.word if reference["word"] else phrases.pattern)(reference["name"])


def _of_both_cases(small: re.Match[str]) -> str:
    """A class of letters in both cases, which `re` compiles sooner than one that ignores case."""
    return f"(?-i:[a-zA-Z{small['more'].replace('e0', 'c0')}])"


_template = functools.lru_cache(maxsize=4096)(parsed)  # phrases of other names are parsed once


@functools.cache
def of(file: str, **given: str) -> Phrases:
    """Return the phrases in a file of `words/`; the file is read only once."""
    return Phrases(file, given)


@functools.cache
def sections(file: str) -> Mapping[str, _Section]:
    """Return the sections of a file of phrases, keyed by the section's name."""
    named: dict[str, _Section] = {}
    name = ""
    for line in (FOLDER / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        head = _HEAD.fullmatch(line)
        if head:
            name, line = head["name"], head["phrases"] or ""
            remarks = tuple((head["remarks"] or "").replace(",", "").split())
            if name in named:
                raise ValueError(f"{file}.txt: section {name!r} occurs twice; keep one")
            if unknown := {*remarks} - {*_REMARKS}:
                raise ValueError(
                    f"{file}.txt: section {name!r}: unknown word in brackets: {min(unknown)!r}; "
                    f"expected any of {', '.join(_REMARKS)}"
                )
            named[name] = _Section((), remarks)
        phrases, remarks = named[name] if name else ((), ())
        if line.startswith(_GOES_ON):
            named[name] = _Section((*phrases[:-1], phrases[-1] + line[len(_GOES_ON) :]), remarks)
        elif line and not line.startswith("# "):
            named[name] = _Section((*phrases, *line.split(_GAP)), remarks)
    return named
