"""Where a reply names one of several lettered options, and how firmly.

A letter counts only where the words and signs around it show that it stands for an option: "A" is
an article, too. Every pattern looks at a bounded stretch of text, so that reading a reply takes
time linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

# The reply says that the option is its answer, or that it is correct; its letter is all of a line,
# or starts one, where it may be the answer or one of a list.
Firmness: TypeAlias = Literal["answer", "correct", "alone", "listed"]

_BEFORE = 60  # characters before a claim that may take it back
_LONGEST = 400  # characters of a line that are compared with the options' texts

_NOUN = r"(?: option | choice | answer | letter | statement | description )"
_RIGHT = r"(?: correct | right | accurate | appropriate | suitable | true | best | better )"
_ADVERB = r"""
    (?: (?: most \s )? (?! possib | hard | unlike | near | part ) \w{1,12} ly | therefore | thus
      | indeed )
"""
_IS = rf"""
    (?: is | was | (?: would | should | must ) \s (?: {_ADVERB} \s )? be | seems \s to \s be
      | remains ) \b
"""
_LINK = rf"""
    (?: \s{{0,3}} [:=\u2192] | \s [\u2013\u2014-] (?= \s )
      | \s{{1,3}} {_IS} (?: \s {_ADVERB} )? (?: \s? : )? )
