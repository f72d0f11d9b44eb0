"""The files of phrases: every section is a pattern, and none takes more than linear time.

Time is counted in steps of `re`, which looks for signals every 4,096 steps: with a timer that
nearly always has one waiting, the calls of its handler are such looks; no load makes them more.
"""

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from pairbench_ext.replies import phrases
from pairbench_ext.statistics.seeds import generator

if sys.version_info >= (3, 11):
    from re import _compiler, _parser
else:
    import sre_compile as _compiler
    import sre_parse as _parser

FILES = sorted(file.stem for file in phrases.FOLDER.glob("*.txt"))
NAMES = "number top over value known goes_on numeral places names bare fill said letters called"
GIVEN = dict.fromkeys([*NAMES.split(), "own", "final_names"], "0")
LOOK, PER_CHARACTER = 4096, 800  # steps
WIDTH, LONGEST = 100, 200
SIGNS = 'ab x7-1.,|:("\nA的'


class Looks:
    """How often `re` may still look for signals inside `find_all`; raises after that."""

    left = sys.maxsize

    def __call__(self, _, frame):
        self.left -= frame.f_code is find_all.__code__
        if self.left < 0:
            self.left = sys.maxsize
            raise TimeoutError


@pytest.fixture
def looks():
    counted = Looks()
    before = signal.signal(signal.SIGALRM, counted)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    yield counted
    signal.setitimer(signal.ITIMER_REAL, 0)
    time.sleep(0.01)  # the last one may still be on its way by another thread
    signal.signal(signal.SIGALRM, before)


def find_all(pattern, text):
    return pattern.findall(text)


def example(tree, rng, groups):
    """A text that a parsed pattern matches, but for what must not stand around it."""
    text = ""
    for node in tree:
        name, argument = str(node[0]), node[1]
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            fits = _compiler.compile(_parser.SubPattern(tree.state, [node])).match
            listed = [at for _, at in argument if at] if name == "IN" else [argument]
            starts = [at[0] if isinstance(at, tuple) else at for at in listed if at]
            signs = [sign for sign in [*SIGNS, *map(chr, starts)] if fits(sign)]
            text += signs[rng.integers(len(signs))]
        elif name == "BRANCH":
            text += example(argument[1][rng.integers(len(argument[1]))], rng, groups)
        elif name == "SUBPATTERN":
            groups[argument[0]] = example(argument[3], rng, groups)
            text += groups[argument[0]]
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, body = argument
            times = rng.integers(least, min(int(most), least + 3), endpoint=True)
            text += "".join(example(body, rng, groups) for _ in range(times))
        elif name == "ASSERT":
            text += example(argument[1], rng, groups)
        elif name == "GROUPREF_EXISTS":
            text += example((groups.get(argument[0]) and argument[1]) or [], rng, groups)
    return text


@pytest.mark.timeout(method="thread")  # the other method is a handler of the same signal
@pytest.mark.parametrize("file", FILES)
def test_every_phrase_takes_linear_time(file, looks):
    lines = (phrases.FOLDER / f"{file}.txt").read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= WIDTH
    known = phrases.sections(file).values()
    assert max(len(phrase) for section in known for phrase in section.phrases) <= LONGEST
    patterns = phrases.of(file, **GIVEN)
    for section in phrases.sections(file):
        for number, pattern in enumerate(patterns.each(section)):
            whole = example(_parser.parse(pattern.pattern, pattern.flags), generator(0, number), {})
            for part in (whole[: len(whole) * 3 // 4], whole[:-1] + "\n"):
                for text in (part * 30, part * 400):
                    looks.left = 2 + PER_CHARACTER * len(text) // LOOK
                    find_all(pattern.compiled, text)


REPLIES = [
    json.loads(line)["response"]
    for file in sorted((Path(__file__).parent / "corpora/tuned").glob("*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()[::90]
]
ODD = (
    "The better one is the second \u0130mage. Answer 2 is better. \u017fo 2."  # small: two letters
)


@pytest.mark.parametrize("file", FILES)
def test_a_phrase_finds_what_re_finds(file):
    texts = [reply.replace("Answer 1", "\u16a0").replace("Answer 2", "\u16a2") for reply in REPLIES]
    texts += [" ".join(texts[:3]), ODD]
    for section in phrases.sections(file):
        for phrase in phrases.of(file, **GIVEN).each(section):
            for text in texts:
                found = [match.span() for match in phrase.compiled.finditer(text) if match[0]]
                assert [match.span() for match in phrase.finditer(text) if match[0]] == found
