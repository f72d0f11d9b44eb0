"""The arrows of the house: benchmarks import the kernel, never the other way; no circles.

task_yamls -> lmms_eval_tasks -> pairbench_ext. Imports inside of functions count as well.
"""

import ast
import re
from collections import defaultdict
from functools import cache

import pytest

from tests.conftest import REPOSITORY

PACKAGES = ("pairbench_ext", "lmms_eval_tasks")
# All that touches the harness.
HARNESS_ROOMS = {"pairbench_ext.harness", "pairbench_ext.resumable", "pairbench_ext.judges"}


@cache
def modules():
    """The dotted name of every module -> its file."""
    found = {}
    for package in PACKAGES:
        for file in (REPOSITORY / package).rglob("*.py"):
            parts = file.relative_to(REPOSITORY).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def tree_of(name):
    """The syntax tree of a module."""
    return ast.parse(modules()[name].read_text("utf-8"))


@cache
def nodes_of(name):
    """All nodes of it."""
    return list(ast.walk(tree_of(name)))


@cache
def imports():
    """The modules that every module imports, ours and others'."""
    known = modules()
    found = defaultdict(set)
    for name in known:
        for node in nodes_of(name):
            if isinstance(node, ast.Import):
                found[name] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    found[name].add(full if full in known else node.module)
    return found


def room(module):
    """The folder that a module is in, of the kernel's or of the benchmarks'."""
    return ".".join(module.split(".")[:2])


def arrows():
    """Between rooms: importing -> imported."""
    found = defaultdict(set)
    for name, imported in imports().items():
        for one in imported:
            if one in modules() and room(one) != room(name):
                found[room(name)].add(room(one))
    return found


def circles(graph):
    """Every room that can be reached from itself, with the way round."""
    found = []
    for start in graph:
        ways = [[start]]
        seen = set()
        while ways:
            way = ways.pop()
            for following in graph.get(way[-1], ()):
                if following == start:
                    found.append(" -> ".join([*way, start]))
                elif following not in seen:
                    seen.add(following)
                    ways.append([*way, following])
    return found


def test_only_the_harness_rooms_import_the_harness():
    outside = {
        name: found
        for name, imported in imports().items()
        if room(name) not in HARNESS_ROOMS
        and (found := sorted(one for one in imported if one.split(".")[0] == "lmms_eval"))
    }
    assert not outside


# Each room of the kernel -> the rooms that it may import. Any room may import the hallway, for
# `__version__`.
BASE = {"replies", "statistics", "synthetic"}
MIDDLE = {"harness", "runs", "resumable", "judges"}
MAY_IMPORT = {
    "replies": set(),
    "statistics": set(),
    "synthetic": {"statistics"},  # seeds live there
    "core": BASE,
    "runs": {"core"} | BASE,
    "resumable": {"core"} | BASE,
    "judges": {"core"} | BASE,
    "harness": {"runs", "resumable", "core"} | BASE,
    "stacks": MIDDLE | {"core"} | BASE,
    "show": {"stacks", "core"} | MIDDLE | BASE,
}


@pytest.mark.parametrize("name", MAY_IMPORT)
def test_a_room_imports_only_the_rooms_below_it(name):
    allowed = {"pairbench_ext"} | {f"pairbench_ext.{below}" for below in MAY_IMPORT[name]}
    wrong = arrows()[f"pairbench_ext.{name}"] - allowed
    assert not wrong, f"pairbench_ext/{name} may import {sorted(allowed)} only (MAY_IMPORT above)"


def face(name):
    """The modules that a room's `__init__` shows to other rooms: names, then what they do."""
    text = ast.get_docstring(tree_of(f"pairbench_ext.{name}"))
    lines = re.findall(r"^    (\S.*?)(?:  .*)?$", text, re.MULTILINE)
    return {f"pairbench_ext.{name}.{module}" for line in lines for module in line.split(", ")}


@pytest.mark.parametrize("name", MAY_IMPORT)
def test_others_import_what_the_face_of_a_room_shows(name):
    own = f"pairbench_ext.{name}"
    imported = {
        module
        for importing, others in imports().items()
        for module in others
        if room(importing) != own and module.startswith(f"{own}.") and module in modules()
    }
    face_of = f"the docstring of pairbench_ext/{name}/__init__.py"
    assert not imported - face(name), f"others import these: show them in {face_of}"
    assert not face(name) - imported, f"nobody imports these: leave them out of {face_of}"


