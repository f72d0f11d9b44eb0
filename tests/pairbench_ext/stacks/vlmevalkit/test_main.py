"""The command line: our tasks among the arguments of VLMEvalKit's `run.py`."""

import json

import pytest

from pairbench_ext.core.benchmark import Decoding
from pairbench_ext.core.sources import SourceError
from pairbench_ext.stacks.vlmevalkit.__main__ import CHECKOUT, decoding_flags, main
from tests.processes import python

TASK = "vl_rewardbench_demo_both"


def test_a_server_is_told_the_decoding_of_the_tasks():
    sampled = Decoding("sampled", tokens=512, temperature=0.2, top_p=0.3)
    server = ["--base-url", "http://localhost"]
    flags = ["--temperature", "0.2", "--top-p", "0.3", "--max-tokens", "512"]
    assert decoding_flags(server, [sampled, sampled]) == flags
    assert decoding_flags([*server, "--top-p=1"], [sampled]) == [*flags[:2], *flags[4:]]
    assert decoding_flags([], [sampled]) == []
    assert decoding_flags(server, []) == []
    greedy = Decoding("greedy", tokens=512)
    assert decoding_flags(server, [greedy]) == ["--temperature", "0", "--max-tokens", "512"]
    with pytest.raises(SourceError, match=r"the same --temperature.*or give --temperature"):
        decoding_flags(server, [sampled, greedy])
    given = [*server, "--temperature", "0", "--top-p", "1"]
    assert decoding_flags(given, [sampled, greedy]) == ["--max-tokens", "512"]


def fake(folder):
    """A checkout whose `run.py` says what it was told, and what it finds."""
    (folder / "vlmeval/dataset").mkdir(parents=True)
    (folder / "vlmeval/__init__.py").touch()
    (folder / "vlmeval/dataset/__init__.py").write_text(
        "DATASET_CLASSES, SUPPORTED_DATASETS = [], []\nclass ImageBaseDataset: pass\n"
    )
    (folder / "run.py").write_text(
        "import json, os, sys\n"
        "import vlmeval.dataset as found\n"
        "[kind] = found.DATASET_CLASSES\n"
        "known = kind.supported_datasets()\n"
        "assert issubclass(kind, found.ImageBaseDataset) and kind is found.PairbenchTask\n"
        "facts = [len(known), 'cast' in known, os.environ['PRED_FORMAT']]\n"
        "print(json.dumps([sys.argv[1:], *facts]))\n"
    )
    return folder


def test_run_py_is_run_with_our_tasks_registered(tmp_path):
    code = "import runpy; runpy.run_module('pairbench_ext.stacks.vlmevalkit', run_name='__main__')"
    done = python(code, "--data", TASK, "--model", "m", VLMEVALKIT=str(fake(tmp_path)))
    arguments, count, has_rounds, form = json.loads(done.stdout.splitlines()[-1])
    assert arguments == ["--data", TASK, "--model", "m"]
    assert (has_rounds, form) == (False, "tsv")
    assert count > 100


def test_tasks_in_rounds_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv(CHECKOUT, str(fake(tmp_path)))
    with pytest.raises(SourceError, match="cast_demo needs several rounds"):
        main(["--data", "cast_demo", "--model", "m"])
