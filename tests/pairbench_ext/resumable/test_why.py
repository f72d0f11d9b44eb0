"""A run that asks again what seemed to be answered says why, before its first request."""

import json

import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from pairbench_ext.resumable.journal.misses import misses
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.show.cli.journal import journal as command
from tests.asked_models import Asked, AskedChat
from tests.journals import announce
from tests.pairbench_ext.resumable.test_blocks import DRAWN, GREEDY, docs, requests_for

app = typer.Typer()
app.command()(command)
TABLE = docs(*"abcdef")


@pytest.fixture
def checkpoint(tmp_path):
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "tiny"}')
    (folder / "model.safetensors").write_bytes(bytes(64))
    return folder


def run(journal, table=TABLE, requests=None, base=None, **arguments):
    """How many requests a run asks."""
    base = base or Asked()
    base.task_dict = {"task": {"test": table}, "other": {"test": table}}
    model = Resumable(base, journal, arguments=arguments)
    model.generate_until(requests or requests_for(table))
    model.clean()
    return len(base.asked)


@pytest.mark.parametrize(
    "written",
    ["out/x_results.json", "out/x_samples_mme.jsonl", "notes.txt", "plot.png", "runs/events.1"],
)
def test_outputs_in_the_checkpoint_s_folder_change_nothing(checkpoint, written):
    """Nor does the journal that is written there."""
    journal = checkpoint / "journal"
    assert run(journal, pretrained=str(checkpoint)) == len(TABLE)
    file = checkpoint / written
    file.parent.mkdir(exist_ok=True)
    file.write_text("{}")
    assert run(journal, pretrained=str(checkpoint)) == 0


def test_an_argument_that_is_called_as_the_output_folder(tmp_path, monkeypatch, said):
    monkeypatch.chdir(tmp_path)
    assert run("j", model="out") == len(TABLE)
    (tmp_path / "out" / "inner").mkdir(parents=True)
    (tmp_path / "out" / "inner" / "1_results.json").write_text("{}")
    assert run("j", model="out") == 0
    assert not said


@pytest.mark.parametrize(
    "changed",
    [
        *("config.json", "model.safetensors", "tokenizer.json", "adapter/adapter_model.bin"),
        *("preprocessor_config.json", "chat_template.jinja", "merges.txt", "modeling_own.py"),
    ],
)
def test_what_a_model_reads_counts(checkpoint, changed, tmp_path, said):
    run(tmp_path / "j", pretrained=str(checkpoint))
    file = checkpoint / changed
    file.parent.mkdir(exist_ok=True)
    is_new = not file.exists()
    file.write_text("other")
    assert run(tmp_path / "j", pretrained=str(checkpoint)) == len(TABLE)
    [line] = said
    state = "is new" if is_new else "changed"
    assert f"6 of 6: file pretrained {changed} {state}" in line


def test_a_checkpoint_s_folder_is_copied_with_other_times(checkpoint, tmp_path):
    """Small files count with their content."""
    run(tmp_path / "j", pretrained=str(checkpoint))
    (checkpoint / "config.json").write_text('{"model_type": "tiny"}')
    assert run(tmp_path / "j", pretrained=str(checkpoint)) == 0


def repainted():
    table = docs(*"abcdef")
    for doc in table[:2]:
        doc["images"] = [Image.new("RGB", (8, 8), "blue")]
    return table


