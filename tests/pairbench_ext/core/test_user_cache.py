import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pairbench_ext.core import user_cache
from pairbench_ext.core.user_cache import build_once


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv(user_cache.CACHE_VARIABLE, str(tmp_path))
    return tmp_path


def write_file(folder):
    folder.mkdir()
    (folder / "file").write_text("content")


def must_not_build(folder):
    raise AssertionError(f"built again: {folder}")


def names(folder):
    return {entry.name for entry in folder.iterdir()}


def test_one_builds_and_the_others_wait(cache):
    built = []

    def build_slowly(folder):
        built.append(folder)
        time.sleep(0.1)
        write_file(folder)

    with ThreadPoolExecutor(4) as threads:
        folders = list(threads.map(lambda _: build_once("set", "a1", build_slowly), range(4)))
    assert len(built) == 1
    assert set(folders) == {cache / "set-a1"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_failed_build_leaves_nothing(cache, error):
    def fail_midway(folder):
        write_file(folder)
        raise error

    with pytest.raises(error):
        build_once("set", "a1", fail_midway)
    assert names(cache) == {"set-a1.lock"}
    assert names(build_once("set", "a1", write_file)) == {"file"}


def test_unwritable_cache_names_the_folder_and_the_variable(monkeypatch, tmp_path):
    file = tmp_path / "a file"
    file.touch()
    monkeypatch.setenv(user_cache.CACHE_VARIABLE, str(file / "cache"))
    with pytest.raises(OSError, match=r"set-a1 in .*a file.*PAIRBENCH_CACHE"):
        build_once("set", "a1", must_not_build)
