"""How judges say which of two answers is better, by language.

`M` stands for a mention of an answer (`mentions`), `ADV` for adverbs between. A `_FULL` phrase says
that the answer is better, a `_LIMITED` one that it is better in some respect.
"""

from __future__ import annotations

import re

from pairbench_ext.replies.mentions import ANY, EITHER

M = f"(?P<m>{ANY})"
_TO_OTHER = rf"(?:{ANY}|the other(?: (?:one|answer|response))?|it\b|its |the (?:first|second|former|latter)|that of)"
_ADV = r"(?:(?:the|my|an?(?: (?:bit|little|lot|slight|clear|much))?|by far|only(?= slight| marginal)|overall|in (?:general|total|every (?:respect|way|aspect)|most (?:respects|ways|aspects)|my (?:opinion|view)|this (?:case|context|instance|regard)|comparison),?|at least|on the whole,?|(?!hardly|barely|equally|partly|partially|only|supposedly|allegedly|unlikely|possibly|nearly|scarcely|seemingly|initially|previously|potentially|rarely)[a-z]{2,14}ly,?|much|far|clear|still|also|somewhat|therefore|thus|indeed|even|more|most|just|to be|as|again|a)[ ,]+){0,5}"
_NOUN = r"(?: (?:answer|response|one|choice|option|reply|candidate|assistant|model|description|caption|explanation|solution|job|of the two|of the pair))"
# "compared to Answer 1", ", which is longer,", "(the longer one)"
_COMPARED = r"(?:(?:when |as )?(?:compared|in comparison|relative|as opposed) (?:to|with)|rather than|instead of|than|over|versus|vs\.?|unlike|not)"
_ASIDE = rf"(?:[\"'] ?)?(?: ?\([^()\n]{{0,80}}\)|, (?:which|(?:but |and )?not|though|although|while|despite|being|overall|on balance|in my|therefore|however|thus|with|by|in|for|having|as|despite|{_COMPARED}) ?[^,.;\n]{{0,100}},| {_COMPARED} (?:the )?(?:{ANY}|other{_NOUN}?))?"
_BE = r"(?:is|are|was|seems|appears|looks|remains|emerges as|comes out(?: as)?|stands out as|proves|would be(?= (?:the|my|considered|preferred|preferable) )|should be|must be|has to be|is to be|gets|ranks|(?:is|can be|should be|would be|may be) (?:considered|deemed|judged|rated|regarded as|seen as|said to be|ranked|chosen as|selected as|declared)|represents|constitutes|'s)"
# Not where a sentence about the answer starts: "Judgment: Answer 1 has merits".
_STOP = r"(?! (?:has|have|had|is|was|does|did|provides?|gives?|offers?|contains?|includes?|mentions?|describes?|says|states?|claims?|lacks?|fails?|misses|\w+ly (?!because)\w+s\b|better|more|isn't|wasn't|doesn't|may|might|could|can)(?![a-z]))"
_WORSE = r"(?:worse|inferior|weaker|poorer)"
_BETTER = (
    r"(?:(?:better|best|superior|preferable|prefer+ed|favou?red|strong(?:er|est)|winner|winning|ahead|(?<=my )(?:choice|pick|preference|favou?rite)|my (?:choice|pick|preference|favou?rite)|(?:right|correct) (?:choice|pick|option)|chosen one|recommended|victor|more convincing|(?<=the )(?:choice|one(?= i (?:prefer|choose|would))))(?![a-z-])"
    rf"(?! (?:\w+ )?(?:less|least)\b)(?! (?:described|characteri[sz]ed|summari[sz]ed|avoided|left|off|than(?! {_TO_OTHER}))))"
)
_GOOD = (
    r"(?:accurate|complete|comprehensive|detailed|relevant|precise|correct|helpful|informative|appropriate|suitable|thorough|reliable|concise|coherent|faithful"
    r"|aligned|useful|factual|factually|specific|consistent|truthful|direct|trustworthy|focused|grounded|robust|nuanced|descriptive|engaging|effective|satisfying|satisfactory|logical|balanced|contextual|insightful|well-\w+|in line|closely|accurately|effectively|directly|comprehensively|clearly|thoroughly|completely|correctly|precisely|faithfully|appropriately)"
)
_MORE = rf"(?:clearer|(?:more|most) {_GOOD}|closer|richer|truer|safer|simpler|fuller|sharper|tighter)(?![a-z])"
_DOES = r"(?:aligns?|address(?:es)?|match(?:es)?|captures?|describes?|answers?|reflects?|represents?|fits?|meets?|serves?|explains?|handles?|adheres?|follows?|satisf(?:y|ies)|fulfil+s?|suits?|identifies|conveys?|covers?|supports?|depicts?|interprets?)"

