"""What entry functions need, in one module: all of it, nothing else, and it says the same."""

import ast
import sys

import pytest

from pairbench_ext.upstream.inlined import Inlined
from pairbench_ext.upstream.modules import Definition, SourceError
from pairbench_ext.upstream.scopes import free_names
from tests.upstream_checkout import imported


@pytest.fixture
def inline(tmp_path, monkeypatch):
    """Writes modules of a package `house`, and inlines functions of `house.hooks`."""

    def of(hooks, entries=("entry",), **modules):
        folder = tmp_path / "house"
        folder.mkdir()
        for name, text in {"__init__": "", "hooks": hooks, **modules}.items():
            (folder / f"{name}.py").write_text(text)
        found = [Definition("house.hooks", entry) for entry in entries]
        return Inlined(found, frozenset({"house"})).text

    monkeypatch.syspath_prepend(str(tmp_path))  # which forgets what was found before
    yield of
    for name in [name for name in sys.modules if name.partition(".")[0] == "house"]:
        del sys.modules[name]


def run(text, folder, *arguments):
    with imported(text, folder) as module:
        return module.entry(*arguments)


def test_definitions_of_one_name_are_told_apart(inline, tmp_path):
    text = inline(
        "from house import one, two\nfrom house.one import twice\n"
        "def twice_of(x):\n    return 1000 * x\n"
        "def entry(x):\n    return one.twice(x), two.twice(x), twice(x), twice_of(x)\n",
        one="def _helped(x): return 2 * x\ndef twice(x): return _helped(x)\n",
        two="_K = 'é'\ndef _helped(x): return _K, 20 * x\n"
        "def twice(x): return 'ü', _helped(x), [_helped(_helped) and x for _helped in ()]\n",
    )
    assert run(text, tmp_path, 1) == (2, ("ü", ("é", 20), []), 2, 1000)


def test_a_name_that_a_function_binds_is_its_own(inline, tmp_path):
    text = inline(
        "from house.other import count, share\n"
        "def entry(values):\n    count = len(values)\n    return count, (lambda share: share)(3)\n",
        other="def count(): raise NotImplementedError\ndef share(): raise NotImplementedError\n",
    )
    assert run(text, tmp_path, "abc") == (3, 3)
    assert "NotImplementedError" not in text


def test_what_nothing_names_is_left_out(inline, tmp_path):
    text = inline(
        "from house.other import Table, unused\nimport json\nimport urllib.parse\n"
        "import numpy as np\n"
        "def entry():\n"
        "    shown = getattr(Table([3]), 'shown')\n"
        "    return Table([3]).best, float(np.max([1])), urllib.parse.quote('/'), shown\n",
        other="""from typing import NamedTuple
import shutil
LIMIT, OTHER = 5, 6
class Table(NamedTuple):
    rows: list  # type: ignore[type-arg]

    @property
    def best(self):
        return self.limited(LIMIT)

    def limited(self, most):
        return min(most, *self.rows, most)

    @property
    def shown(self):
        return str(self.rows)

    def max(self):
        return shutil.which("sh")
def unused():
    return OTHER
""",
    )
    assert run(text, tmp_path) == (3, 1.0, "/", "[3]")
    for gone in ("json", "shutil", "unused", "house", "type: ignore", "def max"):
        assert gone not in text, gone
    assert text.count("LIMIT, OTHER = 5, 6") == 1


def test_what_a_module_computes_stands_after_what_it_needs(inline, tmp_path):
    text = inline(
        "from house.other import TABLE\ndef entry():\n    return TABLE\n",
        other="def _made(): return [_one()]\ndef _one(): return 1\nTABLE = _made()\n",
    )
    assert run(text, tmp_path) == [1]


def test_annotations_of_what_comes_later_are_texts(inline, tmp_path):
    text = inline(
        "from __future__ import annotations\nfrom house.other import Node\n"
        "def entry():\n    return Node(1, Node(2)).next.value\n",
        other="""from __future__ import annotations
class Node:
    next: Node | None

    def __init__(self, value: int, next: Node | None = None):
        self.value, self.next = value, next

    def __add__(self, other: Node) -> list[Node]:
        return [self, other]
""",
    )
    assert run(text, tmp_path) == 2
    assert 'other: "Node") -> "list[Node]"' in text
    assert "value: int" in text


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ("from house import other\ndef entry(): return other\n", "the module house.other as a"),
        ("from house import other\ndef entry(): return other.gone\n", "house.other defines no gon"),
        ("from house.other import gone\ndef entry(): return gone\n", "house.other defines no gone"),
        ("def entry(): return unheard_of\n", "what is 'unheard_of'?"),
        ("from . import other\ndef entry(): return other.x\n", "house.hooks: a relative import"),
    ],
)
def test_what_cannot_be_inlined_is_said(inline, hooks, said):
    with pytest.raises(SourceError, match=said.replace("?", r"\?")):
        inline(hooks, other="x = 1\n")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(a, *b, c=d, **e) -> g: return a, b, c, e, h", ["d", "g", "h"]),
        ("[x for x in y if z]", ["y", "z"]),
        ("def f(): return x, [x for x in (y := [1])], y", ["x"]),
        ("f'{a} {b:{c}}'", ["a", "b", "c"]),
        ("def f():\n try: pass\n except E as e: return e", ["E"]),
        ("def f():\n with a as b: return b", ["a"]),
        ("def f():\n import os\n return os.x, (n := 1), n", []),
        ("class A(B):\n x: C = D\n @e\n def m(self): return x, self", ["B", "C", "D", "e", "x"]),
        ("def f():\n def g(): return h\n return g, lambda i: (i, j)", ["h", "j"]),
    ],
)
def test_free_names(source, names):
    assert sorted({name.id for name in free_names(ast.parse(source))}) == sorted(names)