def reworded():
    return docs("a?", *"bcdef")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"max_pixels": 7}, "6 of 6: argument max_pixels: 5 -> 7"),
        ({"system": "x"}, "6 of 6: argument system: not given -> 'x'"),
        ({"table": repainted()}, "2 of 2: images, videos or other files that are shown changed"),
        ({"table": reworded()}, "1 of 1: the prompt changed"),
        (
            {"requests": requests_for(TABLE, {**GREEDY, "max_new_tokens": 9})},
            "6 of 6: generation setting max_new_tokens: not given -> 9",
        ),
        ({"requests": requests_for(TABLE, DRAWN)}, "generation setting temperature: 0 -> 0.7"),
        (
            {"requests": requests_for(TABLE, task_type="video")},
            "what the task's file says of its documents (metadata) changed",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
@pytest.mark.parametrize("kind", [Asked, AskedChat], ids=["simple", "chat"])
def test_what_differs_is_said(changes, reason, kind, tmp_path, said):
    if kind is AskedChat:
        changes = as_chat(changes)
    first = as_chat({"table": TABLE}) if kind is AskedChat else {}
    run(tmp_path, base=kind(), max_pixels=5, **first)
    assert not said
    run(tmp_path, base=kind(), **{"max_pixels": 5, **first, **changes})
    [line] = said
    assert line.startswith("journal: it has answers to the same documents that do not fit")
    assert f"task: {reason}" in line if reason[0].isdigit() else reason in line
    [miss] = misses(tmp_path)
    assert miss.task == "task"
    assert reason in miss.reasons[0]
    shown = CliRunner().invoke(app, [str(tmp_path), "--why"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert reason in shown.output


def as_chat(changes):
    """The same for a chat backend: the prompt is in its messages."""

    def messages(doc):
        words = {"type": "text", "text": doc["question"]}
        images = [{"type": "image", "url": image} for image in doc["images"]]
        return [{"role": "user", "content": [*images, words]}]

    requests = changes.get("requests") or requests_for(changes.get("table", TABLE))
    for request in requests:
        text, settings, _, *place = request.args
        request.arguments = (text, messages, settings, *place)
    return {**changes, "requests": requests}


def test_nothing_is_said_where_all_is_as_it_was(tmp_path, said):
    few, more = requests_for(TABLE[:3], DRAWN), requests_for(TABLE, DRAWN, repeats=2)
    for requests in (few, more, requests_for(TABLE, task="other"), few):
        run(tmp_path, requests=requests)
    assert not said
    shown = CliRunner().invoke(app, [str(tmp_path), "--why"])
    assert shown.output == "no run asked again what an earlier one had answered\n"


def test_a_run_that_goes_on_after_a_change_says_it_once(tmp_path, said):
    for pixels in (5, 7, 7):
        run(tmp_path, pixels=pixels)
    assert len(said) == 1
    assert len(misses(tmp_path)) == 1


def test_secrets_are_not_written_down(tmp_path):
    run(tmp_path, auth_token="hf_very_secret", pretrained="org/name")
    run(tmp_path, auth_token="hf_other_secret", pretrained="org/name")
    text = (tmp_path / "rank-00000.journal").read_text()
    assert "secret" not in text
    assert "org/name" in text
    assert "argument auth_token: (hidden)" in misses(tmp_path)[0].reasons[0]


def test_answers_of_a_version_that_noted_nothing(tmp_path, said):
    from pairbench_ext.resumable.journal.answers import Answer, Entry
    from pairbench_ext.resumable.journal.store import Journal

    with Journal.open(tmp_path) as journal:
        announce(journal, "task", ["ab" * 16])
        journal.append([Entry("ab" * 16, "task", Answer("yes"), 0)])
    run(tmp_path)
    assert "1 answers are of a version that did not note what they are to" in said[0]


def test_answers_of_such_a_version_that_fit_are_no_reason_to_say_anything(tmp_path, said):
    from pairbench_ext.resumable.journal.answers import Answer, Entry
    from pairbench_ext.resumable.journal.store import Journal
    from pairbench_ext.resumable.journal.summary import entries

    run(tmp_path / "other", TABLE[:3])
    found = [entry.key for entry in entries(tmp_path / "other")]
    with Journal.open(tmp_path / "old") as journal:
        announce(journal, "task", found)
        journal.append([Entry(key, "task", Answer("yes")) for key in found])
    assert run(tmp_path / "old") == len(TABLE) - 3
    assert not said


def test_a_reused_image_object_is_looked_at_each_time(tmp_path):
    """A task may draw on one canvas for every document: the same object, other pixels."""
    canvas = Image.new("RGB", (8, 8))
    table = [{"question": "same", "images": colour} for colour in ("red", "blue", "green")]

    def requests():
        def show(doc):
            canvas.paste(doc["images"], (0, 0, 8, 8))
            return [canvas]

        made = requests_for(table)
        for request in made:
            text, settings, _, *place = request.args
            request.arguments = (text, settings, show, *place)
        return made

    assert run(tmp_path, table, requests()) == 3
    assert run(tmp_path, table, requests()) == 0
    table[2]["images"] = "yellow"
    assert run(tmp_path, table, requests()) == 1
    assert json.dumps(table)  # the documents themselves hold names of colours only
