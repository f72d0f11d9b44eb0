"""Whether what a reply seems to say is said: not denied, asked, supposed, quoted or ascribed.

Every pattern looks at the sentence around a candidate, and at no more than a few hundred
characters of it, so that reading a reply takes time linear in its length. English first; other
languages have what their replies need most often.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

REACH = 240  # characters of a sentence on either side of a candidate


def any_of(words: Iterable[str]) -> str:
    """A pattern of any of several words or phrases, which may be patterns; longer ones first."""
    found = sorted(words, key=len, reverse=True)
    return rf"(?<![a-z\u00e0-\u00ff])(?:{'|'.join(found)})(?![a-z\u00e0-\u00ff])"


def _search(*words: str) -> re.Pattern[str]:
    return re.compile(any_of(words), re.IGNORECASE)


_BOUNDARY = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bno)(?<!^\d)(?<!\n\d)[.!?;][\"')\]}]{0,3}(?=\s|$)"
    r"|[\u3002\uff01\uff1f\uff1b\n|]|</\w{1,20}>",
    re.IGNORECASE,
)
# What starts a clause of its own, so that a denial before it is none of what follows.
_CLAUSE = re.compile(
    r"[,;:()]|\s-\s|[\u3001\uff0c]|(?<![a-z])(?:but|however|yet|so|therefore|thus|hence|and|while|whereas|because|since"
    r"|instead|rather|aber|sondern|jedoch|mais|donc|pero|sino|por lo tanto)(?![a-z])"
    r"|但|而|所以|因此",
    re.IGNORECASE,
)
# What sets a statement against what was said before in its sentence.
_TURN = re.compile(
    r"(?<![a-z])(?:but|however|yet|aber|sondern|jedoch|mais|cependant|pero|sino|ma|then)(?![a-z])|;|: |但|然而",
    re.IGNORECASE,
)
_DENIED = _search(
    r"not(?! only| to mention| surpris| just| because)", r"\w+n't(?! help but)", "never", "cannot",
    "nor", "neither", "none", "hardly", "scarcely", "doubt(?:s|ful|ed)?(?<!no doubt)(?<!without a doubt)(?<!beyond doubt)",
    "disagree[sd]?", "deny", "denies", "unlikely", "wrong", "incorrect", "incorrectly", "false", "debatable", "unclear",
    "fails? to", "no reason", "no evidence", "refuse", "nothing",
    "nicht", "kein(?:e|er|en|em|es)?", "nie", "niemals", "bezweifle",
    "pas", "jamais", "aucune?", "doute que",
    "(?<!¿)no(?= (?:es|creo|me|se|está|diría|considero|puedo))", "nunca", "dudo",
    "不是", "并非", "並非", "不认为", "不認為", "不觉得", "并不", "並不",
    "没有", "沒有", "不(?:能|会|會|该|該|应|應|想)(?:给|給|打|评|評)", "未必", "不能说", "不能說", "不同意", "而非", "不选", "不選",
)  # fmt: skip
_NOT_AT_ALL = _search(
    r"(?:do|does|did|would|could|can)(?:n't| not) (?:think|believe|agree|feel|find|say|claim|conclude|consider|mean)",
    "cannot (?:say|claim|conclude|agree|be said)", "it is not (?:true|clear|the case|certain)",
    r"(?:hard|difficult|impossible) to (?:say|tell|decide|determine|judge)", "disagree", "i doubt",
    "glaube nicht", "denke nicht", "ne pense pas", "ne crois pas", "no creo", "no pienso",
)  # fmt: skip
_OPEN = _search(
    r"(?<!as )if(?! i (?:had|have|must|were)| forced| we(?! (?:only|just|merely|were|\w+ed)\b)| you (?:ask|want)| not)", "whether", "unless",
    "suppose", "supposing", "assuming(?! that both)", "let's (?:say|assume|suppose)", "in case", "provided that", "depend(?:s|ing) on",
    "had (?:it|the|answer|there)", "were it", "either", "could be argued", "might be argued",
    "would(?= (?:be(?! (?:appropriate|fair|right|reasonable|fitting|suitable|justified))|mean|have|need|require|get|represent|receive|suggest|indicate|imply))(?<!i would)(?<!my ranking would)(?<!my order would)(?<!my choice would)(?<!my verdict would)(?<!my rating would)(?<!my score would)(?<!my answer would)(?<!my judgment would)(?<!my preference would)(?<!my pick would)(?<!my evaluation would)",
    "wenn", "falls", "sofern", "ob", "si(?! tuviera| je devais| tengo)", "s'il", "si l'", "suponiendo",
    "如果", "假如", "假设", "假設", "若", "是否", "除非", "倘若",

)  # fmt: skip
_OTHERS = _search(
    r"(?:some|others|many|people|users?|readers?|one|critics|someone|a person|you)(?: \w+){0,2}"
    r" (?:might|may|could|can|would|will)(?: \w+){0,2}",
    r"(?:some|others|many|people|users?|readers?|critics|someone|skeptics)(?: \w+){0,2}"
    r" (?:argued?|says?|said|find|found|think|thought|feel|felt|prefer(?:red)?|claim(?:ed)?|believed?|suggest(?:ed)?|consider(?:ed)?)",
    "(?:might|may|could|can) (?:argue|think|say|believe|seem|appear|be tempted)(?<!i can say)(?<!i could say)(?<!we can say)(?<!i may say)",
    "(?:its|the) (?:author|user|prompt|question|instruction|claim|idea|notion|argument|assertion|statement that)s?(?= (?:says|claims|thinks|believes|that|argues|states|was|is that))",
    "at first(?: glance| sight)?", "initially", "previously", "on the surface", "first impression", "seemed", "tempting", "my first thought",
    "once thought", "(?:i|we) (?:first |initially |originally )?(?:thought|assumed|considered)", "believes", "it could be said",
    "auf den ersten blick", "zunächst", "manche", "könnte man", "einige", "certains", "à première vue", "d'abord",
    "algunos", "a primera vista", "inicialmente",
    "有人", "也许", "也許", "乍看", "起初", "\u4e00开始", "\u4e00開始", "最初", "初看",
)  # fmt: skip
_ECHO = _search(
    "for example", "for instance", "e\\.g\\.", "example", "such as", "format", "template", "as in", "placeholder", "you should (?:say|output|answer|respond|end|write|reply|use|give)", "output like", "something like",
    "(?:asked|instructed|told|required|supposed|expected|need) (?:me )?to (?:\\w+ ){0,3}(?:say|output|answer|respond|end|write|reply|use|give|provide|choose)",
    "you (?:asked|want|said)", r"use(?= ?[\"'\[])", "respond with", "answer with", "reply with", "zum beispiel", "z\\.b\\.", "beispiel", "par exemple", "por ejemplo",
    "(?:end|conclude|finish|start|begin) (?:\\w+ ){0,3}with", "例如", "比如", "格式",
)  # fmt: skip
# Right before a candidate: the one that is not it.
_OTHER_ONE = re.compile(
    r"(?<![a-z])(?:(?:claim|assert)(?:s|ed|ing)?(?: that)?|one|another|second|2nd|third|next|less|least|runner-up|second-best|worse|worst|rejected|losing|other|weaker|inferior|not|wrong|incorrect|false|previous|initial|first impression|original|alternative|possible|lower|sample|example|reference|ground[- ]truth|human|expected|your|user's)"
    r"(?:[ -](?:best|preferred|likely|good|favou?red))?[ -]?\Z"
    # "..., otherwise a 4"
    r"|(?<![^\W_])(?:otherwise|else|sonst|andernfalls|sinon|de lo contrario|caso contrário|否则|否則),? ?(?:an? |eine? |un[ea]? |it(?:'s| is) )?\Z",
    re.IGNORECASE,
)
# Right after a candidate.
_UNSAID = re.compile(
    r"[\"')\]]{0,3},? ?(?:if(?![a-z])(?! i (?:had|have|must)| forced| not)|or (?:equal|at least|the same)|unless|only if|only when|provided|cannot|can't|initially|at first|in no|only for|"
    r"(?:is|was|are|would be) (?:an? |the )?(?:wrong|false|incorrect|not|mistaken|inaccurate|unlikely)|(?:is|was)n't|seems? (?:wrong|off)|would(?![a-z])"
    r"(?! be (?:my|the|(?:appropriate|fair|right|reasonable|fitting|suitable|justified)\b(?![^.\n]{0,60}\b(?:if|had|were)\b)))|might(?![a-z])|may(?![a-z])|falls(?![a-z])|wenn(?! man)|cuando|si(?![a-z])|是错|是不)",
    re.IGNORECASE,
)
# "..., isn't it?": no question.
_TAG = re.compile(
    r", ?(?:(?:is|are|does|do|was|were|has|have|would|wo|ca)n't (?:it|they|that|there|you)|(?:is|are|does|do) (?:it|they)"
    r"|nicht wahr|n'est-ce pas|verdad|né)\W{0,4}\Z",
    re.IGNORECASE,
)
# `"..." or "..."`: what may be said.
_CHOICE = re.compile(r"[\"'] ?(?:or|/) ?[\"']\Z")
# What an image or a text has, in its words.
_CITED = re.compile(
    r"(?<![a-z])(?:wrote|writes|written|reads?|reading|says?|said|saying|states?|stating|claims?|contains?|containing|includes?|including|displays?|shows?)"
    r"(?: (?:the|a) (?:string|text|words?|phrase|line|label|sentence|instruction|sign))?(?:[:,]? ?[\"'][^\"'\n]{0,100}|(?<=string) |(?<=text) |(?<=words) |(?<=phrase) |(?<=line) )\Z",
    re.IGNORECASE,
)
# In a reply that declines: what it would say.
_SUPPOSED = _search(
    "would", "could", "so that i can", "otherwise", "normally", "required", "requested", "asked"
)
REVISION = _search(
    r"wait(?= ?[,.:!-])", r"(?:(?<=[.!?,] )|(?<=\n))actually", "correction", "on (?:second thought|reflection|further (?:thought|reflection|inspection|review|consideration)|closer (?:look|inspection|examination)|reconsideration)s?",
    "looking (?:again|closer|more closely)", r"let me (?:re-?\w+|correct|revise|fix)", "scratch that", "i (?:change|changed|revise|correct|take (?:that|it) back|was wrong|made (?:a|an) (?:mistake|error)|misread|meant|retract|reconsider|stand corrected)",
    r"(?:revised|corrected|updated|adjusted|re-?evaluated|new|amended) (?:\w+ )?(?:score|rating|answer|verdict|judge?ment|decision|evaluation|ranking|choice)s?", "re-?evaluat(?:e|ing|ion)", "reconsider(?:ing)?", "upon (?:re-?\\w+ing|review|reflection|reconsideration|closer \\w+|further \\w+|second thought)",
    "after (?:reconsider(?:ing|ation)|re-?\\w+ing|further \\w+|a (?:second|closer) look|closer \\w+|more thought|thinking (?:again|more))", "sorry", "my mistake", "oops", "hmm", "edit", "no(?=[,:] )", "thinking (?:again|more|about it more)", "second look", "rather", "instead",
    "moment", "korrektur", "bei näherer betrachtung", "nach reiflicher überlegung", "nach erneuter", "genauer betrachtet", "doch noch", "réflexion faite", "après réflexion", "en y regardant", "en fait", "corrección", "pensándolo bien", "tras reflexionar", "tras reconsiderar", "espera", "en realidad", "na verdade", "pensando bem",
    "等等", "等\u4e00下", "更正", "修正", "重新", "再想", "再仔细", "仔细看", "再三", "反思", "考虑后", "再次", "不对", "不對", "訂正", "改为", "改為", "考慮後",
    "訂正", "再考",
)  # fmt: skip


@dataclass(frozen=True)
class Context:
    """The sentences of a plain text."""

    text: str

    @cached_property
    def _bounds(self) -> tuple[list[int], list[str]]:
        found = list(_BOUNDARY.finditer(self.text))
        return [match.end() for match in found], [match[0][0] for match in found]

    def sentence(self, start: int, end: int) -> tuple[str, str, str]:
        """What comes before and after a stretch in its sentence, and the sign that ends it."""
        ends, signs = self._bounds
        first = bisect_right(ends, start) - 1
        last = bisect_left(ends, max(end, start + 1))
        begin = ends[first] if first >= 0 else 0
        stop, sign = (ends[last], signs[last]) if last < len(ends) else (len(self.text), "")
        stop = max(stop, end)
        before = self.text[max(begin, start - REACH) : start]
        return before, self.text[end : min(stop, end + REACH)], sign

    def stands(self, start: int, end: int, *, declines: bool = False) -> bool:
        """Whether what the text says from `start` to `end` is said."""
        before, after, sign = self.sentence(start, end)
        if sign == "?":
            tag = _TAG.search(after)
            if not tag:
                return False
            after = after[: tag.start()]
        turns = [match.end() for match in _TURN.finditer(before)]
        lead = before[turns[-1] if turns else 0 :]
        if _OTHER_ONE.search(before) or _UNSAID.match(after):
            return False
        if declines and _SUPPOSED.search(lead):
            return False
        if _OTHERS.search(lead) or _NOT_AT_ALL.search(lead):
            return False
        clause = [match.end() for match in _CLAUSE.finditer(before)]
        near = before[clause[-1] if clause else 0 :]
        if _DENIED.search(near) or _OPEN.search(before[clause[-2] if len(clause) > 1 else 0 :]):
            return False
        return not self._is_quoted(before, self.text[start:end], after, declines)

    def _is_quoted(self, before: str, said: str, after: str, declines: bool) -> bool:
        """Whether it is an example, or within quotation marks that are not the reply's own."""
        if _ECHO.search(before[-60:]) or _CITED.search(before) or _CHOICE.search(before):
            return True
        # In `{"score": 8}` what is said closes the quotation mark of its label.
        opened = before.count('"') % 2 == 1 and said.count('"') % 2 == 0 and '"' in after
        if not opened:
            return False
        rest = after.partition('"')[2].strip(" .}],:\n")
        return declines or (bool(rest) and not rest.startswith('"'))
