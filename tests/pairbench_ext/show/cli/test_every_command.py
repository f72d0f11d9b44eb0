"""One pass over every command: how fast it starts, its help, wrong values, unusable files."""

import json
import re
import resource
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from pairbench_ext.show.cli.main import app
from tests.files import pairbench, subcommands
from tests.pairbench_ext.runs.test_compare import ratings
from tests.processes import python


def commands(command, name=()):
    yield name, command
    for word, subcommand in subcommands(command).items():
        yield from commands(subcommand, (*name, word))


COMMANDS = dict(commands(get_command(app)))


def invoke(line, **settings):
    return pairbench(*shlex.split(line), **settings)


def test_help_takes_less_than_half_a_second_and_imports_no_benchmark():
    code = (
        "import sys; from pairbench_ext.show.cli.main import app; app(standalone_mode=False);"
        "print({'numpy', 'scipy', 'datasets', 'lmms_eval_tasks'} & set(sys.modules))"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = python(code, "-h")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.stdout.splitlines()[-1] == "set()"
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.5


def test_there_are_few_commands():
    assert list(subcommands(get_command(app))) == [
        "demo", "tasks", "plan", "compare", "report", "card", "score", "check", "drift", "table",
        "panel", "people", "correct", "trust", "rate", "build", "export", "import",
        "papers", "journal",
    ]  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_help_is_there_and_fits(name):
    wide, narrow = (pairbench(*name, "-h", terminal_width=width).output for width in (100, 60))
    assert "Usage: " in wide
    assert max(map(len, wide.splitlines())) <= 100
    assert max(map(len, narrow.splitlines())) <= 60
    assert "".join(narrow.split()) == "".join(wide.split())  # nothing is cut off


def numeric_options():
    for name in COMMANDS:
        shown = pairbench(*name, "-h", terminal_width=100).output
        for option, kind in re.findall(r"^  (--[\w-]+) <(\w+)[ >]", shown, re.M):
            if kind in ("int", "float") and option != "--seed":  # any whole number is a seed
                yield pytest.param(name, option, id=f"{' '.join(name)} {option}")


@pytest.mark.parametrize(("name", "option"), [*numeric_options()])
@pytest.mark.parametrize("value", ["-3"])
def test_numbers_out_of_range_are_refused_before_anything_is_done(name, option, value):
    done = pairbench(*name, f"{option}={value}", status=2)
    assert f"'{option}'" in done.output or "Missing" in done.output, done.output


#: what is typed, the exit status, what is printed
TRIED = [
    ("", 2, "Usage: root"),
    ("scor", 2, "No such command 'scor'; did you mean 'score'?"),
    ("score vlrewardbench x", 2, "No such command 'vlrewardbench'; did you mean 'vl_rewardbench"),
    ("score pairbench rows.jsonl --rule autors", 2, "'strict']; did you mean 'authors'?"),
    ("tasks --find zzz", 1, "no task has 'zzz' in its name or description"),
    ("card junk.jsonl", 2, "no column seems to hold what the judge said. Name the column"),
    ("plan vl_rewardbench_bot", 1, "'vl_rewardbench_bot'; did you mean 'vl_rewardbench_both'"),
    ("plan vl_rewardbench_demo --discordant 0.01 --detect 0.05", 1, "difference of 0.05 is imposs"),
    ("plan vl_rewardbench_demo --margin 0", 1, "show a difference, or a margin, of 0"),
    ("plan vl_rewardbench_demo --runs rows.jsonl", 1, "--runs: two judges are needed, 1 giv"),
    ("report rows.jsonl --out x.html --rule author", 1, "has a rule 'author'"),
    ("compare rows.jsonl bom.jsonl --plot "
        "x.gif", 1, "x.gif: no figure of this kind can be written; the name must "
        "end in .p"),
    ("compare rows.jsonl bom.jsonl --number relaxsim", 1, "did you mean 'relaxsym'"),
    ("compare rows.jsonl bom.jsonl --benchmark pairbnch", 2, "did you mean 'pairbench'"),
    ("score pairbench", 2, "Missing argument"),
    ("score pairbench rows.jsonl --rule foo", 2, "'foo' is none of ['authors', 'careful'"),
    ("score pairbench rows.jsonl --eps -1", 2, "'--eps': "),
    ("score pairbench missing.jsonl", 1, "missing.jsonl: no such file or folder; check the name"),
    ("score pairbench empty.jsonl", 1, "empty.jsonl: no samples in it"),
    ("score pairbench prose.jsonl", 1, "prose.jsonl, line 1: not JSON"),
    ("score pairbench bom.jsonl", 0, "PairBench"),
    ("score cast rows.jsonl", 1, "samples of 'pairbench', not of 'cast'; run: pairbench score p"),
    ("score cast nothing", 1, "nothing: no *samples_*.jsonl in this folder; run lmms-eval"),
    ("papers lengths --task foo", 1, "no task 'foo'"),
    ("papers lengths --task cast", 1, "cast has no pairs of a better"),
    ("papers lengths --task judge_audit", 1, "judge_audit is a group; name one of its tasks"),
    ("compare rows.jsonl", 1, "at least two judges are needed"),
    ("compare rows.jsonl bom.jsonl --number foo", 1, "no task of these judges measures the number"),
    ("compare rows.jsonl bom.jsonl --baseline foo", 1, "no judge is called 'foo'"),
    ("compare rows.jsonl bom.jsonl --plot prose.jsonl", 1, "prose.jsonl is there already"),
    ("compare rows.jsonl bom.jsonl --plot bom.jsonl", 1, "bom.jsonl is an input of this command"),
    ("compare rows.jsonl bom.jsonl --rule autors", 1, "a rule 'autors'; they have authors, ca"),
    ("table rows.jsonl --pool papr", 1, "no benchmark of these runs has a pool 'papr'; they ha"),
    ("panel rows.jsonl bom.jsonl --number foo", 1, "no task of these judges measures the number"),
    ("people rows.jsonl --people missing.jsonl", 1, "missing.jsonl"),
    ("people rows.jsonl", 1, "name them with --people (rows, plain rows)"),
    ("correct rows.jsonl --people missing.csv", 1, "missing.csv: no such file or folder"),
    ("correct rows.jsonl --people other.csv", 1, "no column with names of items, such as"),
    ("trust rows.jsonl --people other.csv --plot "
        "x.gif", 1, "x.gif: no figure of this kind can be "
        "written"),
    ("trust rows.jsonl --people other.csv --out other.csv", 1, "is an input of this command"),
    ("papers points missing.csv", 1, "missing.csv: cannot be read: No such file or directory"),
    ("papers answers empty.jsonl", 1, "empty.jsonl: no ratings"),
    ("journal missing", 1, "missing"),
    ("build", 2, "Usage: root build"),
    ("build subtle --type foo --out x", 1, "no synthetic set is called 'foo'"),
    ("build images --images nope --name a --out x --size 1", 1, "'nope' is no folder"),
    ("build best-of-n rows.jsonl --score acc --out x", 1, "line 1: no field 'doc_id', only"),
    ("rate pairs --data demo --raters ,", 2, "--raters must name at least one rater"),
    ("rate questions --raters a --task foo", 1, "no task 'foo'; `pairbench tasks` lists them"),
    ("import judgments missing.json --out x", 1, "missing.json: no such file or folder"),
]  # fmt: skip


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(json.dumps(row) + "\n" for row in ratings(1, 0, rows=2))
    Path("rows.jsonl").write_text(rows)
    Path("bom.jsonl").write_bytes(b"\xef\xbb\xbf" + rows.encode())
    Path("junk.jsonl").write_text('{"a": 1}\n')
    Path("other.csv").write_text("name,value\nx,1\n")
    Path("prose.jsonl").write_text("Score: 7\n")
    Path("empty.jsonl").touch()
    Path("nothing").mkdir()


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(("line", "status", "message"), TRIED, ids=[line for line, *_ in TRIED])
def test_mistakes_are_one_clear_sentence(line, status, message):
    done = invoke(line, input="")
    assert done.exit_code == status, done.output
    assert message in " ".join(done.output.split()), done.output
    assert "Traceback" not in done.output
    said = [line for line in done.stderr.strip().splitlines() if not line.startswith("reading ")]
    assert status != 1 or len(said) == 1
