"""Drawn facts: pixels agree with the statement that is true, and with it alone."""

import re
from collections import Counter

import pytest

from lmms_eval_tasks.judge_audit.facts import KINDS
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.shapes import render
from tests.scene_measures import called, find_shapes

NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def seen(image):
    """Kind, colour and place of every shape, by the pixels alone."""
    return [(one.kind, *called(one.lab), one.x, one.y) for one in find_shapes(image)]


def holds(statement, shapes):
    """Whether a statement is true of what was found in an image."""
    looks = Counter(f"{colour} {kind}" for kind, colour, *_ in shapes)
    if found := re.fullmatch(r"the (\w+) is (\w+)", statement):
        [colour] = [colour for kind, colour, *_ in shapes if kind == found[1]]
        return colour == found[2]
    if found := re.fullmatch(r"there are (\w+) (\w+)s", statement):
        return sum(kind == found[2] for kind, *_ in shapes) == NUMBERS[found[1]]
    if found := re.fullmatch(r"there is (no|an?) (\w+ \w+)", statement):
        return bool(looks[found[2]]) == (found[1] != "no")
    found = re.fullmatch(
        r"the (\w+ \w+) is (to the left of|to the right of|above|below) the (.*)", statement
    )
    at = {f"{colour} {kind}": (x, y) for kind, colour, x, y in shapes}
    assert looks[found[1]] == looks[found[3]] == 1
    (x, y), (other_x, other_y) = at[found[1]], at[found[3]]
    return {
        "to the left of": x < other_x,
        "to the right of": x > other_x,
        "above": y < other_y,
        "below": y > other_y,
    }[found[2]]


@pytest.mark.parametrize("truth", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_pixels_say_which_statement_is_true(kind, truth):
    for number in range(12):
        made = KINDS[kind](generator(number, "facts"), truth)
        shapes = seen(render(made.scene))
        assert len(shapes) == len(made.scene.shapes)
        said = [holds(statement, shapes) for statement in made.statements]
        assert said == [truth == 0, truth == 1], (number, made.statements, shapes)


@pytest.mark.parametrize("kind", KINDS)
def test_statements_are_drawn_before_the_truth(kind):
    """The same generator states the same whatever is to be true, so no text tells the truth."""
    for number in range(50):
        one, other = (KINDS[kind](generator(number, "facts"), truth) for truth in (0, 1))
        assert (one.statements, one.question) == (other.statements, other.question)
        assert len({len(text.split()) for text in one.statements}) == 1