ENGLISH_FULL = (
    rf"{M}{_ASIDE} ?(?: {_ADV}?)?(?:{_BE}),? {_ADV}{_BETTER}",
    rf"{M}{_ASIDE} {_ADV}(?:provides|provided|offers|offered|gives|gave|does|did|delivers|delivered|presents|presented|writes|wrote|produces|produced|has|had|is|was) {_ADV}(?:better|best|superior|stronger|preferable){_NOUN}\b",
    rf"{M}{_ASIDE} {_ADV}(?:wins|win|won|outperforms|outperformed|surpasses|prevails|beats|outshines|outdoes|outclasses|excels over|edges (?:out|it|ahead)|triumphs|takes the (?:win|lead|edge|crown|victory|cake)|comes? out (?:on top|ahead|as the winner)|came out (?:on top|ahead)|has (?:the|a)(?: \w+)? (?:edge|advantage|upper hand)|gets? (?:my|the) (?:vote|nod|edge|win|point|preference)|(?:deserves|merits|earns|has earned) (?:to win|the (?:win|edge|preference|nod|vote|point|higher \w+|better \w+|first place))|holds (?:the|a)(?: \w+)? (?:edge|advantage)|is the way to go|is the one i (?:would |'d )?(?:choose|prefer|pick|select)|(?:should|would|must) (?:win|be (?:chosen|preferred|selected|favou?red|picked|ranked (?:first|higher)|rated higher)))\b(?! (?:on|in terms|in the|in [a-z]+(?:ity|cy|ness|ail)))",
    rf"{M}{_ASIDE} (?:{_BE}) [^.;:\n{EITHER}{ANY[1:-1]}]{{1,80}}?(?:,| and|, and)(?: is| it is)?(?: (?:therefore|thus|hence|so|overall|clearly|consequently|as a result|generally))* (?:the )?{_BETTER}",
    rf"{M}{_ASIDE} is (?:chosen|selected|picked|preferred|favou?red|the one (?:that )?i)\b(?! (?:less|least))",
    rf"(?:makes?|making|believe|find|finds|found|consider|deem|judge|rate|rank|regard|declare|render(?:s|ing)?|call|see|view|think) (?:that )?(?:the )?{M}(?: to be| as| is)?,? ?{_ADV}{_BETTER}",
    rf"(?<!second )(?<!second-)(?<!next )(?<!third )(?:better|best|superior|preferred|preferable|stronger|winning|chosen|selected|favou?red|superior|higher-quality){_NOUN}?(?: (?:of|between|among) the (?:two|2)(?:{_NOUN}|s)?| overall| here| in this case| in my (?:opinion|view)| for this (?:question|task))?(?: ?[:=]| (?:is|was|would be|should be|must be|seems to be|has to be|remains)(?: {_ADV})?) ?(?:clearly |therefore |still |that |the |thus |indeed |definitely )?{M}{_STOP}",
    rf"\b(?<!second )(?<!next )(?:winner|choice|preference|pick|vote|verdict|edge|advantage|nod|point|judge?ment|decision|selection|favou?rite|victory|win|recommendation|award|honou?r)s?(?: here| overall| in this case)? ?(?::|=|(?:is|goes|go|belongs|leans|would be|would go|falls|should go|must go|points|was|has to go|must be)(?: (?:to|towards?|with|for|in favou?r of|on))?|for|to) (?:{_ADV})?(?:the )?{M}{_STOP}",
    rf"\b(?:i|we|i'd|i'll|i'm|one)(?: (?:would|will|must|have to|am|can|do|should|strongly|clearly|therefore|thus|also|still|personally|rather|definitely|ultimately|slightly|much|generally|have|had|am going to|tend to|am inclined to|conclude by|'d)){{0,3}} (?:prefer|preferred|choose|chose|chosen|pick|picked|select|selected|selecting|choosing|picking|favou?r|recommend|go(?:ing)? with|went with|vote for|voting for|lean(?:ing)? towards?|opt(?:ing)? for|side with|siding with|endorse|back|vote|give (?:it|this one|the (?:edge|win|nod|point|advantage|victory|preference)) to|award (?:it|this|the (?:win|point)) to|rank|stick with|say|rate)(?: that)?(?: the)? {M}(?! (?:as (?:the )?(?:worse|less|worst|rejected|inferior|weaker|loser)|(?:second|last|lower|below|worse)\b|(?:(?:as|at|an?|with|about|around) ){{0,2}}(?:\d|score|rating)|is\b|has\b|does\b|was\b))",
    rf"(?:\bin|decid\w+ in) favou?r of {M}",
    rf"(?:^|[.!;:,] )(?:choose|pick|select|prefer|go with|choosing|selecting) (?:the )?{M}(?! is)",
    rf"(?:preferring|favou?ring|prefers|preference (?:is )?(?:for|to|towards)|(?:leans?|tips?|tilts?|swings?) (?:\w+ ){{0,3}}(?:towards?|in favou?r of|to)) (?:the )?{M}",
    rf"{M} {_ADV}(?:has|had|gets|got|receives?|received|achieves?|obtains?|scores?|scored|rates) {_ADV}(?:higher|highest|better)(?: (?:overall|total|final))? (?:score|rating|mark|grade)s?\b(?! (?:in|on|for)\b)",
    rf"{M} (?:it is\b(?! \w)|by (?:far|a (?:hair|whisker|nose|(?:narrow|slim|small|clear|wide) margin))(?=[.!]? ?$))",
    rf"\bit(?:'s| is) {M} for me\b",
    rf"{ANY} (?:is|was)(?:n't| not) {_ADV}{_BETTER}{_NOUN}?[,;.] (?:but )?{M} (?:is|was)(?=[.!]|$)",
    rf"{M} (?:is|was) (?:the )?(?:lesser evil|less (?:wrong|bad|incorrect|flawed|inaccurate)(?: one)?)(?=[.,;!]|$)",
    rf"{M}:? (?:is )?(?:clearly |slightly |much |overall )?better(?=[.!]?\s*$)",
    rf"{M} (?:takes it|trumps {ANY}|is ranked (?:higher|first))\b",
    rf"rank(?:ing|ed)?[^\n.:]{{0,30}}:\s{{0,3}}(?:1[.)] )?{M}(?=\W{{0,4}}\n\W{{0,4}}2[.)] {ANY}| ?[,;] ?{ANY})",
    rf"(?<!/){M} ?(?:>|\u227b|>>|beats|is better than|better than) ?{ANY}",
)  # fmt: skip
# The answer named is the worse one; the other one is better.
WORSE = (
    rf"(?:\bit|this one)(?:'s| is| was) {_ADV}{_BETTER} (?:than|to) {M}",
    rf"{M} (?:is|was) {_ADV}{_WORSE}(?: (?:than|to) {_TO_OTHER}|{_NOUN}| overall|(?=[.,;!]|$))",
    rf"{M} (?:is|was) {_ADV}less {_GOOD}(?: (?:one|answer|response))(?=[.,;!]|$)",
    rf"(?:worse|worst|weaker|inferior|losing|poorer|loser)(?:{_NOUN})?(?: of the two)?(?: (?:is|was)| ?:) {M}{_STOP}",
    rf"{M} (?:is|was)(?:n't| not) {_ADV}(?:as|so) (?:good|strong|convincing) as {_TO_OTHER}",
    rf"{M} (?:is|was|gets) {_ADV}(?:beaten|outperformed|surpassed|bested|outdone|outclassed) by {ANY}",
    rf"{M} (?:ranks|comes|is ranked|is placed) (?:second|last|lower)(?=[.!]? ?$)",
    rf"{M} (?:loses|lost)(?: (?:to|against) {ANY}|(?=[.!;]|$))",
    rf"{M} ?(?:<|\u227a) ?{ANY}",
    rf"{M}不如{ANY}",
)  # fmt: skip
WORSE_LIMITED = (
    rf"{M} (?:is|was|seems|appears) {_ADV}?less {_GOOD} than {_TO_OTHER}",
    rf"{M} (?:is|was)(?:n't| not) {_ADV}(?:as|so) {_GOOD} as {_TO_OTHER}",
    rf"{M} (?:falls|fell) short (?:of|compared to|in comparison (?:to|with)) {ANY}",
)
ENGLISH_LIMITED = (
    rf"only {M} (?:is|was) {_ADV}(?:{_GOOD}|right)",
    rf"{M} (?:comes|came|gets|is) (?:much |a (?:bit|little) )?closer(?: to the (?:truth|right answer))?(?=[.,;!]|$)",
    rf"{M} (?:is|was) {_ADV}(?:{_GOOD}|right)[,;]? ?(?:and |while |but |whereas )?{ANY} (?:is|was) (?:not|incorrect|wrong|inaccurate)\b",
    rf"{ANY} (?:is|was) {_ADV}(?:incorrect|wrong|inaccurate)[,;]? ?(?:and |while |but |whereas )?{M} (?:is|was) {_ADV}(?:{_GOOD}|right)\b",
    rf"{M}{_ASIDE}(?: ?(?:{_BE})| (?:provides|offers|gives|does|presents|contains|has|delivers|includes|uses|shows|demonstrates)) {_ADV}{_MORE}",
    rf"{M}{_ASIDE} {_ADV}(?:better|best|more (?:\w+ly|closely)|most \w+ly) {_DOES}\b",
    rf"{M}{_ASIDE} {_ADV}{_DOES}(?: [^.,;\n{EITHER}]{{1,80}}?)? (?:better|best|more \w+ly|most \w+ly)\b",
    rf"{M}{_ASIDE} {_ADV}(?:does|did|performs|performed|works|fares|scores|scored|rates|ranks|reads|holds up) {_ADV}(?:better|best|higher|first)\b",
    rf"{M}{_ASIDE} {_ADV}(?:wins|outperforms|excels|outscores|surpasses)\b",
    rf"(?:makes?|making) {M} {_ADV}{_MORE}",
    rf"(?:more|most) {_GOOD}{_NOUN}(?: of the two)?(?: ?:| is| was) {M}",
)  # fmt: skip
_ZH_ADV = r"(?:明显|明顯|显然|顯然|整体上?|整體上?|总体上?|總體上?|略微|略|稍微|稍|相对|相對|相比之下|确实|確實|无疑|無疑|是|要|更|更加|更为|更為|则|則|在整体上|在总体上|各方面|都|表现得?|表現得?|质量|質量|的表现|的质量|远|遠|显著|顯著|最终|最終|\u4e00些|仍然|仍|明确|应该|應該|被认为|是\u4e00个|似乎|看起来)*"
_ZH_THAN = (
    rf"(?:(?:的回答)?(?:比|相比|相较于|相較於|与|與)(?:{ANY}|另\u4e00个)(?:相比)?[,\uff0c]?)?"
)
_ZH_BETTER = r"(?:更好|更优|更優|更佳|更胜\u4e00筹|更勝\u4e00籌|胜\u4e00筹|勝\u4e00籌|胜出|勝出|获胜|獲勝|较好|較好|较优|較優|较佳|較佳|最好|最佳|最优|最優|好(?:\u4e00些|\u4e00点|得多|很多|[,\u3002\s!]|$)|优秀|優秀|出色|优于|優於|优胜|優勝|好于|好於|胜过|勝過|胜于|可取|合适|合適|占优|佔優|高(?=$|[\u3002,\uff0c])|值得选择|赢|贏|超过|强|強|佳)"
_ZH_GOOD = r"(?:准确|準確|全面|完整|详细|詳細|符合|清晰|具体|相关|相關|简洁|簡潔|可靠|贴合|贴近|切题|有帮助|正确|正確|精确)"
OTHERS_FULL = (
    rf"{M} ?{_ZH_THAN}{_ZH_ADV}{_ZH_BETTER}",
    rf"(?:更好|更优|更優|更佳|较好|较佳|較好|最佳|最好|最优|胜出|勝出|获胜|优胜)(?:的|者)?(?:回答|答案|回复|选择|\u4e00个|是|应该)*(?:是|为|為|:)? ?{M}",
    rf"(?:选择|選擇|更?倾向于?|更?傾向於?|偏向|推荐|推薦|更?喜欢|偏好|支持|我选|我選|投给|投給|胜者(?:是|为|:)|获胜者(?:是|为|:)|赢家(?:是|为|:)) ?{M}",
    rf"(?:(?<!不)认为|(?<!不)認為){M} ?{_ZH_ADV}{_ZH_BETTER}",
    # German, French, Spanish, Portuguese, Italian.
    rf"{M}(?: (?:ist|wäre|scheint|erscheint|bleibt|erweist sich als))(?: (?!nicht|kein|nie)(?:[a-zäöüß]{{2,16}})){{0,4}}? (?:besser(?!e\w? (?:in|bei))|bessere[nr]?|beste|überlegen|vorzuziehen|vorzugswürdig|zu bevorzugen|sieger|gewinner|stärker|überzeugender)\b",
    rf"(?:ist|wäre|scheint|halte ich|finde ich|sehe ich)(?: also| daher| somit| für mich)? {M}(?: (?!nicht|kein)[a-zäöüß]{{2,16}}){{0,4}}? (?:besser|bessere[nr]?|beste|überlegen|vorzuziehen|zu bevorzugen|sieger|gewinner)\b",
    rf"(?<![{ANY[1:-1]}] )(?:gewinnt|siegt|gana|vence) {M}(?=[.,;!]|$)",
    rf"{M}(?: [a-zäöü]{{2,12}}){{0,2}}? (?:gewinnt|übertrifft|siegt|schneidet (?:\w+ )?besser ab|hat die nase vorn|überzeugt mehr)\b",
    rf"(?:bessere|beste|bevorzugte|stärkere)[rn]? (?:antwort|wahl|option)?(?: insgesamt)? ?(?:ist|lautet|:|wäre)(?: \w+){{0,2}}? {M}",
    rf"(?:ich )?(?:bevorzuge|wähle|ziehe|favorisiere|entscheide mich für|würde|tendiere zu|empfehle)(?: \w+){{0,2}}? ?{M}",
    rf"(?:zugunsten von|fällt auf|geht an|für) {M}(?= ?(?:$|[.!,]|aus))",
    rf"{M} (?:est|semble|serait|paraît|reste|apparaît)(?: (?!pas|jamais)(?:[a-z\u00e0-\u00ff']{{2,16}})){{0,4}}? (?:meilleure?|supérieure?|préférable|gagnante?|plus convaincante|plus forte)\b",
    rf"{M}(?: [a-z\u00e0-\u00ff]{{2,14}}){{0,2}}? (?:l'emporte|gagne|surpasse|remporte|est à privilégier)\b",
    rf"(?:meilleure?|préférée|gagnante?)(?: réponse)?(?: des deux)? ?(?:est|:|reste|serait)(?: \w+){{0,2}}? ?{M}",
    rf"(?:je|j')(?: ?\w+)? ?(?:préfère|choisis|opte pour|penche pour|recommande|retiens|sélectionne|privilégie|préférerais|choisirais) ?{M}",
    rf"(?:en faveur de|va à|revient à|a favor de|es para|va para) {M}",
    rf"{M} (?:es|parece|sería|resulta|sigue siendo|é|è)(?: (?!no |nunca)(?:[a-z\u00e0-\u00ff]{{1,18}})){{0,4}}? (?:mejor|superior|preferible|ganadora?|más convincente)\b",
    rf"{M}(?: [a-z\u00e0-\u00ff]{{2,18}}){{0,2}}? (?:gana|supera|vence)\b",
    rf"(?:mejor|preferida)(?: (?:respuesta|opción))?(?: de las dos)? ?(?:es|:|é|è|sería)(?: \w+){{0,2}}? ?{M}",
    rf"(?:prefiero|elijo|escojo|opto por|me quedo con|recomiendo|selecciono|me inclino por|elegiría|prefiro) {M}",
    # Russian, Arabic, Vietnamese, Indonesian, Turkish, Dutch, Polish, Hindi.
    rf"{M} (?:daha iyi(?:dir)?|is (?:\w+ )?beter|jest (?:\w+ )?leps[zi][ya]?)",
    # Japanese, Korean.
)  # fmt: skip
OTHERS_LIMITED = (
    rf"{M} ?{_ZH_THAN}{_ZH_ADV}{_ZH_GOOD}",
    rf"{M} (?:ist|est|es)(?: (?!nicht|kein|pas |no )(?:[a-z\u00e0-\u00ff]{{2,16}})){{0,3}}? (?:genauer|präziser|vollständiger|ausführlicher|klarer|hilfreicher|detaillierter|relevanter|(?:plus|más) (?!courte|longue|corta|larga|brève|breve)[a-z\u00e0-\u00ff]+)",
)  # fmt: skip
# The answer named first is the worse one.
OTHERS_WORSE = (
    rf"{M} (?:ist|wäre) (?:(?!nicht |kein)[a-zäöüß]{{2,16}} )?(?:schlechter(?=[.,;!]|$)|(?:schlechter als|nicht (?:ganz )?so gut wie) {ANY})",
    rf"{M} (?:(?:est|serait) (?:\w+ )?(?:moins bonne|pire|inférieure?)|n'est pas aussi bonne?)(?: (?:que|à) {ANY}|(?=[.,;!]|$))",
    rf"{M} (?:(?:es|é|è) (?:\w+ )?(?:peor|inferior|pior|peggiore)|no es tan buena?)(?: (?:que|como|do que|di|a) {ANY}|(?=[.,;!]|$))",
    rf"{M} ?{_ZH_ADV}(?:[更较較]差|更糟|最差)(?=[,.\u3002!;]|\s|$)",
    rf"{M} ?(?:(?:没有|沒有){ANY} ?{_ZH_BETTER}|比{ANY} ?(?:更|要)?(?:差|糟|逊色))",
)  # fmt: skip
NOT_BETTER = (
    rf"{M}{_ASIDE} (?:is|was|does|seems|appears)(?:n't| not| no| never| hardly) {_ADV}(?:{_BETTER}|win\b)",
    rf"{M}并?不(?:是|比)?[^\u3002,\uff0c]{{0,6}}?{_ZH_BETTER}",
    rf"{M} (?:ist|est|n'est|es|no es)(?: \w+)? ?(?:nicht|pas|no) (?:besser|meilleure?|mejor)",
)  # fmt: skip
TIES = (
    r"(?<!wearing )(?<!wears )(?<!wore )(?<!with )(?<!has )(?<!and )(?<!in )(?<!mention )(?<!mentions )(?<!describe )(?<!describes )(?<!see )\ba (?:(?:clear|close|virtual|dead|near|true) )?(?:tie|draw|toss-up)(?![a-z-])(?! ?breaker)",
    r"\b(?:they|it|these|both|the two) (?:are|is|were|end up)(?: \w+)? (?:tied|a tie|equal)\b",
    rf"\bneither(?: {EITHER}| (?:answer|response|one|of (?:them|the (?:two )?(?:answers|responses))))?(?: (?:is|was))?(?: \w+)? (?:better|preferable|superior|preferred|wins|stands out)\b",
    rf"\bneither{ANY}? ?{EITHER} is (?:\w+ )?better",
    rf"(?:\b(?:answers|responses|both|they)|{EITHER}) (?:are|were)(?: (?:both|roughly|about|overall|largely|pretty much|more or less|basically|essentially|almost|of))* (?:equal(?! (?:in (?!quality|overall))|ly)|tied|equivalent|comparable|of equal quality|on par|indistinguishable|equally (?:good|valid|strong|bad|poor|well|matched|correct|incorrect|wrong|acceptable|accurate|effective|helpful|satisfactory))",
    r"\b(?:no|not a) (?:(?:clear|obvious|single|definitive) )*(?:winner|better (?:answer|response|one)|preference|best answer)\b",
    r"\b(?:impossible|unable|cannot|can't|not possible)(?: for me)? (?:to )?(?:decide|determine|choose|say|judge|pick) (?:which|between|one|a (?:clear )?(?:winner|better)|who)\b",
    r"\[\[ ?(?:c|tie|a ?= ?b|1 ?= ?2) ?\]\]",
    r"平局|平手|不相上下|难分伯仲|難分伯仲|(?:\u4e00样|\u4e00樣|同样|同樣)(?:好|出色|差)|不分上下|(?:无法判断|無法判斷)(?=哪|谁|孰)|没有明显的?优劣|差不多",
    rf"\b(?:no|not (?:a|any)) (?:(?:meaningful|significant|real|clear|material|substantial|noticeable) )?difference (?:in (?:overall )?quality )?between {EITHER}",
    r"\bunentschieden|gleichwertig|gleich gut|égalité|\bex æquo|match nul|aussi bonnes|\bempate\b|igual de buenas|igualmente buenas|equivalentes|同等|互角|同点",
)  # fmt: skip
LABELS = (
    "winner", "correction", "preferred(?: (?:answer|response|option|choice|one))?", "better(?: (?:answer|response|option|choice|one|assistant|model|of the two))?", "best(?: (?:answer|response|option|choice|one|assistant))?",
    "choice", "preference", "pick", "selection", "selected(?: (?:answer|response|option))?", "chosen(?: (?:answer|response|option))?", "decision", "conclusion", "result", "answer", "my answer", "vote", "recommendation", "overall(?: winner)?", "summary", "overall preference", "output", "which is better", "ranking", "prediction", "label", "superior(?: (?:answer|response))?", "rank 1", "1st(?: place)?", "#1", "ranking 1", "first place",
    "更好的?(?:回答|答案|回复)?", "更优的?(?:回答|答案)?", "更佳的?(?:回答|答案)?", "最佳(?:回答|答案)?", "胜者", "勝者", "获胜者", "胜出者", "赢家", "选择", "選擇", "答案", "结果", "結果", "偏好", "首选",
    "gewinner", "sieger", "bessere antwort", "wahl", "auswahl", "präferenz", "antwort", "ergebnis", "gagnant", "gagnante", "vainqueur", "meilleure réponse", "choix", "réponse", "préférence", "ganador", "ganadora", "mejor respuesta", "elección", "respuesta", "resultado", "preferencia",
    "選択", "回答",
)  # fmt: skip
_SUMMING = "(?:overall|final|concluding|my(?: final)?|ultimate|general|summary)"
FINALS = (
    rf"{_SUMMING} (?:judge?ment|verdict|assessment|evaluation|decision|conclusion|choice|preference|comparison|ranking|recommendation|winner|answer|result|rating|pick|selection|thoughts|call|determination|judgement call|vote)s?",
    "judge?ment", "verdict", "in conclusion", "bottom line", "final", "conclusion", "result(?=\\])",
    "(?:最终|最終|总体|總體|整体|整體|综合|綜合)(?:判断|判斷|判定|裁决|裁決|结论|結論|评价|評價|評価|评判|評判|评估|选择|選擇|答案|结果|結果|决定|決定|意见)", "结论", "結論", "結論", "結論", "裁决", "判定", "判断", "判斷", "总结", "總結",
    "gesamt(?:urteil|bewertung|beurteilung|fazit|einschätzung|ergebnis)", "fazit", "endurteil", "urteil", "abschließendes urteil", "endgültiges urteil", "schlussfolgerung", "entscheidung",
    "jugement(?: (?:global|final|général|d'ensemble))?", "verdict final", "conclusion", "évaluation (?:globale|finale)", "décision(?: finale)?", "avis final",
    "juicio(?: (?:general|final|global))?", "veredicto(?: final)?", "conclusión", "evaluación (?:general|final|global)", "decisión(?: final)?",
    "結論", "最終判断", "総合(?:評価|判断|判定)", "総評",
)  # fmt: skip
CRITERIA = (
    "accuracy", "completeness", "clarity", "relevance", "correctness", "helpfulness", "conciseness", "coherence", "detail(?:s|edness)?", "level of detail", "factuality", "quality", "depth", "creativity", "style", "fluency", "visual \\w+", "faithfulness", "informativeness", "specificity", "readability", "tone", "length", "structure", "grounding", "safety", "honesty",
    "准确性", "準確性", "完整性", "清晰度", "清晰性", "相关性", "相關性", "正確性", "完全性", "明確性", "関連性",
    "genauigkeit", "vollständigkeit", "klarheit", "relevanz", "exactitude", "précision", "exhaustivité", "complétude", "clarté", "pertinence", "precisión", "exactitud", "completitud", "integridad", "claridad", "relevancia",
)  # fmt: skip
CONCLUSIONS = (
    "therefore", "thus", "hence", "consequently", "ultimately", "overall", "in (?:conclusion|summary|short|sum)", "to (?:conclude|sum up|summari[sz]e)", "all in all", "on balance", "in the end", "all things considered", "as a result", "for (?:these|this|those|the above) reasons?", "(?:given|considering|based on|taking|weighing|in light of|after|with) (?:all|everything|these|this|my|the (?:above|evaluation|analysis|criteria|reasoning|points|assessment|comparison))", "so", "finally", "in my (?:opinion|view|judge?ment)", "when (?:comparing|considering|weighing)", "i (?:conclude|believe|think|would say)", "final",
    "综上(?:所述)?", "綜上(?:所述)?", "总体(?:来说|而言|上|来看)?", "總體(?:來說|而言|上)?", "整体(?:来说|而言|上|来看)?", "因此", "总之", "總之", "所以", "最终", "综合(?:来看|考虑)?",
    "daher", "deshalb", "insgesamt", "zusammenfassend", "somit", "also", "alles in allem", "letztlich", "donc", "ainsi", "en conclusion", "globalement", "dans l'ensemble", "en résumé", "finalement", "par conséquent", "au final",
    "por (?:lo )?tanto", "en conclusión", "en general", "en resumen", "en definitiva", "por eso", "finalmente", "以上", "no geral", "em geral", "in generale",
)  # fmt: skip

