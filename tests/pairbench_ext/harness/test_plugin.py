"""Our entry point among the harness's models: what it costs; test_packaging.py: what it adds."""

import json
import sys

from tests.processes import python

# What is imported when the harness's models are, with and without our entry point.
IMPORTED = """
import importlib.metadata, json, sys
if {disabled}:
    found = importlib.metadata.entry_points
    def entry_points(**options):
        points = found(**options)
        return type(points)(one for one in points if one.name != "pairbench_ext")
    importlib.metadata.entry_points = entry_points
import lmms_eval.models
ours = "resumable" in lmms_eval.models.AVAILABLE_MODELS
print(json.dumps([ours, sorted(name for name in sys.modules if name != "__main__")]))
"""


def imported(cwd, *, disabled):
    return json.loads(python(IMPORTED.format(disabled=disabled), cwd=cwd).stdout.splitlines()[-1])


def test_the_entry_point_imports_nothing_heavy(tmp_path):
    without, before = imported(tmp_path, disabled=True)
    there, after = imported(tmp_path, disabled=False)
    assert (without, there) == (False, True)
    added = {name.partition(".")[0] for name in set(after) - set(before)}
    assert added - set(sys.stdlib_module_names) <= {"lmms_eval_tasks", "pairbench_ext", "_loguru"}
    assert not [name for name in set(after) - set(before) if name.startswith("lmms_eval.")]
    assert not {"torch", "numpy", "scipy", "lmms_eval.tasks"} & (set(after) - set(before))
