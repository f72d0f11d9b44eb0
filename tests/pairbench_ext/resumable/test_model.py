"""A run goes on where another has ended, and nobody can see from its results that it did."""

import pytest
import yaml
from lmms_eval.models import get_model

from pairbench_ext.resumable import JournalError
from pairbench_ext.resumable.model import Resumable
from tests.asked_models import Asked, AskedChat, evaluate, outcome
from tests.stock_tasks import ROUNDS, write_stock_tasks

TASKS = ("mme", "ovo_forward")
DOCUMENTS = 6
REQUESTS = DOCUMENTS + sum(ROUNDS) * DOCUMENTS // len(ROUNDS)
KINDS = pytest.mark.parametrize("kind", [Asked, AskedChat], ids=["simple", "chat"])


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    return write_stock_tasks(tmp_path_factory.mktemp("tasks"), DOCUMENTS)


def run(journal, folder, *names, kind=Asked, block=4, base=None, **options):
    """One evaluation with the wrapper: its results, and what the base was asked."""
    base = kind() if base is None else base
    results = evaluate(
        Resumable(base, journal, block=block, arguments={}), names or TASKS, folder, **options
    )
    return outcome(results), base.asked


@KINDS
def test_results_are_those_of_the_bare_base(kind, tasks, tmp_path):
    """An ordinary stock task and one in rounds; and a second run asks nothing."""
    bare = outcome(evaluate(kind(counts=True), TASKS, tasks))
    first, asked = run(tmp_path, tasks, base=kind(counts=True))
    again, asked_again = run(tmp_path, tasks, base=kind(counts=True))
    assert len(asked) == REQUESTS
    assert asked_again == []
    assert bare[1]["mme"] == first[1]["mme"]
    assert bare[0] == first[0]
    assert first == again
    texts = [reply for reply, _ in bare[1]["ovo_forward"].values()]
    assert [reply for reply, _ in first[1]["ovo_forward"].values()] == texts


def changed_tasks(tasks, tmp_path, name="mme", **changes):
    """The folder of the tasks with one of them changed."""
    folder = tmp_path / "changed"
    folder.mkdir()
    for file in tasks.glob("*.yaml"):
        config = yaml.safe_load(file.read_text())
        if file.stem == name:
            config |= changes
        (folder / f"{config['task']}.yaml").write_text(yaml.safe_dump(config))
    return folder


@pytest.mark.parametrize(
    ("changes", "asked_again"),
    [
        ({"metadata": {"version": 7.0}, "doc_to_target": "question"}, 0),
        ({"task": "mme_renamed"}, 0),
        ({"generation_kwargs": {"temperature": 0, "max_new_tokens": 17}}, DOCUMENTS),
        ({"metadata": {"task_type": "video"}}, DOCUMENTS),
        ({"lmms_eval_specific_kwargs": {"default": {"pre_prompt": "", "post_prompt": "!"}}}, 6),
    ],
    ids=["nothing of the request", "name", "settings", "hint to backends", "prompt"],
)
def test_a_task_s_file_changes(changes, asked_again, tasks, tmp_path):
    run(tmp_path / "journal", tasks, "mme")
    folder = changed_tasks(tasks, tmp_path, **changes)
    results, asked = run(tmp_path / "journal", folder, changes.get("task", "mme"))
    assert len(asked) == asked_again
    assert results == outcome(evaluate(Asked(), [changes.get("task", "mme")], folder))


def built(arguments, simple=False, **config):
    return get_model("resumable", force_simple=simple).create_from_arg_string(arguments, config)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("journal=x", "needs a model to wrap: --model_args base=NAME"),
        ("base=pair_encoder,encodr=x", "pair_encoder has no argument 'encodr'"),
        ("base=pair_encoder,jornal=J", "no argument 'jornal'; did you mean journal"),
        ("base=pair_encoder,journal=", "journal= is empty"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        built(arguments)


def test_an_unwritable_journal_is_said_before_the_base_is_loaded(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="file/journal: the journal cannot be written"):
        built(f"base=pair_encoder,encoder=/no/such,journal={tmp_path}/file/journal")


def test_an_evaluation_that_failed_frees_its_journal_for_the_next_of_its_process(tmp_path):
    """The harness goes on with the next of a --config, which may have the same journal."""
    arguments = f"base=pair_encoder,journal={tmp_path}"
    with pytest.raises(ValueError, match="cannot load"):
        built(f"{arguments},encoder=/no/such")
    failed = built(arguments)  # it fails while it scores, and is never cleaned
    following = built(f"base=pair_encoder,journal={tmp_path / 'x' / '..'}")
    with pytest.raises(JournalError, match="in use by process"):
        Resumable(Asked(), tmp_path, arguments={})
    following.clean()
    failed.clean()
    Resumable(Asked(), tmp_path, arguments={}).clean()
