"""Runs of the benchmarks' own tests."""

import pytest

from tests.judges import evaluate, numbers


@pytest.fixture
def data(request, tmp_path, monkeypatch):
    """The rows that the test's module writes, where the benchmark of its folder looks for them."""
    request.module.write(tmp_path)
    monkeypatch.setenv(f"{request.path.parent.name.upper()}_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def run(task_manager):
    """The numbers of a judge and a task."""
    return lambda judge, task: numbers(evaluate(judge, task, task_manager), task)
