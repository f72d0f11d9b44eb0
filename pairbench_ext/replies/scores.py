"""What a score on a scale looks like, for the engine: ratings from 1 to 10, scores from 1 to 5."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.context import any_of
from pairbench_ext.replies.engine import (
    CLAIMED,
    CONCLUDED,
    FINAL,
    HINTED,
    Candidate,
    Table,
    decide,
    given,
)
from pairbench_ext.replies.numbers import CONTINUED, NUMBER, SUM, number, of_scale, over
from pairbench_ext.replies.plain import Plain

NO_SCORE = "no score"
EXCERPT = 20  # characters of an unusable score that are quoted

_WHOLE = (
    "final", "overall", "total", "revised", "final similarity", "overall similarity", "corrected", "updated", "new", "adjusted"
)  # fmt: skip
FINALS = (
    *(f"{whole} {kind}" for whole in _WHOLE for kind in ("scores?", "rating", "judge?ment", "verdict", "assessment", "evaluation", "grade", "mark")),
    "overall", "in total", "average", "all in all", "all things considered", "taking (?:everything|all (?:of )?(?:this|that)) (?:together|into (?:account|consideration))", "(?:revised|corrected|updated|adjusted)(?: to)?", "correction", "edit", "after re-?\\w+ing(?: (?:it|this|them|the \\w+))?",
    "korrektur", "korrigiert", "corrección", "corregido", "corrigé", "更正", "修正(?:后|後)?", "訂正", "final answer", "overall similarity", "final", "verdict", "judge?ment", "decision",
    "最终(?:得分|评分|分数|结果|答案|结论|相似度)?", "最終(?:得分|評分|分數|結果|答案|評価)?",
    "総合|综合|綜合", "note? (?:final|finale)", "nota (?:final|geral|total|global)",
    "(?:总|總|総合|综合|綜合|总体|整体|整體)(?:得分|评分|評分|分|评价|評価|得点|点)",
    "gesamt(?:bewertung|punktzahl|note|wertung|score)?", "endbewertung", "score final", "note (?:finale|globale)", "puntuación (?:final|total|general)", "calificación final",
)  # fmt: skip
LABELS = (
    *(f"(?:{about} )?{kind}" for about in ("similarity",) for kind in ("scores?", "rating", "grade", "mark", "value", "level")),
    "similarity", "answer", "result", "ans", "score value", "points?", "overall rating", "match", "output", "similarity index", "prediction", "response", "evaluation", "alignment(?: score)?", "rated", "scored", "rate", "similarityscore",
    "(?:相似度|相似性|匹配度|類似度|類似性)?(?:得分|评分|評分|分数|分數|打分|评定|评价|評價|評価|得点|点数|評点|评级)(?:結果|结果)?",
    "相似度", "類似度", "匹配度", "答案", "結果", "结果",
    "bewertung", "punktzahl", "punkte", "ähnlichkeit(?:swert|sbewertung|spunktzahl|sscore|sgrad)?", "wertung", "note", "ergebnis", "punktwert", "antwort",
    "score de (?:similarité|ressemblance)", "note de (?:similarité|ressemblance)", "similarité", "évaluation", "résultat", "réponse",
    "puntuación(?: de similitud)?", "puntaje(?: de similitud)?", "calificación(?: de similitud)?", "similitud", "nota", "valoración", "resultado", "respuesta",
    "poäng",
)  # fmt: skip
_ASPECT = re.compile(
    r" (?:for|in|on|regarding|in terms of) (?:the )?(?:colou?rs?|shapes?|composition|layout|backgrounds?|styles?|textures?"
    r"|content|lighting|brightness|contrast|orientation|rotation|sharpness|blur|positions?|objects?|image|picture|subject|first|second)\b(?! pair)",
    re.IGNORECASE,
)
# "10 would mean identical images", "10 being the best": what a number stands for.
_MEANS = re.compile(
    r"[\"'\])}/]{0,3} ?(?:\(?being|means?|meaning|represent(?:s|ing)?|indicat(?:es|ing)|denot(?:es|ing)|corresponds? to|stands? for|is reserved"
    r"|would (?:be (?!my|the)|mean|indicate|represent|require|imply|need)|requires?|bedeutet|représente|signifie|significa|representa"
    # "a 7 might be too high"
    r"|(?:is|was|would be|might be|may be|seems|feels) (?:a bit |a little |slightly |far |much )?(?:too|overly)\b"
    r"|(?:wäre|ist|serait|est|sería|es|seria|é) (?:etwas |un peu |um pouco |un poco )?(?:zu|trop|demasiad[oa]|muito)(?![a-z])"
    r"|[分点]?(?:会|會)?(?:有点|有點|偏|太|过|過)(?:高|低)"
    r"|分?(?:表示|代表|意味|为满分|是满分|為滿分))",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"(?:(?:below|above|under|over|exceed(?:s|ing)?|less than|more than|higher than|lower than|greater than|at least|at most|up to|maximum|minimum|max|min|not|than|perfect|highest|lowest|between(?: [0-9.]{1,5} and)?|full"
    r"|mindestens|höchstens|über|unter|au moins|moins de|plus de|al menos|más de|menos de|低于|高于|不超过|至少|最多|满分|滿分)(?: (?:an?|of|a|score|rating|possible|score of|rating of|un|eine?))* ?)\Z",
    re.IGNORECASE,
)
# "image 1", "Figure 2": no scores.
_NUMBERED = re.compile(
    r"((?<![a-z])(?:images?|pictures?|photos?|figures?|data|scenes?|texts?|descriptions?|captions?|objects?|options?|answers?|criterion|criteria|conditions?|steps?|points? of|bild|bilder|imagen|图像|图|圖|图片|圖片|画像)) ?#?[0-9]{1,2}(?!\d|/|\.\d)(?: ?(?:and|&|,|und|et|y|和|与) ?#?[0-9]{1,2}(?!\d|/|\.\d))?(?! ?(?:/|out of|分))",
    re.IGNORECASE,
)
# "8Reason:"
_GLUED = re.compile(
    r"(?<=[0-9])(?:Reason(?:ing)?|Explanation|Justification|Rationale)(?= ?:)", re.IGNORECASE
)
_REASON = re.compile(r"\s*reason", re.IGNORECASE)  # after "Score: <8", which lacks its bracket
_HALF = re.compile(r"(?<=[0-9]) ?\u00bd")
_STARS = re.compile(
    r"[\u2605\u2b50]{1,10}\u2606{0,10}(?P<number> ?(?=\(?[0-9]{1,2} ?/ ?10(?!\d)))?"
)
# "6 -> 8": the first is given up.
_CHANGED = re.compile(
    rf"{NUMBER}(?:/10)? ?(?:\u2192|\u279c|\u21d2|[-=]>) ?(?=[0-9])", re.IGNORECASE
)
# "> 7", "<= 7", "<7"; not "<7>", which is a bracket, nor "-> 7" and "</b>7".
_BOUND = re.compile(r"(?:[\u2264\u2265]|[<>]=|<|(?<=[:a-z] )>) ?\Z")
# "6到8分": the 8 is the end of a range.
_FROM = re.compile(r"[0-9] ?[分点點]? ?[到至或~\u301c] ?\Z")
# "8 out of 10 objects match": a share.
_SHARE = re.compile(
    r" (?:(?!as |since |because |and |but |for |given |with |when |the |so )[a-z]+ )?(?!points|stars|is |as )[a-z]{3,}s (?:are|were|match|have|had|share|differ|appear|remain|look|agree)\b"
)
# What is left of "Score, from 1 to 10: 8" without the scale.
_COMMA = re.compile(r"(?<=\w), ?(?= ?[:=])")
_N_END = r"(?=[\"'\])}>]{0,3}(?:\s*$|[.,;:!)\u3002\uff0c](?!\d)| ?[-(]| (?:for|because|since|as|on|overall|in|due|given|and|but|to|here|based|with|which|considering|is|seems|would|feels|reflects|fits|out|rating|score|similarity|points?|from|weil|vergeben|geben|da|für|car|pour|porque|por|von|sur|de)(?![a-z])|[\u3040-\u9fff\uac00-\ud7a3]))"


@functools.cache
def _scale(low: int, top: int) -> tuple[Table, re.Pattern[str], tuple[re.Pattern[str], ...]]:
    """The table, what the scale itself is called, and the claims."""
    of = of_scale(top)
    value = NUMBER + of
    table = Table(
        value=value,
        read=functools.partial(_read, low, top),
        labels=LABELS,
        finals=FINALS,
        bare=value,
        fill=r"(?:(?:(?:very |extremely |quite |fairly |moderately |highly )?(?:excellent|outstanding|perfect|good|decent|fair|average|acceptable|moderate|mediocre|satisfactory|poor|bad|terrible|low|high|medium|similar|different|strong|weak)(?: (?:similarity|match|quality))?|优秀|良好|很好|\u4e00般|较差|差|非常好) ?(?=[(:-])[ :-]{0,3}|de|(?:about|around|close to|somewhere around|maybe|perhaps|probably|likely)(?: an?)?|approximately|roughly|approx\.?|an?|a solid|a strong|~|\u2248|circa|ca\.?|etwa|ungefähr|environ|aproximadamente|unos|大约|大約|约|約|約) ?",
        brackets=True,
    )
    to = r"(?:-|~|\u301c|to|and|through|bis|à|a|y|et|und|到|至)"
    edges = rf"(?<![\d./])[01](?:\.0)? ?(?:分|点)? ?{to} ?{top}(?![\d.]\d|\d|/)(?: ?(?:分|点))?"
    scale = re.compile(
        rf"[(<\[]? ?(?:(?:(?:on|in|using|within|auf|sur|en) )?(?:(?:a|the|our|einer|der|une|una) )?(?:similarity |rating |scoring )?(?:scale|range|skala|échelle|escala) ?(?:of|from|:|is|being|von|de)? ?|(?:out )?(?:from|between|von|de) )?"
        rf"{edges}(?: ?scale)?[)>\]]?|(?:on|in|using) an? {edges} ?scale|(?<![\d ])(?<!\d )(?: ?\(?(?:out of|over|von|sur|sobre|/) ?{top})\)?(?= ?[:=])|(?:on|in) an? {top}[- ]point (?:scale|system)"
        rf"|(?:\(?满分|\(?滿分)(?:为|是|為)? ?{top} ?分?(?:制)?[,\uff0c)]?|{top} ?分(?:满分|滿分)(?:的话|的話|来说|來說)|{top} ?分(?:制|满分|滿分)?(?:中|里|裡|制)|{top} ?点(?:満点)?(?:中)",
        re.IGNORECASE,
    )
    n, filler = f"(?P<value>{value})", r"[^.\n\d;!?]{0,60}?"
    claims: tuple[str, ...] = (
        rf"(?<![\d./:-])(?<!\d,)(?! ?\d+ of \d+ [a-z]{{3}}(?<! for)(?<! and)(?<! but))(?P<value>{NUMBER}(?:{over(top)}| ?(?:分(?!钟|鐘|之|别|別|布|析|明)|点(?!数|目))))",
        rf"(?<![a-z])(?:rate|score|grade|give|call|rank|assign|award|estimate|settle|go|lean|pick|select|arrive|end up|land|opt|say|judge|evaluate|assess|put|place|deserve|earn|merit|get|receive|warrant|choose)(?:s|d|ed|ing)? {filler}(?<![\w.]){n}{_N_END}",
        rf"(?<![a-z])(?:scores?|rating|grade|mark|similarity|bewertung|punktzahl|note|puntuación|calificación)(?: (?:score|rating|value|level))? (?:of|at|to be|as|comes? (?:out )?(?:to|at)|stands at|lands at|between (?:the|these) [^.\n\d]{{0,40}}?(?:is|as)|von|de|für [^.\n\d]{{0,40}} (?:ist|lautet)|for [^.\n\d]{{0,40}}? (?:is|would be|should be)|of [^.\n\d]{{0,40}}? (?:is|as|at)|de [^.\n\d]{{0,40}}? (?:est|es))(?: (?:about|around|approximately|roughly|a|an|un|une|eine?))? ?{n}{_N_END}",
        rf"(?<![a-z])(?:it's|it is|this is|that's|call it|probably|maybe|perhaps|definitely|solid|clearly)(?: (?:about|around|a|an|a solid|a strong|a clear))? {n}{_N_END}",
        rf"(?<![a-z])(?:do|ger|bewerte|gebe|vergebe|würde|donne|mets|attribue|note|doy|otorgo|asigno|califico|puntúo|daría) {filler}(?<![\w.]){n}{_N_END}",
        rf"(?<![a-z])(?:on second thought|on reflection|actually|wait|no|rather|eine|einen),? (?:an? |it's an? )?{n}{_N_END}",
        rf"(?<![a-z])eine? {n} (?:ver)?geben",
        rf"(?:^|[.!?] )(?:about|around|roughly|approximately|circa|etwa|ungefähr|environ|aproximadamente|unos|cerca de|大约|大約|約) ?(?:an? )?{n}(?=[.!]?\s*$|, )",
        rf"(?:^|[.!?] )(?:an?|easily an?|(?:an? )?(?:perfect|solid|strong|clear|firm|decent|comfortable)) {n}{_N_END}",
        rf"(?<![\w./-]){n} (?:(?:is|seems|feels|looks|would be)(?: (?:quite|most|the most|about|more|a))? )?(?:fair|appropriate|right|reasonable|fitting|suitable|justified|warranted|adequate)\b",
        rf"(?<![a-z])(?:but|however|mais|aber|pero|sino)\b[^.\n\d]{{0,60}}?(?:,| an?| une?| eine?) {n}(?=[.!]?\s*$)",
        rf"(?<![a-z])(?:similar|alike|identical|same|match|different|unrelated)\w*(?:,| -| \() ?{n}\)?(?=[.!]?\s*\Z)",
        rf"(?<![a-z])not an? {NUMBER},? but (?:rather )?an? {n}{_N_END}",
        rf"(?<![a-z])(?:images|pictures|pair|they|these|two|both)(?! of)[^.\n\d]{{0,20}}? (?:are|is|deserves?) an? {n}{_N_END}",
        rf"(?<![a-z])(?:ähnlichkeit|bewertung|punktzahl|wertung) (?:liegt bei|beträgt) (?:etwa |ungefähr )?{n}{_N_END}",
        rf"(?<![a-z])(?:so|thus|therefore|hence|overall|makes? (?:it|this|them)|worth|deshalb|daher|also|donc|por eso|por tanto)[,:]? (?:it is |it's )?(?:an? |eine |une? )?{n}{_N_END}",
        rf"(?<![\w./-]){n} (?:it is(?! \w)|(?:is|would be|as) (?:my|the) (?:final |overall |similarity )?(?:score|rating|grade|mark|verdict)(?! (?:for|of|in) \w+ing)(?= (?:i |to |for )|[^\w]|$))",
        rf"(?:给|給|打|评|評|评为|应为|定为|定為)(?:出|予|了|到|為|为|分)?[^\d\n\u3002\uff0c,.]{{0,12}}{n}",
    )
    changed = (
        rf"(?<![a-z])(?:rais|lower|chang|revis|updat|adjust|increas|decreas|reduc|bump|drop|correct|mak|mov)(?:e|es|ed|ing|p|s)? (?:(?:it|this|that|(?:my|the) (?:\w+ )?(?:score|rating|grade|mark|evaluation|similarity))(?: (?:up|down))? )?(?:from (?:an? )?{NUMBER}(?:{over(top)})? )?(?:to |that )(?:an? |be )?{n}{_N_END}",
        rf"(?<![a-z])(?:(?:i|we) (?:actually )?(?:meant|mean)|no,? wait|wait,? no|actually,? no)[,:]? (?:an? |it's an? )?{n}{_N_END}",
        rf"(?:降|升|改|调|調|减|減)(?:低|高|整)?(?:到|至|为|為|成)[^\d\n\u3002\uff0c,.]{{0,4}}{n}",
        rf"(?<![^\W_])(?:nein|nee|quise decir|quería decir|corrijo|je veux dire|je voulais dire|quis dizer|quero dizer|plutôt|应该是|應該是)[,\u3001:]? ?(?:(?:besser|doch|eher|lieber|plutôt|mejor|eine|un|um):? )*{n}{_N_END}",
    )
    flags = re.IGNORECASE | re.MULTILINE
    claims += tuple(f"(?P<changed>{claim})" for claim in changed)
    return table, scale, tuple(re.compile(claim, flags) for claim in claims)


def read(text: Plain, low: int, top: int) -> Parsed:
    """The score from `low` to `top` that a plain text gives, or why it gives none."""
    table, scale, claims = _scale(low, top)
    text = text.rewritten(_GLUED, lambda found: "\n" + found[0])
    text = (
        text.rewritten(_STARS, functools.partial(_counted, top))
        .rewritten(_CHANGED, lambda _: "")
        .rewritten(SUM, lambda _: "")
        .rewritten(_HALF, lambda _: ".5")
    )
    text = (
        text.rewritten(scale, lambda _: "")
        .rewritten(_COMMA, lambda _: "")
        .rewritten(_NUMBERED, lambda found: found[1])
    )
    possible = [(claim, n == 0) for n, claim in enumerate(claims)]
    candidates = [*given(text.text, table), *_claimed(text.text, table, possible)]
    return decide(text, candidates, "", NO_SCORE)


def _counted(top: int, stars: re.Match[str]) -> str:
    """Stars on the scale that was asked for, as a number."""
    if stars["number"] is not None:
        return ""
    filled = len(stars[0].rstrip("\u2606"))
    of_all = len(stars[0]) == top or (filled == len(stars[0]) and top <= 5)
    return f"{filled}/{top}" if of_all and filled <= top else stars[0]


_NUMBER = re.compile(NUMBER, re.IGNORECASE)


@functools.cache
def _of(top: int) -> re.Pattern[str]:
    return re.compile(over(top), re.IGNORECASE)


def _read(low: int, top: int, match: re.Match[str]) -> tuple[Any, str] | None:
    """What a number means where a score is expected."""
    text, (start, end) = match.string, match.span("value")
    if (
        _MEANS.match(text, end)
        or (" of " in match["value"] and _SHARE.match(text, end))
        or _ASPECT.match(text, end)
        or _BELOW.search(text, max(0, start - 40), start)
    ):
        return None
    written = _NUMBER.match(text, start)  # where it stands: what follows belongs to the pattern
    if not written:
        return None
    found = number(written[0])
    excerpt = text[start : start + EXCERPT]
    bound = _BOUND.search(text, max(0, start - 6), start)
    if bound and ">" not in text[start : end + 5] and not _REASON.match(text, end):
        return None, f"not one plain number: {text[bound.start() : start + EXCERPT]!r}"
    begun = _FROM.search(text, max(0, start - 6), start)
    if begun:
        return None, f"not one plain number: {text[begun.start() : start + EXCERPT]!r}"
    if text[start - 1 : start] in "+-" and start and not text[start - 2 : start - 1].isalnum():
        return None, f"not one plain number: {text[start - 1 : start + EXCERPT]!r}"
    if (
        written
        and found == 1
        and re.match(r"\. \S", text[end : end + 3])
        and not text[:start].strip()
    ):
        return None  # the first of a list
    scale = _of(top).match(text, end)  # of "[[8]]/10"
    end = scale.end() if scale else end
    if (
        found is None
        or CONTINUED.match(text, end)
        or re.match(r"[a-zA-Z0-9]", text[max(0, start - 1) : start])
    ):
        return None, f"not one plain number: {excerpt!r}"
    if "," in written[0] and not written[0].endswith(",5") and match["value"] == written[0]:
        return None, f"not one plain number: {excerpt!r}"
    if not low <= found <= top:
        return None, f"not from {low} to {top}: {written[0][:EXCERPT]}"
    return found, ""


_CONCLUDES = re.compile(
    any_of(
        (
            "therefore",
            "thus",
            "hence",
            "overall",
            "in conclusion",
            "in summary",
            "so",
            "finally",
            "因此",
            "综上",
            "总体",
            "総合",
            "daher",
            "insgesamt",
            "donc",
            "globalement",
            "por lo tanto",
            "en general",
        )
    ),
    re.IGNORECASE,
)


# "Colour: 8/10", a line that names what is scored: one aspect, where the reply has a score besides.
_NAMED = re.compile(r"[^\w\n]{0,9}(?:\d{1,2}[.)] )?[^\W\d][^\n:.!?\d]{0,40}[:|][ (\[\"'|]{0,4}")

# A score of one image is none of the pair.
_PER_IMAGE = re.compile(
    r"\w+ (?:the )?(?:first |second |left |right )?(?:image|picture|photo)(?: (?:an?|at|as|with))* ?[0-9]",
    re.IGNORECASE,
)


def _claimed(
    text: str, table: Table, claims: Iterable[tuple[re.Pattern[str], bool]]
) -> Iterator[Candidate]:
    """What claims say, each with whether its problems count, too."""
    for claim, is_first in claims:
        for match in claim.finditer(text):
            found = None if _PER_IMAGE.match(match[0]) else table.read(match)
            if found is None or (found[0] is None and not is_first):
                continue
            start = match.start("value")
            before = text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
            name = re.split("[,;(]", before)[-1]
            is_named = is_first and _NAMED.fullmatch(name)
            strength = HINTED if is_named else CLAIMED
            if _CONCLUDES.search(name if is_named else before):
                strength = CONCLUDED
            if "changed" in match.groupdict():
                strength = FINAL
            yield Candidate(found[0], strength, start, match.end("value"), found[1])
