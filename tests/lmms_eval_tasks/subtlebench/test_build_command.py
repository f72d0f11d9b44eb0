import json

import pytest

from tests.files import pairbench


def invoke(*arguments):
    return pairbench("build", "subtle", *arguments)


def cells(folder):
    text = (folder / "data" / "test.jsonl").read_text(encoding="utf-8")
    infos = [json.loads(json.loads(line)["generation_info"]) for line in text.splitlines()]
    return [tuple(info["cell"].values()) for info in infos]


def test_a_set_is_written(tmp_path):
    done = invoke("--type", "mix", "--out", tmp_path / "out", "--n", 3, "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert "3 pairs" in done.output
    assert f"SUBTLEBENCH_DATA={tmp_path / 'out'}" in done.output.replace("\n", "")
    assert (tmp_path / "out" / "sheet.png").is_file()


def test_axes_are_taken_from_the_command_or_a_file(tmp_path):
    file = tmp_path / "axes.yaml"
    file.write_text("size: [20, 40]\nobjects: [5]\n")
    for number, axes in enumerate(("size=20,40;objects=5", file)):
        options = ("--axes", axes, "--n", 1, "--jobs", 1)
        done = invoke("--type", "control_quantity", "--out", tmp_path / str(number), *options)
        assert done.exit_code == 0, done.output
        assert cells(tmp_path / str(number)) == [(20, 5), (40, 5)]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--type", "state"], 2, "'state' is none of attribute, spatial"),
        (["--type", "mix", "--axes", "size=20"], 1, "error: mix has no axes"),
        (["--type", "control_size", "--axes", "size=20;mood=1"], 1, "no axis 'mood', only size"),
        (["--type", "control_size", "--axes", "size"], 1, "'size' is not of the form"),
        (["--type", "control_size", "--axes", "size=900"], 1, "cell size=900, ratio=0.1"),
        (["--type", "mix", "--n", "0"], 2, "--n"),
    ],
)
def test_mistakes_are_one_clear_sentence(tmp_path, arguments, status, message):
    done = invoke(*arguments, "--out", tmp_path / "out")
    assert done.exit_code == status
    assert message in " ".join(done.output.replace("│", " ").split())
    assert "Traceback" not in done.output
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "out").write_text("")
    done = invoke("--type", "mix", "--out", tmp_path / "out", "--n", 1, "--jobs", 1)
    assert done.exit_code == 1
    assert "out" in done.output
    assert "Traceback" not in done.output
