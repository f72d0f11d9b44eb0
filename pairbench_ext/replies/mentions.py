"""Mentions of the first and the second of two answers, whatever a reply calls them.

In the text that comes out, a mention is one character, so that what is said of it can be looked
for in a few patterns per language: `FIRST`, `SECOND`, or `EITHER` where both are named in one
breath ("Answer 1 or Answer 2").
"""

from __future__ import annotations

import re
from itertools import groupby

from pairbench_ext.replies.plain import Plain

# Letters, so that no pattern takes them for signs; runes, so that no reply has them.
FIRST, SECOND, EITHER = "\u16a0", "\u16a2", "\u16a6"
ANY = f"[{FIRST}{SECOND}]"

_ONE, _TWO = "1|(?-i:[Oo]ne|ONE)|\u4e00|甲", "2|(?-i:[Tt]wo|TWO)|二|乙"
_WHICH = rf"(?P<which%s>(?:{_ONE}|{_TWO})(?![\w]|[.,][0-9])|(?-i:[AB])(?![a-zA-Z0-9'])|(?-i:[AB])(?='s)|(?-i:[ab])(?=\ (?:is|was|wins|has|gave|gives|provides)\b|\s*\Z)|[12\u4e00二甲乙](?=[^\W\d_a-z\u00e0-\u00ff])(?![样樣致般定个個起些直方]))"
_NOUN = (
    r"(?:answers?|responses?|candidates?|assistants?|replies|reply|models?|options?|outputs?|completions?|solutions?|versions?|captions?|descriptions?|choices?|chatbots?|ai"
    r"|assistent(?:en|in|e)?|asistente|assistante|kandidat|candidat[oa]?|modell|mod[eè]le|odpowied[z]|yan[i]t|ans\.?"
    r"|antwort(?:en)?|r[eé]ponses?|respuestas?|respostas?|rispost[ae])"
)
_CJK = r"(?:回答|答案|回复|回覆|回復|回應|回应|回答者|响应|回答案|选项|選項|助手|模型|応答|解答)"
_ORDINAL = (
    r"(?P<first>first|1st|erste[nrms]?|premi[eè]re?|primera|primeira|第[\u4e001]|\u4e00番目|1番目|最初)"
    r"|(?P<second>second|2nd|zweite[nrms]?|deuxi[eè]me|seconde|segunda|第[二2]|二番目|2番目)"
)
_MENTION = re.compile(
    rf"""
    (?P<open> ["'\[(<]{{1,3}} )? (?: (?<! [a-z\u00e0-\u00ff] ) (?: the | die | der | das | den | la | le | el | il | l[ao]s | an? | o | het | de ) \ )?
    (?: (?<! [a-z\u00e0-\u00ff] ) (?: answer | response | reply | output | antwort | r[eé]ponse | respuesta | resposta ) \ (?: of | from | by | given \ by | provided \ by | von | de | del | da | do ) \ (?: the \ | el \ | l' )? (?= assist | asist | model | mod[eè] | candid | chatbot | ai \b ) )? (?:
      (?<! [a-z\u00e0-\u00ff] ) {_NOUN} (?: \  | \n (?= [12] ) | - )?
        (?: no \.? \ ? | number \ | \# | n\u00b0 \ ? | nr \.? \ ? )? (?P<in1> [(\[<'"]{{1,2}} )? {_WHICH % 1} (?(in1) [)\]>'"]{{1,2}} )
    | {_CJK} \ ? (?P<in2> [(\[<#"]{{1,2}} )? {_WHICH % 2} (?(in2) [)\]>"]{{0,2}} )
    | (?<! [a-z\u00e0-\u00ff] ) (?: {_ORDINAL} ) (?: \ | 个 | 個 | 篇 | 条 | 段 | 種 | の )?
        (?: (?! choice ) {_NOUN} | {_CJK} | one (?! [a-z] ) )
    ) (?(open) ["'\])>]{{1,3}} ) (?: 's \ (?: answer | response | reply | output ) (?![a-z])
      | 的 (?: 回答 | 答案 | 回复 | 回覆 | 回應 | 回应 ) | の (?: 回答 | 応答 | 答え | 解答 | 返答 ) | 의 \ ? (?: 답변 | 응답 | 대답 ) )?
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: What a score is called.
SCORE_NOUNS = (
    "scores?", "ratings?", "grades?", "marks?", "points", "得分", "评分", "評分", "分数", "分數", "打分", "点数", "得点", "評価", "評点",
    "bewertung", "punktzahl", "punkte", "wertung", "note", "puntuación", "puntaje", "puntos", "calificación", "nota",
)  # fmt: skip
_POSSESSIVE = re.compile(
    rf"{ANY}(?:'s?(?= (?!(?:better|best|clearly|the|superior|the better|stronger|more|(?:(?:overall|final|total) )?(?:scores?|ratings?|grades?|marks?|total|points))\b)[a-z]))",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    rf"{ANY} ?(?:,? ?(?:and|or|nor|vs\.?|versus|oder|und|noch|ou|et|ni|o|y|e|和|与|與|或|还是|還是|及|跟|\u3001)|[/&]) ?(?:both )?{ANY}",
    re.IGNORECASE,
)


# "The latter": of two that were named just before, or of the two that were shown.
_IS_BETTER = re.compile(
    r" (?:is|ist|est|es|é) (?:\w+ly |the |la |a )?(?:better|best|superior|preferable|besser|meilleure|supérieure|mejor)(?=[.,;!]|\s*\Z)| ?更[好优佳](?=[,.\u3002]|\s*\Z)",
    re.IGNORECASE,
)
_CHOSEN = r"(?:(?<=prefer )|(?<=choose )|(?<=pick )|(?<=select )|(?<=go with ))(?=the (?:first|second)[.!]?(?:\s|\Z))"
_OF_TWO = re.compile(
    rf"(?<![a-z\u00e0-\u00ff])(?:(?:the|die|der|das) )?(?:(?:former|erstere[rsnm]?)|(?P<second>latter|letztere[rsnm]?))(?![a-z])"
    rf"|(?:前者)|(?P<second2>[后後]者)"
    rf"|(?:{_CHOSEN}|(?<![a-z])(?=(?:the|la|a) \w+{_IS_BETTER.pattern}))(?:the|la|a) (?:(?:first|premi[eè]re|primera|primeira)|(?P<second3>second|seconde|deuxi[eè]me|segunda))(?![a-z])",
    re.IGNORECASE,
)
_NEAR = 300  # characters before "the latter" in which the two are named


def marked(text: Plain) -> Plain:
    """The text with one character for every mention of an answer."""
    text = text.rewritten(_MENTION, _which)
    text = text.rewritten(_OF_TWO, _of_two)
    text = text.rewritten(_POSSESSIVE, lambda _: EITHER)
    return text.rewritten(_TOGETHER, lambda _: EITHER)


def answer_of(mark: str) -> int | None:
    """1 or 2."""
    return {FIRST: 1, SECOND: 2}.get(mark)


def _of_two(said: re.Match[str]) -> str:
    before = said.string[max(0, said.start() - _NEAR) : said.start()].rpartition("\n\n")[2]
    named = [mark for mark, _ in groupby(re.findall(ANY, before))]
    ends = said.end() + 1 >= len(said.string)
    if not named and (ends or _IS_BETTER.match(said.string, said.end())):
        named = [FIRST, SECOND]
    return named[said.lastgroup is not None] if len(named) == 2 else said[0]


def _which(mention: re.Match[str]) -> str:
    if mention["first"] or mention["second"]:
        return FIRST if mention["first"] else SECOND
    return (
        FIRST
        if (mention["which1"] or mention["which2"]).lower()
        in ("1", "one", "i", "a", "\u4e00", "甲")
        else SECOND
    )
