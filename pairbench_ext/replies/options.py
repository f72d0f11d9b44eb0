"""Find out which answer option a reply names, by the option's letter or by its text.

Where a reply says nowhere "Answer: B" (`letter`), a person looks at the sentence that names an
option first, at the last one that does, and at the last one that draws a conclusion. Such a
sentence claims an option if it names that one only, doubts nothing, and either concludes
("Therefore, ...", "I would choose ...") or says what is said of answers ("most similar",
"corresponds to"). Without such words it does if the reply is short and names no other option.
What an option is compared to ("than Point A"), and remarks ("as it is ..."), do not count.
"""

import functools
import itertools
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from pairbench_ext.replies import phrases
from pairbench_ext.replies.engine import Candidate, Strength
from pairbench_ext.replies.plain import Plain, plain

_PHRASES = phrases.of("options")

# How many options were shown, or their texts in the order shown.
Options: TypeAlias = int | Sequence[str]

_SHORT = 3  # sentences of a reply that need no word of conclusion


@dataclass(frozen=True)
class Shown:
    """The answer options that a prompt showed.

    Attributes:
        letters: of the options, in order.
        texts: the letter of each text that is one option's only; empty if texts are not known.
    """

    letters: str
    texts: Mapping[str, str]

    @cached_property
    def lettered(self) -> bool:
        """Return whether replies can name an option only by its letter, and not by its text."""
        named = [re.search(rf"\b{letter}\b", text, re.I) for text, letter in self.texts.items()]
        return not self.texts or sum(map(bool, named)) >= max(2, len(self.letters) - 1)

    def patterns(self, text: str) -> phrases.Phrases:
        """Return the phrases that can name an option, for options whose text is in the reply."""
        folded = text.casefold()
        named = (option for option in self.texts if option in folded)
        called = _PHRASES.pattern("noun" if self.lettered else "option")
        return _with_options(self.letters, called, tuple(sorted(named, key=len, reverse=True)))

    @cached_property
    def formulas(self) -> Mapping[str, str]:
        """Return each option's letter, keyed by the option's text without its LaTeX commands."""
        typeset = [_formula(text) for text in self.texts]
        return {
            text: letter
            for text, letter in zip(typeset, self.texts.values(), strict=True)
            if typeset.count(text) == 1 and text.upper() not in self.letters
        }

    def letter_of(self, text: str) -> str | None:
        """Return the letter of the option with this text; None if no option has it."""
        # "\u0131" for "i" is the same to a pattern only.
        return self.texts.get(text.casefold())


@functools.lru_cache(maxsize=1024)
def _with_options(letters: str, called: str, texts: tuple[str, ...]) -> phrases.Phrases:
    # Short words and numbers are said of other things too.
    in_prose = [text for text in texts if re.search(r"[^\W\d_]{4}|[a-z]{2} [a-z]{2}", text)]
    given = {
        "known": "|".join(map(re.escape, texts)) or "(?!)",
        "said": "|".join(map(re.escape, in_prose)) or "(?!)",
        "letters": f"[{letters}]",
        "called": called,
    }
    return phrases.Phrases("options", given)


def shown(options: Options) -> Shown:
    """Return the options that a prompt showed, given their number or their texts.

    Raises:
        ValueError: if `options` is neither a number nor texts.
    """
    if isinstance(options, int) and not isinstance(options, bool):
        return Shown(letters(options), {})
    if not isinstance(options, (list, tuple)) or not all(isinstance(o, str) for o in options):
        raise ValueError(f"options must be a number or a list of texts, not {options!r:.60}")
    return _of_texts(tuple(options))


@functools.lru_cache(maxsize=4096)
def _of_texts(options: tuple[str, ...]) -> Shown:
    names = letters(len(options))
    texts = [comparable(text) for text in options]
    named = zip(texts, names, strict=True)
    return Shown(names, {text: letter for text, letter in named if text and texts.count(text) == 1})


def letters(n_options: int) -> str:
    """Return the letters of a given number of options: A, B, and so on.

    Raises:
        ValueError: if there are no options, or more than letters.

    >>> letters(4)
    'ABCD'
    """
    if not 1 <= n_options <= len(string.ascii_uppercase):
        raise ValueError(f"there are letters for 1 to 26 options, not for {n_options!r}")
    return string.ascii_uppercase[:n_options]


def comparable(text: str) -> str:
    """Return an option's text in a form to compare: lower case, without article or outer signs."""
    words = re.sub(
        r"\A(?:(?!-\d|[~¬√±])[\W_])+|[^\w%]+\Z|_+\Z", "", plain(text[:400]).text
    ).casefold()
    return _PHRASES["article"].sub("", " ".join(words.split()))


def in_full(text: Plain, options: Shown) -> Plain:
    """Replace an option's text by its letter where the text is the whole answer."""
    if not options.texts:
        return text

    def letter_for(match: re.Match[str]) -> str:
        letter = options.letter_of(match["text"])
        mine = (match["own"] or "").strip("()[].:,- ").upper()
        # Of options that are letters, "B" is the letter of one.
        if letter is None or (re.fullmatch("[a-z]", match["text"], re.I) and mine != letter):
            return match[0]
        # "A" may be an article.
        if match["own"] == "A" and match.string[match.end("own") : match.start("text")] == " ":
            mine = letter
        return f"({letter})" if mine in ("", letter) else f"({mine}) or ({letter})"

    def once(match: re.Match[str]) -> str:
        mine = options.letter_of(match["text"]) == match["letter"]
        return f"({match['letter']})" if mine else match[0]

    def value(match: re.Match[str]) -> str:
        content = match["boxed"] or match["whole"] or ""
        letter = options.formulas.get(_formula(content))
        return match[0].replace(content, letter) if letter else match[0]

    text = text.rewritten(_PHRASES["result"], value)
    text = text.rewritten(options.patterns(text.text)["in_full"], letter_for)
    return text.rewritten(options.patterns(text.text)["with_text"], once)


