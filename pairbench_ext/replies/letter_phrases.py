"""The phrases with which a reply names one of several lettered options, as regular expressions.

`letter` says what they mean. Each looks at a bounded stretch of text, so that reading a
reply takes time linear in its length.
"""

from __future__ import annotations

import re

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
    (?: (?: 答案 | 选项 ) \s? [:是为]{1,2}
      | (?<! 不 ) 选 [择项]? (?= \s? [(\[]? [A-Z] )
      | \b (?: respuesta | r[eé]ponse | antwort )
          (?: \s corr?[eé]\w{1,6} )?
          (?: \s? : | \s (?: es | est | ist | é | è ) \b ) )
"""
# What an option does that is right, and to what, if it is wrong.
_SAYS = r"(?: describes | matches | captures | fits | represents | reflects ) \b"
_ELSE = r"(?: first | second | wrong | opposite | original | reverse | other | image | nothing )"
ANNOUNCED = re.compile(
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
      (?: choose | chose | chosen | pick | picked | select | selected | selecting | go \s with | going \s with | choosing
        | opt \s for | answer | vote \s for | lean \s towards? | say | guess | think
        | believe ) \b
      (?: \s (?: that \s )? it (?: 's | \s {_IS} ) )?
  | (?: ^ | [.!;:] \s | \b should \s ) (?: choose | choosing | pick | picking | select | selecting ) \b
  | (?: ^ | [.!;] \s | \b (?: actually | but | no | wait | rather | instead ) (?: ,? | \s - ) \s )
      it (?: 's | \s {_IS} )
  | \b I \s (?: mean | meant ) \b
  | \b (?: that | this | which ) \s leaves (?: \s (?: only | (?: us | me ) \s with ) )?
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
# "A: incorrect", "| B | \u2705 |": what is said of one option, on a line of its own.
JUDGED = re.compile(
    r"""
    ^ [^\w\n]{0,9} (?: option \s )? [(\[]? (?P<letter> (?-i: [A-H] ) ) [)\]]? [^\w\n]{0,5}?
    (?: \s? [:=|(.-] \s? [^\w\n\u2705\u2713\u2714\u2611\u2717\u2718\u274c\u2716]{0,3} (?: is \s )? | \s (?: is \s )? )
    (?: (?P<right> [\u2705\u2713\u2714\u2611] | (?: correct | right | true | yes ) \b )
      | (?: [\u2717\u2718\u274c\u2716] | (?: in(?:correct|accurate|valid) | not \s (?: correct | true | right | the ) | wrong | false | no ) \b ) )
    [^\n]*
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
# The heading that the reasoning prompt asks for, on a line of its own.
HEADING = re.compile(
    r"""
    ^ [ \t>]{0,9} (?: \#{1,6} [ \t]{0,9} )? (?: \d{1,2} [.)] [ \t] )?
    (?: (?: the | my ) [ \t] )? (?: (?: final | correct | best ) [ \t] )? answer
    [ \t]{0,9} :? [ \t]{0,9} \n (?= \s{0,99} \S )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
MATCHING = re.compile(
    r"\b (?: this | which | it | that | difference | change ) \s (?: best \s )?"
    r" (?: corresponds \s to | matches | aligns \s with | points \s to | is ) \s (?: the \s )?"
    r" (?= (?: option | choice | answer ) \s )",
    re.IGNORECASE | re.VERBOSE,
)
_OPEN, _CLOSE = r"(?P<open> [(\[{<]{1,2} \s? )?", r"(?P<close> \s? [)\]}>]{1,3} )?"
_LETTER = rf"{_OPEN} (?P<letter> (?-i: [A-Z] ) ) (?! [\w'] ) {_CLOSE}"
# A second letter in one breath, or a doubt: no choice has been made.
UNDECIDED = re.compile(
    r"""
    [^\S\n]{0,3} (?:
        ["'] \s? , \s? ["'] [A-H] ["']
      | [,.;(]{0,3} \s? \b (?: or | and | nor | vs | versus | maybe | perhaps | possibly ) \b
            [.]? \s (?: (?: maybe | perhaps | possibly | even ) \s )? (?: option \s | answer \s )?
            (?: \\boxed \s? )? [(\[{]{0,2} [A-H] (?! \w )
      | \s? [或\u3001和与與] \s? [(\[]? [A-Z]
      | [,/&|+] \s{0,3} [(\[{]{0,2} [A-Z] (?! \w | \s+ (?! (?: is | are ) \s (?: correct | right ) ) [a-z] )
      | [\u2013-] [A-Z] \b
      | [.):] [^\S\n]{0,3} [A-H] (?: [.)] | \s* \Z | \s* \n )
      | \?
    )
    """,
    re.VERBOSE,
)
# What shows that a letter is no word of a sentence.
ENDS = re.compile(
    r"""
    [.):;,!\]}] (?= [\s\]}).,;:!\\\u3040-\u9fff\uac00-\ud7a3] | \Z | [A-Z][a-z] )
  | [^\S\n]{0,9} (?: \n | \Z )
  | \s [\u2013\u2014-] \s | \u2014
  | \s? \( [^()\n]{0,200} \) [.!]? [^\S\n]{0,9} (?: \n | \Z )
    """,
    re.VERBOSE,
)
GOES_ON = re.compile(
    r",? \s (?: because | since | as | given | based | due | for | here | rather | instead | not | over"
    r" | in \s (?: this | my ) ) \b",
    re.VERBOSE,
)
CORRECT = re.compile(
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
NEXT_IN_LIST = re.compile(r"[^\n]{0,400}?[^\S\n][(\[]?(?P<letter>[A-H])[.):]\s")
