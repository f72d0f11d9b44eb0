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
