r"""One of two words: "yes" or "no", "both" or "one", "true" or "false".

Paper: CAST, Appendix A.2: does a statement describe both scenes? Three prompts ask for different
words; the first of each pair confirms the statement. The value is 1 for that word, 0 for the other.
The reason of a usable reply is the reply, its thoughts left out.

Rule `careful`, the default, reads (`engine`)

- the word at the start ("Yes, ...", "**Both**", "1. No"), on a line of its own, or where the reply
  says that it is its answer: "Answer: no", `{"answer": "yes"}`, "\boxed{one}", "therefore, no";
- what is said of the statement: "it applies to both", "only the first image has a dog", "No, the
  statement applies only to ...", "not true";
- where "yes" or "true" is asked for, also the other one, and "both" or "only one"; where "one" or
  "both" is asked for, neither: "yes" may answer "does it apply to only one?".
- "None", "Not sure", "Yes or no", "Yes, but only for the first image", "I do not think it is true"
  are no answers, nor is a part of a sentence ("One dog is seen").

Rule `strict`: the first word of the reply is one of the two that were asked for, in markdown.

Rule `paper` is the authors' function (Appendix A.3): asterisks around the reply are dropped, and
the first line, in lower case, starts with one of the words or is unusable. White space is not
dropped, "None" and "Not sure" are "no", "Yesterday" is "yes". The print puts the index `[0]` on a
line of its own, which would leave a list; it is read as the first line. Rule `authors` is what
their repository runs instead (`yesno_authors`).

No rules but `paper` and `authors` read thoughts between `<think>` and `</think>`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pairbench_ext.replies import Parsed, rule_name, yesno_authors
from pairbench_ext.replies.context import any_of
from pairbench_ext.replies.engine import (
    BARE,
    CLAIMED,
    CONCLUDED,
    HINTED,
    Candidate,
    Table,
    decide,
    given,
)
from pairbench_ext.replies.plain import plain
from pairbench_ext.replies.thoughts import strip_thinking

if TYPE_CHECKING:
    from pairbench_ext.replies import Rule

# Name of the labels -> the word for 1 and the word for 0.
LABELS: Mapping[str, tuple[str, str]] = {
    "yes/no": ("yes", "no"),
    "both/one": ("both", "one"),
    "true/false": ("true", "false"),
}
DEFAULT_LABELS = "yes/no"

_THINGS = (
    r"(?:scenes?|images?|descriptions?|pictures?|photos?|sides?|halves|texts?|paragraphs?|panels?)"
)
_SUBJECT = r"(?:it|the|this|that|they|there|both|because|since|as|these|each|neither|only|while|although|all|in|i|we)"
# What may follow a word where the sentence that it answers goes on.
_GOES_ON = {
    "yes": rf"(?:{_SUBJECT}|indeed|definitely|absolutely|certainly|of course|sir)",
    "no": rf"(?:{_SUBJECT}|not)",
    "true": r"(?:for|of|in|because|since|as)",
    "false": r"(?:for|of|in|because|since|as)",
    "both": rf"(?:of|the|two|{_THINGS}|have|show|share|feature|depict|do|are|contain|include|because|since)",
    "one": rf"(?:of (?:the|these|them)|{_THINGS}|only|because|since)",
}
_SPELLED = {
    "yes": r"yes|(?:definitely|absolutely|certainly|clearly|of course|no doubt|probably|(?:most |very )?likely),? yes|yeah|yep|yup|sure|affirmative|sì|evet|tak|vâng|jawohl|"
    "(?:wahrscheinlich |natürlich )?ja|oui|sí|sim|是的|是(?!否)|对|對|適用|适用|符合|能",
    "no": r"no|(?:definitely|absolutely|certainly|clearly|probably|(?:most |very )?likely),? no|nope|nah|negative|nee|nej|nie|không|tidak|"
    "nein|non|不是|否|不对|不對|不适用|不符合|不能|不(?![\u4e00一]定|确定|確定|清楚|知道|好说|好說)",
    "true": r"true|correct|waar|vero|verdadeiro|certo|benar|prawda|sant|"
    "wahr|richtig|vrai|verdadero|cierto|真|正确|正確",
    "false": r"false|onwaar|falso|salah|falskt|sai|"
    "not true|untrue|incorrect|falsch|faux|falso|假|错误|錯誤|不正确|偽",
    # "Does it apply to only one?" "No, both." "Yes, only one."
    "both": r"(?:(?:no|yes) ?[.,;:]? )?(?:both|beide[ns]?|entramb[ie]|tutt[ie] e due|les deux (?:scènes|images)|as duas|os dois|keduanya|her ikisi|oba|les deux|ambas|ambos|两者|兩者|两个都(?!不|没)|都适用|两者都|両方)",
    "one": r"(?:yes ?[.,;:]? )?(?:(?:only|just|nur|solo|seulement) )?(?:one|eine?[ns]?|un seul|une seule|un[oa]|solo un[oa]?|sol[oa] una|apenas um[a]?|um[a]?|een|jeden|jedna|en(?= av)|只有\u4e00个|仅\u4e00个|\u4e00个|\u4e00個|其中\u4e00个|片方|\u4e00方)(?! (?:could|might|may|can))",
}
_FIRST = r"(?:one|the (?:first|second|left|right|former|latter|other|top|bottom)|(?:the )?{things} [12ab]|either)"
_ONE_OF_THEM = _FIRST.replace("{things}", _THINGS)
# "True for one of them", "yes, but only for the first": the word, and what takes it back.
_HALF = (
    rf"(?: (?:for|of|in) (?:(?:only|just) )?|,? (?:but )?(?:only|just) (?:(?:for|of|in|to|the case for) )?)(?:the )?(?:(?:one|first|second|left|right)\b"
    rf"|{_THINGS} [12]\b(?! ?(?:and\b|&)))"
)
_TAKEN_BACK = re.compile(
    rf"[\W_]*(yes|true){_HALF}"
    r"|[\W_]*(?:ja|oui|s[ií]|sim|是的)(?: ?[,\u3001.] ?| )(?:aber|mais|pero|mas|ma|但)(?: (?:nur|seulement|uniquement|solo|sólo|apenas)(?!\w)|只|仅|僅|\u4e00)",
    re.IGNORECASE,
)
# `{"applies_to_both": false}`
_BOOLEAN = re.compile(
    r"\A(?:json)?[\s{]{0,9}[\"']?(?P<key>[a-z][a-z ]{0,40})[\"']? ?: ?[\"']?(?P<value>true|false|yes|no)[\"']?[\s}]{0,9}\Z",
    re.IGNORECASE,
)
# All of a reply.
_ALONE = re.compile(
    r"\A\W{0,4}(?:(?P<yes>y|t|absolutely|definitely|certainly|indeed(?:,? it (?:does|is))?|it does|i (?:think|believe) so|(?:that|this|it)(?:'s| is) (?:true|correct|right)(?! )|(?:applies|true|correct)(?= both)|(?:it )?applies|(?:it is |it's )?applicable|yes yes|of course)"
    r"|(?P<no>n|f|(?:absolutely|definitely|certainly|probably|most likely|likely|i (?:think|believe)) not|not (?:really|at all|exactly|quite|true|correct)|(?:überhaupt|gar) nicht|keineswegs|(?:i'm afraid|unfortunately) not|pas du tout|en absoluto|hardly|i do(?:n't| not) think so|it does(?: not|n't)|(?:it is |it's )?not applicable|no no|of course not))\W{0,4}\Z",
    re.IGNORECASE,
)
_OF_BOTH = re.compile(
    r"\b(?:both|appl(?:y|ies|icable)|holds|shared?|common|match(?:es)?|valid|correct|similar(?:ity)?)\b"
)
# Both words in one breath, in languages that do not space words.
_EITHER = r"是[,]?(?:或|还是|還是|/|也)(?:否|不是)"
_ANSWERS = (
    "answer", "verdict", "conclusion", "response", "judge?ment", "decision", "result", "final answer", "output", "a", "label", "prediction", "assistant", "ai", "model", "bot", "judge", "applies", "value", "choice", "statement",
    "答案", "回答", "结论", "结果", "回答", "結論", "antwort", "fazit", "réponse", "conclusion", "respuesta", "conclusión",
)  # fmt: skip
_FINALS = ("final answer", "final verdict", "final judge?ment", "my final answer", "final", "最终答案", "最終答案", "endgültige antwort", "réponse finale", "respuesta final")  # fmt: skip
_THEREFORE = r"(?<![a-z])(?:therefore|thus|hence|so|overall|in conclusion|finally|in summary|因此|所以|daher|deshalb|also(?= (?:ja|nein)\b)|donc|por eso|por lo tanto) ?[,:]? ?(?:the answer is ?:? ?)?[\"']?"
_STATEMENT = r"(?:(?:the|this|that) (?:statement|description|claim|sentence)|it|this|that)"
_HOLDS = r"(?:appl(?:y|ies|icable)|describes?|holds?(?: true)?|(?:is|are|be) (?:(?!not|never|only|hardly)\w+ )?(?:true|correct|accurate|applicable|valid)|true|valid|applicable|accurate|fits?|match(?:es)?|characteri[sz]es?|refers?|pertains?)"
# What is said of the statement, or of the scenes: 1 for both, 0 for one of them.
_CLAIMS = (
    (1, rf"{_HOLDS}(?: (?:equally|well|only))*(?: (?:to|for|of|in|with|across))? (?:both|each|the two|all)(?: of)?(?: (?:the|these|them))?(?: (?:two |given |side-by-side )?{_THINGS})?"),
    (1, r"not (?:only|just) (?:for |to |in )?(?:the )?(?:one|first|second)[^.\n]{0,30}?,? but (?:also )?(?:for |to |in )?both"),
    (1, rf"both {_THINGS} (?:match|fit|satisfy|are (?:accurately |correctly )?(?:described|covered|matched))"),
    (0, rf"{_HOLDS}(?: (?:equally|well))*(?: (?:to|for|of|in|with))? (?:only|just|solely|exclusively)(?: (?:to|for|of|in|with))? (?:the )?{_ONE_OF_THEM}"),
    (0, rf"(?:only|just|solely|exclusively) {_HOLDS}(?: (?:to|for|of|in|with))? (?:the )?{_ONE_OF_THEM}"),
    (0, rf"(?:only|just) (?:in |for |to )?(?:the )?(?:{_ONE_OF_THEM})(?: of (?:the|these|them)(?: two)?)? ?(?:{_THINGS}|one|of them|$|[.,;])"),
    (0, rf"(?:does(?:n't| not)|do(?:n't| not)|is(?:n't| not)|are(?:n't| not)|cannot|can't)(?: \w+)? (?:{_HOLDS}|true|applicable)(?: (?:to|for|of|in|with))? (?:both|either|each|{_ONE_OF_THEM})"),
    (0, r"not (?:for |in |of |to )?both|(?:appl(?:y|ies)|holds|(?:is )?true)(?: (?:to|for|of|in))? neither|but not (?:in |for |of |to )?(?:the )?(?:other|second|first)|(?:it is|it's) (?:not (?:the case|true)|false|untrue) that both"),
    (0, rf"but not (?:in |for |of |to )?(?:the )?{_THINGS} [12ab]\b|{_STATEMENT} (?:does not|doesn't) (?:hold|apply|fit)(?=[.!]?\s*\Z)"),
    (1, rf"{_HOLDS}(?: (?:to|for|of|in|with))? (?:the )?{_THINGS} [1a] and (?:{_THINGS} )?[2b]\b|(?:it is|it's) (?:true|correct|the case) that both"),
    (1, r"适用于两|两(?:个|张|幅|者)[^\u3002\n]{0,12}都(?!不)|两者都(?!不)|適用於兩|兩(?:個|張|幅|者)[^\u3002\n]{0,12}都(?!不)|gilt für beide|trifft auf beide|s'applique aux deux|se aplica a ambas|se aplica a ambos"),
    (0, r"(?:只|仅|僅)(?:适用于|適用於|有|符合|描述)[^\u3002\n]{0,8}(?:\u4e00|左|右|1|2|二)|并不都|nur (?:für|auf) (?:eine|das erste|die erste|das zweite)|seulement à (?:la|une)|solo (?:se aplica )?a (?:la|una)"),
)  # fmt: skip


def careful(response: str, labels: str = DEFAULT_LABELS) -> Parsed:
    r"""What a careful person makes of a reply.

    Args:
        response: the reply; any string.
        labels: the two words, a key of `LABELS`.

    Returns:
        1 or 0 with the reply, its thoughts left out; None with what is wrong.

    Raises:
        ValueError: for unknown labels.

    >>> careful("**Yes**, both have a dog.").value
    1
    >>> careful("The answer is 'one'.", "both/one").value
    0
    >>> careful("None of them.")
    Parsed(value=None, reason='neither "yes" nor "no"')
    """
    positive, negative = words(labels)
    text = (
        plain(response)
        .rewritten(_choice(), lambda _: " ")
        .rewritten(_BOOLEAN, _as_word)
        .rewritten(_ALONE, _as_answer)
    )
    reply = strip_thinking(response).strip()
    candidates = [*given(text.text, _table(labels)), *_claimed(text.text, labels)]
    return decide(text, candidates, reply, f'neither "{positive}" nor "{negative}"')


def strict(response: str, labels: str = DEFAULT_LABELS) -> Parsed:
    """The word that was asked for, if the reply starts with it.

    Args:
        response: the reply; any string.
        labels: the two words, a key of `LABELS`.

    Raises:
        ValueError: for unknown labels.

    >>> strict("**No**, it does not.").value, strict("The answer is no.").value
    (0, None)
    """
    positive, negative = words(labels)
    reply = strip_thinking(response).strip()
    found = re.match(
        rf"[^\w]*({positive}|{negative})(?![\w-])(?! *(?:/|or\b|and\b))", reply, re.IGNORECASE
    )
    if not found:
        return Parsed(None, f'does not start with "{positive}" or "{negative}"')
    return Parsed(int(found[1].lower() == positive), reply)


def paper(response: str, labels: str = DEFAULT_LABELS) -> Parsed:
    """The authors' reading: how the first line starts (Appendix A.3).

    Args:
        response: the reply; any string.
        labels: the two words, a key of `LABELS`.

    Returns:
        1 or 0 with the reply; None with what is wrong.

    Raises:
        ValueError: for unknown labels.

    >>> paper("None of them.").value, paper(" yes").value
    (0, None)
    """
    positive, negative = words(labels)
    line = response.strip("*").lower().split("\n")[0]
    if line.startswith(positive):
        return Parsed(1, response.strip())
    if line.startswith(negative):
        return Parsed(0, response.strip())
    return Parsed(None, f'does not start with "{positive}" or "{negative}"')


def authors(response: str, labels: str = DEFAULT_LABELS) -> Parsed:
    """The authors' code (`yesno_authors`); arguments as for `paper`."""
    return yesno_authors.authors(response, *words(labels))