def test_a_statement_that_binds_several_names_binds_all_of_them_anew(inline, tmp_path):
    text = inline(
        "from house import one, two\ndef entry():\n    return one.LOW, one.HIGH, two.LOW\n",
        one="LOW, HIGH = 1, 2\n",
        two="# LOW, then HIGH: not named, and may not take the other's place\nLOW, HIGH = 10, 20\n",
    )
    assert run(text, tmp_path) == (1, 2, 10)


def test_imports_of_one_name_are_told_apart(inline, tmp_path):
    text = inline(
        "from math import floor as cut\nfrom house.other import up\n"
        "def entry(x):\n    return cut(x), up(x)\n",
        other="from math import ceil as cut\ndef up(x):\n    return cut(x)\n",
    )
    assert run(text, tmp_path, 1.5) == (1, 2)


def test_docstrings_keep_their_first_paragraph(inline, tmp_path):
    text = inline(
        '''from house.other import Table
def entry():
    r"""One \\line of
    two.

    >>> entry()
    """
    return entry.__doc__, Table.__doc__, Table.shown.__doc__, Table().shown()
''',
        other='''class Table:
    """A table.

    Attributes:
        none.
    """

    def shown(self): """What it shows,"""; return "shown"

    def __len__(self):
        """How many are "rows".

        Always 2.
        """
        return 2
''',
    )
    assert run(text, tmp_path) == ("One \\line of two.", "A table.", "What it shows,", "shown")
    assert 'How many are "rows".' in text
    assert "Always" not in text
    assert "Attributes" not in text


def test_what_no_call_asks_for_is_left_out(inline, tmp_path):
    text = inline(
        "from house.other import asked\n"
        "def entry(x):\n    return asked(x), [asked(x + one) for one in (1, 2)]\n",
        other="class Shot: pass\n"
        "def _shown(shot): raise NotImplementedError\n"
        "def _told(text, loud): return text.upper() if loud else text\n"
        "def asked(text, *, shot: Shot | None = None, loud=False, end='!'):\n"
        "    # why\n"
        "    made = [str(text)]\n"
        "    if shot is not None and not loud:\n        made += [_shown(shot)]\n"
        "    elif end in ('!', '?'):\n        made += [f'{text}{end}']\n"
        "    return [_told(one, loud=loud) for one in made]\n",
    )
    assert run(text, tmp_path, 1) == (["1", "1!"], [["2", "2!"], ["3", "3!"]])
    assert not any(name in text for name in ("hot", "loud", "upper", "end"))
    assert "# why" in text


@pytest.mark.parametrize(
    "other",
    [
        "def asked(x, more=1):\n    return x + more\ndef second(x): return asked(x, 2)\n",
        "def asked(x, more=1):\n    return x + more\ndef second(x): return asked(x) + 1\n",
        "def asked(x, more=1):\n    if more == 1:  # why\n        return x + 1\n"
        "def second(x): return 1 + asked(x)\n",
        "def asked(x, more=True):\n    more = not more\n    return x if more else x + 1\n"
        "def second(x): return 1 + asked(x)\n",
        "def asked(x, more=True):\n    return x + 1 if more else x\n"
        "def second(x): return max(map(asked, [x])) + 1\n",
        "def asked(x, more=True):\n    return x + 1 if more else x\n"
        "def second(x): return asked(*(x, True)) + 1\n",
    ],
    ids=["differs", "in-a-formula", "comment", "assigned", "a-value", "starred"],
)
def test_a_parameter_that_matters_stays(inline, tmp_path, other):
    text = inline(
        "from house.other import asked, second\ndef entry(x):\n    return asked(x), second(x)\n",
        other=other,
    )
    assert run(text, tmp_path, 1) == (2, 3)
    assert "more" in text
    assert "# why" in text or "# why" not in other


def test_a_function_that_calls_itself_loses_a_parameter_too(inline, tmp_path):
    text = inline(
        "from house.other import down\ndef entry(x):\n    return down(x, 'up')\n",
        other="def down(x, way):\n"
        "    if way == 'up':\n        return [x, *down(x - 1, 'up')] if x else []\n"
        "    return 0\n",
    )
    assert run(text, tmp_path, 2) == [2, 1]
    assert "way" not in text