def test_there_are_no_circles_between_rooms_or_files():
    assert not circles(arrows())
    known = modules()
    assert not circles({name: others & known.keys() for name, others in imports().items()})


#: Packages that take long to import, or that a light install lacks.
HEAVY = ("datasets", "huggingface_hub", "matplotlib", "narwhals", "openpyxl", "pandas", "pyarrow")


def test_commands_import_heavy_packages_where_they_are_used():
    """`import scipy` is light: `scipy.stats` is loaded when a function of it is called."""
    found = []
    for name in modules():
        for node in tree_of(name).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            found += [
                f"{name}: {one}"
                for one in names
                if one.partition(".")[0] in HEAVY
                or (one.startswith("scipy") and (isinstance(node, ast.ImportFrom) or "." in one))
            ]
    assert not found


def test_statistics_need_numpy_and_scipy_only():
    allowed = {"numpy", "scipy", "pairbench_ext", "__future__", "math", "itertools"}
    standard = {"bisect", "collections", "dataclasses", "functools", "hashlib", "typing"}
    for name, imported in imports().items():
        if room(name) == "pairbench_ext.statistics":
            assert {one.split(".")[0] for one in imported} <= allowed | standard, name


#: With these words the docstrings of functions begin: they say what a function returns or does.
VERBS = """
Adapt Add Announce Apply Ask Assign Average Begin Build Call Capture Catch Change Check Choose
Close Combine Compare Compute Convert Copy Correlate Count Create Declare Decorate Describe Draw
Drop Estimate Examine Fill Find Flush Free Give Have Ignore Import Keep Label Lay Let Limit List
Load Lock Log Make Match Measure Move Name Note Open Prepare Print Raise Rank Read Record Refuse
Register Remember Remove Rename Replace Report Return Run Seed Serve Set Show Sort Split Start Stop
Store Summarize Take Test Translate Turn Update Use Warn Wrap Write Yield
"""


def test_docstrings_of_public_functions_begin_with_a_verb():
    wrong = []
    for name in modules():
        for node in nodes_of(name):
            public = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            text = ast.get_docstring(node) if public else None
            if text and text.split()[0].rstrip(",:") not in VERBS.split():
                wrong.append(f"{name}.{node.name}: {text.splitlines()[0]}")
    assert not wrong, "say what it returns or does (or add the verb to VERBS)"


#: These do not say what a variable holds. Logged fields, such as `said`, keep their names.
EMPTY_NAMES = {"known", "made", "one", "own", "said"}


def test_variables_say_what_they_hold():
    wrong = []
    for name in modules():
        nodes = nodes_of(name)
        classes = (node for node in nodes if isinstance(node, ast.ClassDef))
        fields = {getattr(part, "target", None) for of in classes for part in of.body}
        stored = (node for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store))
        bound = [(getattr(node, "id", ""), node.lineno) for node in stored if node not in fields]
        bound += [(node.arg, node.lineno) for node in nodes if isinstance(node, ast.arg)]
        wrong += [f"{name}:{line}: {word}" for word, line in bound if word in EMPTY_NAMES]
    assert not wrong, "give these the noun for what they hold, such as `fields` or `judges`"


#: So many functions have this complexity or more: the numbers only ever go down.
MOST_COMPLEX = {20: 0, 15: 9}


def blocks(found):
    """Functions, methods and what is in them, with their complexity."""
    for block in found:
        if hasattr(block, "methods"):
            yield from blocks([*block.methods, *block.inner_classes])
        else:
            yield block
            yield from blocks(block.closures)


def test_functions_decide_little():
    """Ruff's rule does not count `and`, `or` and conditions within expressions; radon does."""
    visit = pytest.importorskip("radon.complexity", reason="needs radon").cc_visit_ast
    found = [
        (block.complexity, name, block.name)
        for name in modules()
        for block in blocks(visit(tree_of(name)))
    ]
    for least, most in MOST_COMPLEX.items():
        worst = sorted({(n, module, function) for n, module, function in found if n >= least})
        assert len(worst) <= most, f"{least} or more branches: split one of {worst[:5]}"