"""
# Labels of those that answer in another language than that of the prompt.
_FOREIGN = r"""
    (?: (?: \u7b54\u6848 | \u9009\u9879 ) \s? [:\u662f\u4e3a]{1,2}
      | (?<! \u4e0d ) \u9009 [\u62e9\u9879]? (?= \s? [(\[]? [A-Z] )
      | \u7b54\u3048 \s? : | (?: \uc815\ub2f5 | \ub2f5 ) \s? (?: : | \uc740 )
      | \b (?: respuesta | r[e\u00e9]ponse | risposta | resposta | antwort
              | \u043e\u0442\u0432\u0435\u0442 )
          (?: \s corr?[e\u00e9]\w{1,6} )?
          (?: \s? : | \s (?: es | est | ist | \u00e9 | \u00e8 ) \b ) )
"""
# What an option does that is right, and to what, if it is wrong.
_SAYS = r"(?: describes | matches | captures | fits | represents | reflects ) \b"
_ELSE = r"(?: first | second | wrong | opposite | original | reverse | other | image | nothing )"
_ANNOUNCED = re.compile(
    rf"""
    \b (?: ans (?: wer )? | choice | (?: selected | chosen | final | my ) \s option | selection
          | verdict | conclusion | decision | guess | response | prediction | output | solution
          | result | pick | assistant | letter )
      (?: \s (?: letter | option | choice | here | (?: to | for ) \s (?: the | this ) \s question )
      )? {_LINK}
  | \b {_RIGHT} \s (?: {_NOUN} | one ) (?: \s (?: of | for ) \s [^.,;:?\n]{{1,80}}? )? {_LINK}
  | \b {_RIGHT} (?: \s is \b | \s? : )
  | \\boxed \s? \{{ | \[ (?= \[ \s? (?-i: [A-Z] ) )
  | {_FOREIGN}
  | \b (?: I | we ) (?: ' (?: d | ll | m ) | \s (?: would | will | must | am | have ) )?
      (?: \s {_ADVERB} )? \s
      (?: choose | chose | chosen | pick | picked | select | selected | go \s with | going \s with
        | opt \s for | answer | vote \s for | lean \s towards? | say | guess | think
        | believe ) \b
      (?: \s (?: that \s )? it (?: 's | \s {_IS} ) )?
  | (?: ^ | [.!;:] \s | \b should \s ) (?: choose | pick | select ) \b
  | (?: ^ | [.!;] \s | \b (?: actually | but | no | wait | rather | instead ) ,? \s )
      it (?: 's | \s {_IS} )
  | \b I \s (?: mean | meant ) \b
  | \b (?: I \s (?: think | believe | guess | conclude ) | so | thus | therefore | hence ) ,?
      \s (?: that \s )? (?: it | this ) (?: 's | \s {_IS} ) (?: \s {_ADVERB} )? (?! \w )
  | \b (?: best | (?: most \s )? accurately | correctly ) \s
      (?: described | captured | represented | matched ) \s by \b
  | \b (?: therefore | thus | hence | so ) (?: \s? [,:] | (?= \s ) )
  | \b (?: finally | actually | in \s conclusion | on \s second \s thought | looking \s closer
          | correction | edit | no | wait ) \s? [,:]
  | (?: ^ | [.!;,] \s ) (?: most \s )? (?: probably | likely ) (?= \s )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
# The heading that the reasoning prompt asks for, on a line of its own.
_HEADING = re.compile(
    r"""
    ^ [ \t>]{0,9} (?: \#{1,6} [ \t]{0,9} )? (?: \d{1,2} [.)] [ \t] )?
    (?: (?: the | my ) [ \t] )? (?: (?: final | correct | best ) [ \t] )? answer
    [ \t]{0,9} :? [ \t]{0,9} \n (?= \s{0,99} \S )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_MATCHING = re.compile(
    r"\b (?: this | which | it | that | difference | change ) \s (?: best \s )?"
    r" (?: corresponds \s to | matches | aligns \s with | points \s to | is ) \s (?: the \s )?"
    r" (?= (?: option | choice | answer ) \s )",
    re.IGNORECASE | re.VERBOSE,
)
_TO_LETTER = re.compile(
    rf"""
    \s{{0,9}} (?: (?: the | that ) \s )? (?: {_RIGHT} \s )? (?P<noun> {_NOUN} \s{{0,3}} [:#]? )?
    \s{{0,3}}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OPEN, _CLOSE = r"(?P<open> [(\[{<]{1,2} \s? )?", r"(?P<close> \s? [)\]}>]{1,3} )?"
_LETTER = rf"{_OPEN} (?P<letter> (?-i: [A-Z] ) ) (?! [\w'] ) {_CLOSE}"
_UPPER = re.compile(_LETTER, re.VERBOSE)
_LOWER = re.compile(
    rf"{_OPEN} (?P<letter> [a-z] ) (?! [\w'] ) {_CLOSE}"
    r" (?: (?= [.!]? [^\S\n]{0,9} (?: \n | \Z ) ) | (?<= \) ) (?= \s ) )",
    re.VERBOSE,
)
# A second letter in one breath, or a doubt: no choice has been made.
_UNDECIDED = re.compile(
    r"""
    [^\S\n]{0,3} (?:
        [,.;(]{0,3} \s? \b (?: or | and | nor | vs | versus | maybe | perhaps | possibly ) \b
            [.]? \s (?: (?: maybe | perhaps | possibly | even ) \s )? (?: option \s | answer \s )?
            (?: \\boxed \s? )? [(\[{]{0,2} [A-H] (?! \w )
      | [,/&|+] \s{0,3} [(\[{]{0,2} [A-Z] (?! \w | \s+ [a-z] )
      | [\u2013-] [A-Z] \b
      | [.):] [^\S\n]{0,3} [A-H] (?: [.)] | \s* \Z | \s* \n )
      | \?
    )
    """,
    re.VERBOSE,
)
# What shows that a letter is no word of a sentence.
_ENDS = re.compile(
    r"""
    [.):;,!\]}] (?= [\s\]}).,;:!\\\u3040-\u9fff\uac00-\ud7a3] | \Z | [A-Z][a-z] )
  | [^\S\n]{0,9} (?: \n | \Z )
  | \s [\u2013\u2014-] \s | \u2014
  | \s? \( [^()\n]{0,200} \) [.!]? [^\S\n]{0,9} (?: \n | \Z )
    """,
    re.VERBOSE,
)
_GOES_ON = re.compile(
    r",? \s (?: because | since | as | given | based | due | for | here | rather | instead | not"
    r" | in \s (?: this | my ) ) \b",
    re.VERBOSE,
)
_CORRECT = re.compile(
    rf"""
    (?: (?: ^ [^\w\n]{{0,9}}? | [.!?;:,] \s | \b (?: so | thus | hence | therefore | that | think
          | believe | only | but | then ) \s ) (?: {_NOUN} \s )?
      | \b (?: option | choice | answer ) \s )
    {_LETTER} \s
    (?: (?: is | seems | appears | looks | remains ) \s (?: to \s be \s )? (?: {_ADVERB} \s )?
          (?: (?: the | my ) \s )? (?: (?: most | more | only ) \s )? (?: {_ADVERB} \s )?
          (?: {_RIGHT} | (?: final \s )? (?: answer | choice ) ) \b
          (?! \s (?: about | in | for | when | if | only | except | of | than | to | on ) \b )
          (?! [^.!\n]{{0,80}} \? )
      | (?: (?: {_ADVERB} \s )? (?: best | most | {_ADVERB} ) \s {_SAYS}
          | {_SAYS} (?= \s (?: the | this | that | these | what | it | both | all ) \b
                      | [.!]? [^\S\n]{{0,9}} $ ) )
          (?! \s (?: (?: the | an? | only | just ) \s )? {_ELSE} \b )
          (?! [^.!\n]{{0,80}} \b (?: not | n't ) \b ) )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_LINE = re.compile(
    rf"""
    ^ [^\w\n(\[{{<\\]{{0,12}} (?: \d{{1,2}} [.):] \s? [^\w\n(\[{{<\\]{{0,4}} )?
    (?: (?: answer | (?: option | choice | letter ) (?: [ \t]? : )? ) [ \t] )? {_LETTER}
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_NEXT_IN_LIST = re.compile(r"[^\n]{0,400}?[^\S\n][(\[]?(?P<letter>[A-H])[.):]\s")
_NOTHING_MORE = re.compile(r"[^\w\n+/&#?=<-]{0,12}(?:\n|\Z)")
# What, right before a claim, leaves it open or denies it.
_TAKEN_BACK = re.compile(
    r"""
    \b (?: if (?! \s I \s ha[dv]e? \s to \b ) | whether | unless | suppose | assuming
        | let (?: 's | \s us ) \s (?: say | assume | suppose ) | (?: may | might | could ) \s argue
        | said | says | thought | assumed | claims | claimed ) \b [^.,;:\n]{0,60} \Z
  | (?: \b for \s (?: example | instance ) | \b e\.g\. | \b such \s as ) [,:]? \s* \Z
  | (?: \b (?: not | never | no | neither | nor | cannot | doubt | incorrect | wrong | false | other
        | one | an | least | another | alternative | possible | unlikely | tempting | first
        | second | previous | initial | your | example | sample ) | n't ) \s+
    (?: (?: the | a | an | be | is | say | think | believe | that ) \s+ ){0,3}
    (?: (?: final | correct | right | best | most | likely ) \s+ )? \Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
_JOINED = re.compile(
    r"\b(?:and|or|nor|neither|either|both|than|except|(?:[Aa]ll|[Ee]verything)\sbut)\s(?:options?\s)?\Z"
    r"|[A-H][)\]]?\s?[,/&]\s?\Z"
)

_AROUND = re.compile(r"\A[\W_]+|(?<![\W_])[\W_]+\Z")


class Claim(NamedTuple):
    """An option that a reply names.

    Attributes:
        letter: upper case.
        firmness: what shows that it is named.
        start, end: where in the text; what follows on the line may be the option's text.
    """

    letter: str
    firmness: Firmness
    start: int
    end: int


def after_heading(text: str) -> str:
    """What follows the last "Answer" that is a line of its own; all of a text without one."""
    start = 0
    for heading in _HEADING.finditer(text):
        start = heading.start()
    return text[start:]


def claims(text: str, texts: Mapping[str, str]) -> list[Claim]:
    """Every option that a text names.

    Args:
        text: a reply without markup.
        texts: letter of each option by its text, as `comparable` gives it; empty if not known.

    Returns:
        In the order of the text.
    """
    found = [*_announced(text, texts), *_called_correct(text), *_on_lines(text, texts)]
    return sorted(found, key=lambda claim: claim.start)


def comparable(text: str) -> str:
    """An option's text without case, article and what signs surround it.

    >>> comparable(" The first  image.")
    'first image'
    """
    words = _AROUND.sub("", text).casefold().split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words)


def letter_of_text(text: str, at: int, texts: Mapping[str, str]) -> str | None:
    """The letter of the option whose text is what follows on the line, or all of the next line."""
    line, broken, _ = text[at : at + _LONGEST].lstrip().partition("\n")
    is_whole = broken or len(text) <= at + _LONGEST
    return texts.get(comparable(line)) if texts and is_whole and not _is_heading(line) else None


def _announced(text: str, texts: Mapping[str, str]) -> Iterator[Claim]:
    for pattern in (_ANNOUNCED, _HEADING):
        for label in pattern.finditer(text):
            signed = text[label.end() - 1] in ":={[\n"
            named = _letter_at(text, label.end(), signed=signed)
            if not named:
                letter = letter_of_text(text, label.end(), texts)
                named = (letter, label.end()) if letter else None
            joined = label[0].startswith("\\boxed") and _is_joined(text, label.start())
            if named and not joined and not _is_taken_back(text, label.start()):
                yield Claim(named[0], "answer", label.start(), named[1])
    for label in _MATCHING.finditer(text):
        named = _letter_at(text, label.end(), signed=False)
        if named and not _is_taken_back(text, label.start()):
            yield Claim(named[0], "correct", label.start(), named[1])


def _letter_at(text: str, at: int, *, signed: bool) -> tuple[str, int] | None:
    """The letter to which a label leads, and where it ends.

    Args:
        text: the reply.
        at: where the label ends.
        signed: whether it ends in a colon or the like, so that the letter may be a small one.
    """
    way = _TO_LETTER.match(text, at)
    start = way.end() if way else at
    upper = _UPPER.match(text, start)
    if upper:
        return (upper["letter"], upper.end()) if _stands_alone(text, upper) else None
    lower = _LOWER.match(text, start)
    if lower and (signed or lower["open"] or (way and way["noun"])):
        return lower["letter"].upper(), lower.end()
    return None


def _stands_alone(text: str, letter: re.Match[str]) -> bool:
    if _UNDECIDED.match(text, letter.end()):
        return False
    bracketed = letter["open"] and letter["close"]
    end = letter.end("letter")
    return bool(bracketed or _ENDS.match(text, end) or _GOES_ON.match(text, end))


def _called_correct(text: str) -> Iterator[Claim]:
    for said in _CORRECT.finditer(text):
        if not _is_joined(text, said.start("letter")) and not _is_taken_back(text, said.start()):
            yield Claim(said["letter"], "correct", said.start(), said.end())


def _on_lines(text: str, texts: Mapping[str, str]) -> Iterator[Claim]:
    for opening in _LINE.finditer(text):
        letter, place = opening["letter"], opening.span()
        if _NOTHING_MORE.match(text, opening.end()):
            yield Claim(letter, "alone", *place)
        elif _stands_alone(text, opening) or letter == letter_of_text(text, place[1], texts):
            yield Claim(letter, "listed", *place)
            another = _NEXT_IN_LIST.match(text, opening.end())
            if another:
                yield Claim(another["letter"], "listed", *place)
    start = 0
    for line in text.split("\n") if texts else ():
        if len(line) <= _LONGEST and not _is_heading(line) and comparable(line) in texts:
            yield Claim(texts[comparable(line)], "alone", start, start + len(line))
        start += len(line) + 1


def _is_heading(line: str) -> bool:
    """Whether a line is above what is seen in the "first image:", and chooses none."""
    return line.startswith("#") or line.rstrip().endswith(":")


def _is_joined(text: str, start: int) -> bool:
    return bool(_JOINED.search(text, max(0, start - _BEFORE), start))


def _is_taken_back(text: str, start: int) -> bool:
    return bool(_TAKEN_BACK.search(text, max(0, start - _BEFORE), start))
