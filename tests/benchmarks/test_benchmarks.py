"""Every benchmark at a tiny size: both sides agree and rows come out. No times are asserted."""

import sys

import pytest

from benchmarks import (
    bootstrap,
    build_images,
    chaos,
    common,
    data,
    expansion,
    hostile,
    images,
    resumable,
    stock_task,
    waiting,
)

SIZES = {
    expansion: {"rows": 4, "rounds": 1},
    images: {"rows": 4, "rounds": 1},
    build_images: {"long": 4, "short": 2, "rounds": 1},
    bootstrap: {"rows": 20, "rounds": 1},
    resumable: {"requests": 16, "seconds": 0.001, "rounds": 1},
    waiting: {"requests": 24, "seconds": 0.001, "rounds": 1},
}
ROWS = {expansion: 3, images: 2, build_images: 1, bootstrap: 2, resumable: 5, waiting: 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("benchmarks")


@pytest.mark.parametrize("benchmark", SIZES, ids=lambda module: module.__name__)
def test_runs_and_gives_rows(benchmark, folder, monkeypatch):
    monkeypatch.setattr(data, "SIZE", (48, 32))
    if benchmark is expansion and sys.platform != "linux":
        pytest.skip("memory is read from Linux's /proc")
    rows = list(benchmark.run(folder, **SIZES[benchmark]))
    assert len(rows) == ROWS[benchmark]
    for row in rows:
        assert all(row[column] for column in ("what", "ours", "otherwise", "ratio"))
        assert row["ratio"] != "NaNx"
        assert (row["met"] == "") == (row["target"] == "")


def test_faults_are_tried(folder):
    lines = chaos.run(folder, chaos.Run(12, 0.0005), 1, ("7", "prompt"))
    assert [line["survived"] for line in lines] == ["1", "1"]
    assert [line["lost"] for line in lines] == ["0", "0"]


def test_hostile_logs_and_command_lines_end_well(tmp_path):
    tried = [(line["tried"], line["neither"]) for line in hostile.run(tmp_path, 6, 8, 4, every=9)]
    assert tried[:3] == [("6", "0"), ("8", "0"), ("4", "0")]
    assert all(int(many) > 3 and neither == "0" for many, neither in tried[3:])


def test_sides_that_differ_are_not_timed():
    with pytest.raises(common.DisagreementError, match="the images of trial 3"):
        common.require(False, "the images of trial 3")


def test_the_stock_task_and_ours_on_the_same_answers(tmp_path):
    chosen = ("always right, says [[2]]", "always the first answer", "never a verdict")
    lines = list(stock_task.compare(tmp_path, chosen))
    assert [line["of 30 by API or coin"] for line in lines] == ["30", "0", "30"]
    assert [line["K = 5: decided"] for line in lines][::2] == ["1.00", "-"]
    assert [line["both: strict"] for line in lines] == ["1.00", "0.00", "0.00"]
    assert [line["both: same winner"] for line in lines] == ["1.00", "0.00", "0.00"]
    assert [line["both: coverage"] for line in lines] == ["1.00", "1.00", "0.00"]
    # Which answers come first follows from their lengths: 20 of the 30 better ones.
    assert float(lines[1]["stock score"]) > 0.6
