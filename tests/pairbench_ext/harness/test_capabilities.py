import importlib.metadata
import importlib.util

import pytest

from pairbench_ext.harness import capabilities
from pairbench_ext.harness.capabilities import (
    UnsupportedHarnessError,
    require_installed_harness,
    require_supported_harness,
)


@pytest.fixture(autouse=True)
def looked_for_again():
    capabilities._missing.cache_clear()
    yield
    capabilities._missing.cache_clear()


def test_a_harness_with_all_that_is_needed_may_call_itself_as_it_likes(monkeypatch):
    """Checkouts of the repository say 0.7.2, as did a release that lacks something."""
    for number in ("0.7.2", "0.1.dev0", "unknown"):
        monkeypatch.setattr(capabilities, "version", lambda _, number=number: number)
        require_supported_harness()


def test_a_harness_that_is_not_a_distribution_will_do(monkeypatch):
    def missing(_):
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(capabilities, "version", missing)
    require_supported_harness()


def test_a_missing_harness_is_said(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    for check in (require_installed_harness, require_supported_harness):
        with pytest.raises(UnsupportedHarnessError, match="none is installed; run: pip install"):
            check()


def test_a_missing_name_is_named_with_its_use(monkeypatch):
    from lmms_eval.api import instance, task

    monkeypatch.delattr(instance, "GenerationResult")
    monkeypatch.delattr(task, "ConfigurableMessagesTask")
    with pytest.raises(UnsupportedHarnessError) as caught:
        require_supported_harness()
    assert "lmms_eval.api.instance.GenerationResult (token counts" in str(caught.value)
    assert "lmms_eval.api.task.ConfigurableMessagesTask (messages for" in str(caught.value)
    assert str(caught.value).endswith("run: pip install -U lmms-eval")


def test_a_task_manager_with_other_arguments_is_named(monkeypatch):
    from lmms_eval.tasks import TaskManager

    monkeypatch.setattr(TaskManager, "initialize_tasks", lambda self, paths: {})
    with pytest.raises(UnsupportedHarnessError, match="`include_path` and `include_defaults`"):
        require_supported_harness()
