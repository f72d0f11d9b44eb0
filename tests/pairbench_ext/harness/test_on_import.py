import importlib
import importlib.util
import sys

import pytest

from pairbench_ext.harness.on_import import on_import


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of a module that is not imported yet."""
    name = "imported_later"
    (tmp_path / f"{name}.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = list(sys.meta_path)
    yield name
    assert sys.meta_path == before
    sys.modules.pop(name, None)


def test_the_function_is_called_once_when_the_module_is_there(module):
    seen = []
    on_import(module, lambda found: seen.append(found.VALUE))
    on_import(module, lambda found: seen.append(found.VALUE + 1))
    assert seen == []
    assert importlib.util.find_spec("json.tool") is not None
    assert importlib.util.find_spec(module).origin.endswith(f"{module}.py")  # looking is no import
    assert seen == []
    found = importlib.import_module(module)
    assert seen == [1, 2]
    importlib.reload(found)
    assert seen == [1, 2]