RULES: dict[str, Rule] = {
    "careful": careful,
    "strict": strict,
    "paper": paper,
    "authors": authors,
}
DEFAULT = "careful"


def read(response: str, rule: str | None = None, labels: str = DEFAULT_LABELS) -> Parsed:
    """Read a reply by a rule and for two words.

    Args:
        response: the reply; any string.
        rule: a name in `RULES`; None for the default.
        labels: the two words, a key of `LABELS`.

    Raises:
        ValueError: if the rule or the labels are unknown; never because of the reply.

    >>> read("**One**", "paper", "both/one").value
    0
    """
    return RULES[rule_name("yesno", rule)](response, labels)  # type: ignore[call-arg]


def words(labels: str) -> tuple[str, str]:
    """The word for 1 and the word for 0.

    Raises:
        ValueError: naming the labels that are known.
    """
    if labels not in LABELS:
        raise ValueError(f"unknown labels {labels!r}; known: {', '.join(LABELS)}")
    return LABELS[labels]


def _meanings(labels: str) -> dict[str, int]:
    """What a word means: those that were asked for, and others that answer the same question."""
    asked = LABELS[labels]
    others = () if labels == "both/one" else [pair for pair in LABELS.values() if pair != asked]
    return {word: 1 - n for pair in (asked, *others) for n, word in enumerate(pair)}


