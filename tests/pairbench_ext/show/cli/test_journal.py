import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pairbench_ext.resumable.journal.store import Answer, Entry, Journal
from pairbench_ext.show.cli.journal import journal as command
from tests.journals import announce

NASTY = ["[bold]x[/bold]", "\ud800", "\ud83d\ude00", "a\nb\r\u2028\x00\x1b[31m", "ä😀", ""]
app = typer.Typer()
app.command()(command)


def invoke(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def key(number):
    return f"{number:08x}"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "journal"
    with Journal.open(folder) as journal:
        announce(journal, "cast_generate", [key(number) for number in range(1_000)])
        for number, text in enumerate(NASTY):
            answer = Answer(text, {"output_tokens": number} if number % 2 else None)
            journal.append([Entry(key(number), "cast_generate", answer, doc=number, repeat=1)])
        journal.append([Entry(key(5_000), "[red]mme", Answer("yes"))])
    return folder


def cells(output, task):
    (line,) = [line for line in output.splitlines() if line.strip().startswith(task)]
    return line.split()


def test_the_table(folder):
    done = invoke(folder)
    assert done.exit_code == 0
    assert cells(done.output, "cast_generate")[1:4] == ["6", "1,000", "994"]
    assert cells(done.output, "[red]mme")[1:4] == ["1", "-", "-"]
    assert cells(done.output, "all")[1:4] == ["7", "-", "-"]
    assert "1 file, " in done.output
    assert "1 run" in done.output
    assert "in use" not in done.output


def test_one_task(folder):
    done = invoke(folder, "--task", "cast_generate")
    assert cells(done.output, "cast_generate")[3] == "994"
    assert "mme" not in done.output


def test_torn_records_and_who_uses_it(folder):
    path = folder / "rank-00000.journal"
    data = bytearray(path.read_bytes())
    at = data.index(b"\n", 10) + 30
    data[at] ^= 1
    path.write_bytes(data)
    shown = invoke(folder).output
    assert "1 record torn or damaged" in shown
    assert f"{path}, byte " in shown
    with Journal.open(folder):
        assert f"in use by process {os.getpid()} on " in invoke(folder).output


def test_as_json(folder):
    document = json.loads(invoke(folder, "--json").output)
    task = document["tasks"]["cast_generate"]
    assert (task["answers"], task["expected"], task["left"]) == (6, 1_000, 994)
    assert document["tasks"]["[red]mme"]["left"] is None
    assert (document["files"], document["runs"], document["answers"]) == (1, 1, 7)
    assert document["torn"] == document["holders"] == []
    assert document["size"] == (folder / "rank-00000.journal").stat().st_size
    only = json.loads(invoke(folder, "--json", "--task", "[red]mme").output)
    assert list(only["tasks"]) == ["[red]mme"]


def test_json_has_no_nan(tmp_path):
    with Journal.open(tmp_path) as journal:
        announce(journal, "t", [key(1)])
    document = json.loads(invoke(tmp_path, "--json").output, parse_constant=pytest.fail)
    assert document["rate"] is None
    assert document["tasks"]["t"]["last"] is None


def test_export(folder, tmp_path):
    done = invoke(folder, "--export", tmp_path / "answers.jsonl")
    assert done.exit_code == 0
    assert "exported 7 answers; in 2 of them lone surrogates became U+FFFD" in done.output
    data = (tmp_path / "answers.jsonl").read_bytes()
    rows = [json.loads(line) for line in data.splitlines()]
    repaired = ["\ufffd", "\ufffd\ufffd"]
    assert [row["text"] for row in rows] == [NASTY[0], *repaired, *NASTY[3:], "yes"]
    assert data.isascii()
    json.dumps(rows, ensure_ascii=False).encode()  # no lone surrogate is left
    assert rows[3] == {
        "key": key(3),
        "task": "cast_generate",
        "doc": 3,
        "repeat": 1,
        "round": 0,
        "when": rows[3]["when"],
        "text": NASTY[3],
        "tokens": {"output_tokens": 3},
    }


@pytest.mark.parametrize(
    ("destination", "message"),
    [
        ("journal/rank-00000.journal", "the journal's own file"),
        ("journal/rank-00000.lock", "the journal's own file"),
        ("to-file", "the journal's own file"),
        ("same", "the journal's own file"),
        ("journal/answers.jsonl", "inside the journal"),
        ("journal/deep/../rank-00001.journal", "inside the journal"),
        ("to-folder/answers.jsonl", "inside the journal"),
    ],
    ids=["answers", "lock", "link", "hard link", "inside", "a rank's name", "link to folder"],
)
def test_export_leaves_the_journal_alone(folder, tmp_path, destination, message):
    (folder / "deep").mkdir()
    (tmp_path / "to-file").symlink_to(folder / "rank-00000.journal")
    (tmp_path / "to-folder").symlink_to(folder)
    (tmp_path / "same").hardlink_to(folder / "rank-00000.journal")
    before = tree(tmp_path)
    done = invoke(folder, "--export", tmp_path / destination)
    assert done.exit_code == 1
    assert f"{tmp_path / destination}: this is {message} {folder}" in done.output
    assert done.output.count("\n") == 1
    assert tree(tmp_path) == before


def tree(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("existing", [True, False], ids=["over a file", "new"])
def test_an_export_cut_off_leaves_nothing_half_written(folder, tmp_path, existing):
    target = tmp_path / "answers.jsonl"
    if existing:
        target.write_text("earlier")
    before = tree(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", f"import resource, typer; from {command.__module__} import journal; "
         "resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300)); typer.run(journal)",
         folder, "--export", target, "--overwrite"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == f"error: {target}: cannot be written (File too large)\n"
    assert tree(tmp_path) == before


def test_export_replaces_a_file_and_keeps_links_and_permissions(folder, tmp_path):
    target, link = tmp_path / "answers.jsonl", tmp_path / "link"
    target.write_text("earlier")
    target.chmod(0o640)
    link.symlink_to(target)
    refused = invoke(folder, "--export", link)
    assert refused.exit_code == 1
    assert "is there already" in refused.output
    assert target.read_text() == "earlier"
    assert invoke(folder, "--export", link, "--overwrite").exit_code == 0
    assert link.is_symlink()
    assert len(target.read_text().splitlines()) == 7
    assert target.stat().st_mode & 0o777 == 0o640
    assert {path.name for path in tmp_path.iterdir()} == {"journal", "answers.jsonl", "link"}


def test_export_writes_to_a_device_and_leaves_it(folder):
    assert invoke(folder, "--export", "/dev/null").exit_code == 0
    assert Path("/dev/null").is_char_device()


def test_export_of_one_task_to_standard_output(folder):
    done = subprocess.run(
        [sys.executable, "-c", f"import typer; from {command.__module__} import journal; "
         "typer.run(journal)", folder, "--export", "-", "--task", "[red]mme"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (row,) = map(json.loads, done.stdout.splitlines())
    assert row["text"] == "yes"
    assert done.stderr == "exported 1 answer\n"


def test_drop_task(folder):
    done = invoke(folder, "--drop-task", "cast_generate")
    assert done.exit_code == 0
    assert "removed 6 answers of cast_generate" in done.output
    assert list(json.loads(invoke(folder, "--json").output)["tasks"]) == ["[red]mme"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}/missing"], "missing: no journal here"),
        (["{folder}", "--task", "x"], "nothing of task 'x', only of ['[red]mme', 'cast_generate']"),
        (["{folder}", "--export", "-", "--task", "x"], "nothing of task 'x'"),
        (["{folder}", "--drop-task", "x"], "nothing of task 'x'"),
        (["{folder}", "--export", "{folder}"], "is a folder: name a file"),
        (["{folder}", "--export", "/dev/full"], "cannot be written (No space left on device)"),
    ],
    ids=["no journal", "task", "export task", "drop task", "folder", "full"],
)
def test_mistakes_are_one_clear_sentence(folder, arguments, message):
    done = invoke(*(argument.format(folder=folder) for argument in arguments))
    assert done.exit_code == 1
    assert message in done.output
    assert done.output.count("\n") == 1
    assert isinstance(done.exception, SystemExit)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "--export", "-"],
        ["--json", "--drop-task", "x"],
        ["--task", "x", "--drop-task", "x"],
    ],
    ids=" ".join,
)
def test_options_that_exclude_each_other(folder, arguments):
    assert invoke(folder, *arguments).exit_code == 2
    assert len(json.loads(invoke(folder, "--json").output)["tasks"]) == 2


def test_a_journal_in_use_is_not_rewritten(folder):
    with Journal.open(folder):
        done = invoke(folder, "--drop-task", "cast_generate")
    assert done.exit_code == 1
    assert "in use by process" in done.output


def test_a_damaged_or_foreign_version_is_one_sentence(folder):
    from pairbench_ext.resumable.journal.frames import encode

    (folder / "rank-00007.journal").write_bytes(encode("run", {"version": 9}))
    done = invoke(folder)
    assert done.exit_code == 1
    assert "rank-00007.journal: written in version 9 of the journal's format" in done.output
