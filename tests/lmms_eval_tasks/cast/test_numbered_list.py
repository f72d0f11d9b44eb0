import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.cast.numbered_list import statements
from pairbench_ext import replies as parsing

GREY, ROUND, LIT = "Both are grey.", "Both are round.", "Both are lit."
ALL = [GREY, ROUND, LIT]

CASES = {
    # Numbers.
    "plain": ("1. Both are grey.\n2. Both are round.\n3. Both are lit.", ALL),
    "parentheses": ("1) Both are grey.\n2) Both are round.\n3) Both are lit.", ALL),
    "in parentheses": ("(1) Both are grey.\n(2) Both are round.\n(3) Both are lit.", ALL),
    "in brackets": ("[1] Both are grey.\n[2] Both are round.\n[3] Both are lit.", ALL),
    "colons": ("1: Both are grey.\n2: Both are round.\n3: Both are lit.", ALL),
    "dashes": ("1 - Both are grey.\n2 \u2013 Both are round.\n3 \u2014 Both are lit.", ALL),
    "hashes": ("#1 Both are grey.\n#2: Both are round.\n#3. Both are lit.", ALL),
    "no space": ("1.Both are grey.\n2.Both are round.\n3.Both are lit.", ALL),
    "word": ("Similarity 1: Both are grey.\nSimilarity 2: Both are round.\n"
             "Similarity 3: Both are lit.", ALL),
    "bold word": ("**Similarity 1:** Both are grey.\n**Similarity 2**: Both are round.\n"
                  "**Statement #3:** Both are lit.", ALL),
    "full-width": ("\uff11\uff0eBoth are grey.\n2\u3001Both are round.\n3\uff1aBoth are lit.", ALL),
    "keycaps": ("1\ufe0f\u20e3 Both are grey.\n2\ufe0f\u20e3 Both are round.", [GREY, ROUND]),
    "the same number": ("1. Both are grey.\n1. Both are round.\n1. Both are lit.", ALL),
    "from zero": ("0. Both are grey.\n1. Both are round.", [GREY, ROUND]),
    "two digits": ("9. Both are grey.\n10. Both are round.\n11. Both are lit.", ALL),
    "a number that is missing": ("1. Both are grey.\n3. Both are round.\n4. Both are lit.", ALL),
    "no first number": (" Both are grey.\n2. Both are round.\n3. Both are lit.", ALL),
    "no first number, announced": ("Similarities:\n\nBoth are grey.\n2. Both are round.",
                                   [GREY, ROUND]),
    "no first number, one line": ("Both are grey. 2. Both are round. 3. Both are lit.", ALL),
    "only announced": ("Here they are:\n2. Both are grey.\n3. Both are round.", [GREY, ROUND]),
    # How many.
    "one": ("1. Both are grey.", [GREY]),
    "ten": ("\n".join(f"{n}. Both have {n}." for n in range(1, 11)),
            [f"Both have {n}." for n in range(1, 11)]),
    "none": ("I cannot find any similarities between these scenes.", []),
    "empty": ("", []),
    "blank": (" \n\t\n", []),
    "prose": ("Both are grey. Both are round.\nBoth are lit.", []),
    "numbers without words": ("1.\n2.\n3. Both are lit.\n4. **", [LIT]),
    "cut in the middle": ("1. Both are grey.\n2. Both are", [GREY, "Both are"]),
    "cut after a number": ("1. Both are grey.\n2.", [GREY]),
    # What is around the list.
    "preamble": ("Here are five similarities:\n\n1. Both are grey.\n2. Both are round.",
                 [GREY, ROUND]),
    "preamble that says something": ("Both images depict natural outdoor scenes.\n"
                                     "1. Both are grey.\n2. Both are round.", [GREY, ROUND]),
    "remark after a blank line": ("1. Both are grey.\n2. Both are round.\n\n"
                                  "The scenes are much alike.", [GREY, ROUND]),
    "remark at once": ("1. Both are grey.\n2. Both are round.\nOverall, they are alike.",
                       [GREY, ROUND]),
    "remark after a title": ("1. Grey colour\n2. Round shape\n\nI hope this helps!",
                             ["Grey colour", "Round shape"]),
    "bulleted remark": ("1. Both are grey.\n\nThe scenes are alike:\n- in size\n- in age", [GREY]),
    "heading above": ("## Similarities\n1. Both are grey.\n2. Both are round.", [GREY, ROUND]),
    "headings between": ("### Colours\n1. Both are grey.\n### Shapes\n2. Both are round.",
                         [GREY, ROUND]),
    "differences, numbered anew": ("1. Both are grey.\n2. Both are round.\n\n"
                                   "They differ:\n1. One is old.\n2. One is lit.", [GREY, ROUND]),
    "differences, bulleted": ("- Both are grey.\n- Both are round.\n\n**Key differences:**\n"
                              "- One is old.", [GREY, ROUND]),
    "differences, numbered on": ("1. Both are grey.\n2. Both are round.\n\n### Differences\n"
                                 "3. One is old.", [GREY, ROUND]),
    "the list a second time": ("1. Both are grey.\n2. Both are round.\n" * 2, [GREY, ROUND]),
    "thoughts": ("<think>1. Both are old?\n2. No.</think>\n1. Both are grey.", [GREY]),
    "thoughts opened in the prompt": ("1. Both are old?\n</think>1. Both are grey.", [GREY]),
    "only thoughts": ("<think>1. Both are grey.", []),
    # Bullets.
    "bullets": ("- Both are grey.\n- Both are round.\n- Both are lit.", ALL),
    "asterisks": ("* Both are grey.\n* Both are round.\n* Both are lit.", ALL),
    "bullet signs": ("\u2022 Both are grey.\n\u2022 Both are round.\n\u25cf Both are lit.", ALL),
    "numbers with bullets": ("- 1. Both are grey.\n- 2. Both are round.", [GREY, ROUND]),
    "nested bullets of bullets": ("- Colour\n  - Both are grey.\n- Shape\n  - Both are round.",
                                  ["Colour: Both are grey.", "Shape: Both are round."]),
    # Items of several lines.
    "bold title": ("1. **Colour:** Both are grey.\n2. **Shape**: Both are round.",
                   ["Colour: Both are grey.", "Shape: Both are round."]),
    "bold number and title": ("**1. Colour:** Both are grey.\n**2. Shape:** Both are round.",
                              ["Colour: Both are grey.", "Shape: Both are round."]),
    "title, then a nested bullet": ("1. **Colour**\n   - Both are grey.\n2. **Shape**:\n"
                                    "   - Both are round.",
                                    ["Colour: Both are grey.", "Shape: Both are round."]),
    "title, then bullets": ("1. **Colour**\n- Both are grey.\n- Both are dark.\n2. **Shape**\n"
                            "- Both are round.",
                            ["Colour: Both are grey. Both are dark.", "Shape: Both are round."]),
    "bullets without full stops": ("1. Colour\n   - both grey\n   - both dark",
                                   ["Colour: both grey; both dark"]),
    "title, then a line": ("1. **Colour**\nBoth are grey.\n2. Shape\nBoth are round.",
                           ["Colour: Both are grey.", "Shape: Both are round."]),
    "title, then a paragraph": ("### 1. Colour\n\nBoth are grey.\n\n### 2. Shape\n\n"
                                "Both are round.\n\nThat is all.",
                                ["Colour: Both are grey.", "Shape: Both are round."]),
    "heading of the number": ("**Similarity 1**\n\nBoth are grey.\n\n**Similarity 2**\n\n"
                              "Both are round.", [GREY, ROUND]),
    "heading in an item": ("1. Both are grey.\n   **Shape**\n   Both are round.\n2. Both are lit.",
                           ["Both are grey. Shape Both are round.", LIT]),
    "number on a line of its own": ("1.\nBoth are grey.\n2.\n\nBoth are round.", [GREY, ROUND]),
    "lines that go on": ("1. Both\nare grey.\n2. Both are\n   round.", [GREY, ROUND]),
    "indented paragraph": ("1. Both are grey.\n\n   They look old.\n2. Both are round.",
                           ["Both are grey. They look old.", ROUND]),
    "nested numbers": ("1. Colour\n   1. Both are grey.\n   2. Both are dark.\n2. Both are round.",
                       ["Colour: Both are grey. Both are dark.", ROUND]),
    "numbers within a line": ("1. Both have 2 dogs at 10:30.\n2. Both are 1.5 m high.",
                              ["Both have 2 dogs at 10:30.", "Both are 1.5 m high."]),
    # White space and markup.
    "indented": ("  1. Both are grey.\n  2. Both are round.", [GREY, ROUND]),
    "indented but for the first": ("1. Both are grey.\n   2. Both are round.\n   3. Both are lit.",
                                   ALL),
    "tabs": ("1.\tBoth are grey.\n\t- Both are dark.\n2.\tBoth are round.",
             ["Both are grey. Both are dark.", ROUND]),
    "blank lines": ("1. Both are grey.\n\n\n2. Both are round.", [GREY, ROUND]),
    "carriage returns": ("1. Both are grey.\r\n2. Both are round.\r\n", [GREY, ROUND]),
    "one line": ("Here are some: 1. Both are grey. 2. Both are round. 3. Both are lit.", ALL),
    "one line, in parentheses": ("(1) Both are grey. (2) Both are round.", [GREY, ROUND]),
    "image numbers are no items": ("Both have a dog, in image 1. Also in image 2. It is brown.",
                                   []),
    "quotation": ("> 1. Both are grey.\n> 2. Both are round.", [GREY, ROUND]),
    "code": ("```markdown\n1. Both are grey.\n2. Both are round.\n```", [GREY, ROUND]),
    "emphasis": ("1. Both are *grey*.\n2. Both are __round__.\n3. `Both` are ***lit***.", ALL),
    "snake_case stays": ("1. Both say a_b.", ["Both say a_b."]),
    "HTML": ("<ol><li>Both are <b>grey</b>.</li><li>Both are round.</li></ol>", [GREY, ROUND]),
    "HTML with attributes": ('<OL start="1"><LI class="x">Both are grey.</LI><li>Both are round.'
                             "</li></OL>", [GREY, ROUND]),
    "breaks": ("1. Both are grey.<br>2. Both are round.<br/>3. Both are lit.", ALL),
    "control characters": ("1. Both\x00 are\x1b grey.\n2. \x07Both are round.", [GREY, ROUND]),
    "half a surrogate pair": ("1. Both are \ud800.", ["Both are \ufffd."]),
    "other scripts": ("1. \u4e24\u4e2a\u573a\u666f\u90fd\u662f\u7070\u8272\u7684\u3002",
                      ["\u4e24\u4e2a\u573a\u666f\u90fd\u662f\u7070\u8272\u7684\u3002"]),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), CASES.values(), ids=CASES)
