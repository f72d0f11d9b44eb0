"""Packages beside ours with a plugin of the harness, as `pip` would install them."""

PATCH = """
import functools
from lmms_eval.tasks import TaskManager

CALLS = []

def register():
    original = TaskManager.initialize_tasks

    @functools.wraps(original)
    def initialize_tasks(self, include_path=None, include_defaults=True):
        CALLS.append(include_path)
        index = original(self, include_path, include_defaults)
        path = __file__.replace("__init__.py", "theirs.yaml")
        index["theirs"] = {"type": "task", "yaml_path": path}
        return index

    TaskManager.initialize_tasks = initialize_tasks
    return []
"""
TASK = """
task: theirs
dataset_path: json
dataset_kwargs:
  data_files:
    test: theirs.jsonl
test_split: test
output_type: generate_until
doc_to_text: question
doc_to_visual: !function functions.nothing
doc_to_target: answer
generation_kwargs:
  max_new_tokens: 8
metric_list:
- metric: exact_match
  aggregation: mean
  higher_is_better: true
"""


def write_neighbour(folder, name="neighbour", code=PATCH):
    """A distribution in a folder; it is installed where the folder is on the path of imports."""
    info = folder / f"{name}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[lmms_eval.models]\nplug = {name}:register\n")
    package = folder / name
    package.mkdir()
    (package / "__init__.py").write_text(code)
    (package / "theirs.yaml").write_text(TASK)
    (package / "theirs.jsonl").write_text('{"question": "Say A.", "answer": "A"}\n')
    (package / "functions.py").write_text("def nothing(doc):\n    return []\n")
    return folder