def unlisted(text: Plain, options: Shown) -> Plain:
    """Return the reply without any list that repeats the options."""
    items = list(_PHRASES["item"].finditer(text.text))
    listed = set()
    for item, following in itertools.pairwise(items):
        begins = item["letter"] == "A" or item.start() in listed
        if begins and ord(following["letter"]) == ord(item["letter"]) + 1:
            listed |= {item.start(), following.start()}

    def without(item: re.Match[str]) -> str:
        if item.start() not in listed:
            return item[0]
        return "-" if comparable(item["rest"]) in options.texts else f"- {item['rest']}"

    text = text.rewritten(
        options.patterns(text.text)["answer_label"],
        lambda match: match[0] if options.letter_of(match["text"]) == "A" else match["rest"],
    )
    return text.rewritten(_PHRASES["item"], without)


def _formula(text: str) -> str:
    return _PHRASES["typesetting"].sub("", text).casefold()


def claims(text: Plain, options: Shown) -> tuple[Plain, list[Candidate]]:
    """Replace mentions of options by letters; return the new text and the options called right."""

    def of_text(match: re.Match[str]) -> str:
        letter = options.letter_of(match["text"])
        if letter is None:
            return match[0]
        beside = match["before"] or match["after"]
        if _PHRASES["says_it"].match(match["text"]):  # "A is closer"
            return f"({letter}) is the answer"
        if beside in (None, letter) or beside not in options.letters:
            return f"<{letter}>"
        return f"({beside}) or ({letter})"

    patterns = options.patterns(text.text)
    text = text.rewritten(patterns["label_of_other"], lambda match: match["other"])
    text = text.rewritten(patterns["text_of"], of_text)
    if options.lettered:
        text = text.rewritten(patterns["several"], _each)
    text = text.rewritten(
        patterns["letter_of"],
        lambda match: f"{match['noun'] or ''}{{{match['letter'] or match['bare']}}}",
    )
    text = text.rewritten(patterns["twice"], lambda match: match["first"])
    return text, list(_claims(text.text, len(options.letters)))


def _each(several: re.Match[str]) -> str:
    return " or ".join(f"{{{letter}}}" for letter in re.findall(r"\b[A-Z]\b", several[0]))


def opening(text: str, options: Shown) -> Iterator[Candidate]:
    """Yield the option with which a text begins, if any: "Yes, there is."."""
    match = _PHRASES["opens"].match(text)
    letter = match and options.letter_of(match["text"])
    if match and letter:
        yield Candidate(letter, Strength.BARE, *match.span("text"))


def _claims(text: str, n_options: int) -> Iterator[Candidate]:
    sentences = list(_PHRASES["sentence"].finditer(text))
    naming = [match for match in sentences if _PHRASES["token"].search(match[0])]
    named = _letters(_PHRASES["compared"].sub(_blanks, text))
    few = len(sentences) <= _SHORT and len(named) == 1
    concluding = [match for match in naming if _PHRASES["concludes"].search(match[0])]
    for match in dict.fromkeys([*naming[:1], *concluding[-1:], *naming[-1:]]):
        opens = few and match is sentences[0]
        yield from _claim(match, n_options, concludes=match in concluding, opens=opens)


def _claim(
    sentence: re.Match[str], n_options: int, *, concludes: bool, opens: bool
) -> Iterator[Candidate]:
    """Yield the option that a sentence claims, if it is one."""
    asked = _PHRASES["asked_if"].match(sentence[0])  # a condition of the question's
    main, alike = _main(sentence[0], n_options, decided=concludes and not asked)
    if len(_letters(main)) != 1 or _PHRASES["doubt"].search(main):
        return
    firm = concludes or alike or (opens and _PHRASES["stated"].search(main))
    claim = _PHRASES["claim"].search(main)
    if claim and (firm or _PHRASES["answers"].search(main)):
        strength = Strength.CONCLUDED if concludes else Strength.CLAIMED
        start = sentence.start() + (0 if asked else claim.start())
        yield Candidate(claim["letter"], strength, start, sentence.start() + claim.end())


def _main(sentence: str, n_options: int, *, decided: bool) -> tuple[str, bool]:
    """What a sentence claims without its asides, and whether it says that all others are alike.

    Nothing of one that compares two of several options, and decides nothing.
    """
    if not decided and n_options > 2 and _PHRASES["than_one"].search(sentence):
        return "", False
    sentence = _PHRASES["compared"].sub(_blanks, sentence)
    sentence = sentence.partition(" if ")[0] if decided else sentence
    main = _PHRASES["aside"].sub(_blanks, sentence)
    main = main if _letters(main) else sentence
    alike = _PHRASES["alike"].search(main)
    if alike:
        main = " " * alike.start("text") + main[alike.start("text") :]
    return main, alike is not None


def _letters(text: str) -> set[str]:
    return {token["letter"] for token in _PHRASES["token"].finditer(text)}


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])