def _as_answer(alone: re.Match[str]) -> str:
    return f"the statement is {'true' if alone['yes'] else 'not true'}"


def _as_word(boolean: re.Match[str]) -> str:
    """The value of an object that says whether both do."""
    key = boolean["key"].lower()
    if not _OF_BOTH.search(key) or re.search(r"\b(?:one|only|not)\b", key):
        return boolean[0]
    return f"the statement applies to {'both' if boolean['value'].lower() in ('true', 'yes') else 'only one'} images"


@functools.cache
def _choice() -> re.Pattern[str]:
    """Both words in one breath, as the prompt has them."""
    link = r"[\"']? ?(?:/|\||or\b|and\b) ?[\"']?"
    pairs = [rf"{one}{link}{two}|{two}{link}{one}" for one, two in LABELS.values()]
    whole = [rf"{one}[^\w\n]{{1,3}}{two}|{two}[^\w\n]{{1,3}}{one}" for one, two in LABELS.values()]
    return re.compile(
        rf"{_EITHER}|[\"']?\b(?:{'|'.join(pairs)})\b[\"']?:?|\A\W{{0,4}}(?:{'|'.join(whole)})\W{{0,4}}\Z",
        re.IGNORECASE,
    )


@functools.cache
def _word(labels: str) -> str:
    found = [
        rf"(?P<{name}>{any_of([_SPELLED[name]])}(?!{_HALF})(?=[\"')\]}}]{{0,3}} ?(?:\Z|[^\w\s-])|[\"')\]}}]{{0,3}}\n| -|[\u3040-\u9fff\uac00-\ud7a3]| {_GOES_ON[name]}(?![a-z])))"
        for name in _meanings(labels)
    ]
    return "|".join(found)


