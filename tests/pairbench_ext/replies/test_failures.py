import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from pairbench_ext.replies.failures import is_answer

# Strings that the harness's models set or return where something failed, and that are no replies:
# the beginning of another one, what a tool says to the model, an argument.
NO_REPLIES = re.compile(
    r"Error: \{\}|unknown error|error|eager|sdpa|\(Note: cv2 was not available.*|"
    r"Sandbox for \{\}:.*|Unable to determine \(error reading image\)|\[AUDIO_DATA_TRUNCATED_.*|"
    r"You are Uni-MoE-2.*|\[UNUSED_TOKEN_146\].*",
    re.DOTALL,
)
LOOKS_FAILED = re.compile(r"^\s*\[[A-Z_]{4,}|(?i:\b(?:error|fail|cannot|can not|unable|blocked))")


def text_of(node):
    """A string of the source, with {} for what is filled in; None for anything else."""
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
        return "".join(parts)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def given(node):
    """Strings that a statement sets, returns or adds to a list."""
    values = []
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("append", "extend"):
        values = node.args
    elif isinstance(node, (ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign)):
        values = [node.value]
    for value in values:
        several = value.values if isinstance(value, ast.BoolOp) else getattr(value, "elts", ())
        choices = [getattr(choice, "elt", choice) for choice in (value, *several)]
        choices += [choice.orelse for choice in choices if isinstance(choice, ast.IfExp)]
        yield from filter(None, map(text_of, choices))


def said_on_failure():
    """What the installed harness's models say where something failed: text -> modules."""
    models = Path(find_spec("lmms_eval").origin).parent / "models"
    texts = {}
    for file in sorted(models.rglob("*.py")):
        tree = ast.parse(file.read_text(), str(file))
        handled = {
            inner
            for handler in ast.walk(tree)
            if isinstance(handler, ast.ExceptHandler)
            for inner in ast.walk(handler)
        }
        for node in ast.walk(tree):
            for text in given(node):
                if node in handled or LOOKS_FAILED.search(text):
                    texts.setdefault(text, set()).add(file.name)
    return texts


@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # of the harness's modules
def test_all_that_the_harness_s_backends_say_on_failure_is_no_answer():
    texts = said_on_failure()
    replies = {text: names for text, names in texts.items() if not NO_REPLIES.fullmatch(text)}
    modules = {name for names in replies.values() for name in names}
    assert {"gemini.py", "oryx.py", "llava_vid.py", "cosmos_wm.py", "async_openai.py"} <= modules
    assert len(replies) >= 15
    taken = [text for text in replies if is_answer(text.replace("{}", "x"), {"output_tokens": 3})]
    assert not taken
