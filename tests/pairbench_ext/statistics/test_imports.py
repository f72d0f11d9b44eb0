import subprocess
import sys

import pytest

CHECK = """
import importlib, pkgutil, sys
package = importlib.import_module({package!r})
for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
loaded = [name for name in {heavy!r} if name in sys.modules]
sys.exit(f"{package} loads {{loaded}}" if loaded else 0)
"""
HEAVY = ("torch", "lmms_eval", "datasets", "transformers")


@pytest.mark.parametrize("package", ["pairbench_ext.statistics", "pairbench_ext.replies"])
def test_nothing_heavy_is_loaded(package):
    code = CHECK.format(package=package, heavy=HEAVY)
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_the_check_sees_what_is_loaded():
    code = CHECK.format(package="pairbench_ext.statistics", heavy=("numpy",))
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert "loads ['numpy']" in result.stderr


def test_the_statistics_load_nothing_heavy_when_used():
    code = (
        "import sys; from lmms_eval_tasks.pairbench.statistic import DEFINITIONS\n"
        "x = [1.0, 6.0, 10.0]\n"
        "assert all(statistic.of(x, x) > 0.99 for statistic in DEFINITIONS.values())\n"
        f"assert not [name for name in {HEAVY!r} if name in sys.modules]"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