@functools.cache
def _table(labels: str) -> Table:
    meanings = _meanings(labels)

    def read_word(match: re.Match[str]) -> tuple[Any, str]:
        return next(value for name, value in meanings.items() if match[name]), ""

    return Table(
        value=_word(labels),
        read=read_word,
        labels=_ANSWERS,
        finals=_FINALS,
        bare=_word(labels),
        brackets=True,
        fill=r"(?:therefore|thus|a|an?|\")",
    )


@functools.cache
def _openings(labels: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    word = f"(?P<value>{_word(labels)})"
    number = r"(?:[0-9]{1,2}[.):][\W_]*)?"
    return (
        re.compile(rf"\A[\W_]*{number}{word}", re.IGNORECASE),
        re.compile(
            rf"(?:{_THEREFORE}|[?] |(?<![a-z])i(?:'d| would)? (?:say|answer|go with|choose|think)(?: that)?:? |(?<![a-z])(?:actually|wait|hmm|rather|i mean|correction|oh)[,:.!-]{{0,3}} |(?<![a-z])it(?:'s| is) |(?:[,\u3001\u3002]|doch nicht:|应该是:|應該是:|de hecho:|en fait :) ?(?=[^\n]{{1,20}}\Z)(?=[^,:.\u3002]*[^\w?]{{0,4}}\Z))[\"']?{word}",
            re.IGNORECASE,
        ),
    )


@functools.cache
def _claims() -> tuple[tuple[int, re.Pattern[str]], ...]:
    return tuple((value, re.compile(claim, re.IGNORECASE)) for value, claim in _CLAIMS)


def _claimed(text: str, labels: str) -> Iterator[Candidate]:
    table = _table(labels)
    opening, conclusion = _openings(labels)
    half = None if labels == "both/one" else _TAKEN_BACK.match(text)
    found = opening.match(text)
    if half:
        yield Candidate(None, BARE, *half.span(), "an answer that is taken back")
    elif found:
        value = table.read(found)
        assert value is not None
        # "Both have a dog" may be about anything.
        goes_on = labels == "both/one" and re.match(r" [a-z]", text[found.end() :], re.IGNORECASE)
        strength = HINTED if goes_on else BARE
        yield Candidate(value[0], strength, found.start("value"), found.end("value"))
    for match in conclusion.finditer(text):
        value = table.read(match)
        assert value is not None
        yield Candidate(value[0], BARE, match.start("value"), match.end("value"))
    for claim, pattern in _claims():
        for match in pattern.finditer(text):
            concludes = re.search(
                _THEREFORE, text[max(0, match.start() - 60) : match.start()], re.IGNORECASE
            )
            yield Candidate(claim, CONCLUDED if concludes else CLAIMED, *match.span())
    if labels == "true/false" or labels == "yes/no":
        for match in re.finditer(
            rf"{_STATEMENT} is (?:therefore |thus )?(?P<value>(?P<no>not |in)?(?:true|correct|accurate|false))(?! (?:that|in|for|of) )",
            text,
            re.IGNORECASE,
        ):
            denied = bool(match["no"]) ^ match["value"].lower().endswith("false")
            yield Candidate(int(not denied), CONCLUDED, *match.span())