# After "better": in one respect only.
IN_ONE_RESPECT = re.compile(
    rf"(?:{_NOUN})?(?: than {_TO_OTHER}(?: \w{{1,9}})?)?,? (?:only )?(?:in\b(?! (?:this|general|every|all|both|most|my|our|conclusion|comparison|almost|nearly|terms of overall|addressing|answering|describing|providing))"
    r"|for\b(?! (?:its|their|being|having|providing|giving|the following|these|this|several|two|three|many|the (?:question|user|task|given|reasons?)))|of\b(?! (?:the|these|both) (?:two|answers|responses|pair))"
    r"|(?:at|on|regarding|concerning|with (?:regard|respect)|if|when|as far as)\b(?! (?:balance|the whole|all))|(?:structured|organi[sz]ed|written|worded|phrased|formatted|articulated|aligned|suited|detailed|supported|explained|presented|expressed|equipped)\b"
    r"|在(?!整体|总体|各))",
    re.IGNORECASE,
)
RESPECT_FIRST = re.compile(
    r"(?:\A|[.!?:;\n,(]|\b(?:and|but|while)\b)\s*(?:(?:in terms of|regarding|concerning|with (?:regard|respect) to|when it comes to|as for|as far as) (?!overall|all|every)"
    r"|(?:for|on|under|in|from an?) (?:the )?(?:criterion|accuracy|completeness|clarity|relevance|correctness|details?|brevity|those|users|readers|conciseness|helpfulness|readability|style|length|\w+ perspective)\b"
    r"|\w+-wise|在\w{1,6}(?:方面|上)(?<!整体上)(?<!总体上)|in bezug auf|was \w+ betrifft|en termes de|en cuanto a|en términos de)(?:(?!\b(?:but|so|overall|however|therefore|thus)\b)[^.;\n\u3002]){0,80}\Z",
    re.IGNORECASE,
)
SHARED = re.compile(rf" (?:in|for|on) [^.\n]{{0,60}}{ANY} (?:in|for|on)\b", re.IGNORECASE)
CONCEDED = re.compile(
    r"(?:\A|[.!?:;\n]|, )\s*(?:\w{1,12}(?: \w{1,12})?, )?(?:while|although|though|even though|despite|whereas|even if|obwohl|während|bien que|alors que|aunque|si bien|虽然|雖然|尽管|儘管)(?![a-z])[^,.;\n\uff0c]*\Z",
    re.IGNORECASE,
)
BUT = re.compile(
    r"[^.\n]{0,160}?(?:\.\s+)?\b(?:but|however|although|though|yet|nevertheless)\b", re.IGNORECASE
)
# After a preposition an answer is what another is compared with, or what something is part of.
OBJECT = re.compile(
    r"(?:(?<![a-z])(?:of|in|by|with|to|than|over|versus|vs|against|unlike|from|on|for|about|between|compared|von|als|de|que|a|比|与|和)|\bvs\.) ?(?:the |both |der |la )?\Z|[比与]\Z",
    re.IGNORECASE,
)