def test_statements(reply, expected):
    assert statements(reply) == expected


def test_it_is_no_grammar():
    assert "numbered_list" not in parsing.grammars()


words = st.text(st.characters(categories=["L"]), min_size=1, max_size=8)
sentences = st.lists(words, min_size=2, max_size=6).map(lambda w: "Both " + " ".join(w) + ".")
FORMS = ["{}. {}", "{}) {}", "({}) {}", "**{}.** {}", "Similarity {}: {}", "- {}. {}", "### {}. {}"]
fragments = st.sampled_from(
    ["1. ", "2) ", "(3) ", "- ", "  ", "\n", "\n\n", "**", "# ", "Similarity 1:", "Both are grey.",
     "Differences:", "<li>", "<think>", "</think>", "```\n", "> ", "\t", "Title", "1", "\x00"]
)  # fmt: skip
replies = st.one_of(
    st.text(st.characters(codec=None), max_size=200),
    st.lists(fragments, max_size=40).map("".join),
)


@given(st.lists(sentences, min_size=2, max_size=8), st.sampled_from(FORMS), st.sampled_from("\n ;"))
def test_a_list_is_read_whatever_its_form(items, form, gap):
    lines = [form.format(number, item) for number, item in enumerate(items, start=1)]
    text = ("\n\n" if gap == ";" else "\n").join(lines)
    assert statements(f"Here are {len(items)} similarities:\n{text}") == items


@given(replies)
def test_it_is_total_and_its_statements_are_one_line_of_text(reply):
    for statement in statements(reply):
        assert statement == " ".join(statement.split())
        assert any(map(str.isalnum, statement))
        statement.encode()


LONG = {
    text: text * (300_000 // len(text))
    for text in ("*", "_", " ", "\n", "\t\n", "#", ">", "- ", "- \n", "1. ", "1. \n", "1. x\n",
                 "1. 2. ", "(", "similarity ", "a\n", "** x", "**x\n", "<li>", "\x00", "<think>")
}  # fmt: skip


# A quadratic reading would take many minutes on these, so that returning at all is the test.
@pytest.mark.parametrize("text", LONG.values(), ids=map(repr, LONG))
def test_a_very_long_reply_is_read(text):
    assert isinstance(statements(f"1. Both are grey.\n2. {text}"), list)
    assert isinstance(statements(text), list)
