"""A checkout of the harness with little in it, and an exported module of it."""

import importlib.util
import sys
from contextlib import contextmanager

from pairbench_ext.upstream.checkout import LIST, TASKS

SECTION = "## 9. Multimodal Evaluation & Meta-benchmarks"
LISTED = f"""# Current Tasks

{SECTION}

- [EMMA](https://emma-bench.github.io) (emma)
- [Multi-Crit](https://github.com/tyxiong23/Multi-Crit) (multi_crit)
  - Multi-Crit Reasoning (multi_crit_reasoning)
- [VL-RewardBench](https://vl-rewardbench.github.io) (vl_rewardbench)

---

## 10. Supported Models
"""


def small_checkout(folder):
    """A checkout with one task and the list of tasks."""
    (folder / TASKS / "emma").mkdir(parents=True)
    (folder / TASKS / "emma" / "emma.yaml").write_text(
        'task: "emma"\ndataset_path: luckychao/EMMA\n'
    )
    (folder / LIST).parent.mkdir(parents=True)
    (folder / LIST).write_text(LISTED)
    return folder


@contextmanager
def imported(source, folder, name="exported_utils"):
    """The module of a text, run as the harness does: it is none of the modules that are known."""
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    assert name not in sys.modules
