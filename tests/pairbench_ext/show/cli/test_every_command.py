"""One pass over every command: help, wrong values, files that are none; a table of what was tried.

All of it runs in this process but for what a closed or full output does to a process.
"""

import gzip
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

from pairbench_ext.core.plurals import counted
from pairbench_ext.core.sources import without_noise
from pairbench_ext.show.cli.main import app
from tests.files import pairbench
from tests.pairbench_ext.runs.test_comparing import ratings


def commands(command, name=()):
    yield name, command
    for own, one in getattr(command, "commands", {}).items():
        yield from commands(one, (*name, own))


COMMANDS = dict(commands(get_command(app)))
NUMBERS = ("int", "float")


def invoke(line, **settings):
    return pairbench(*shlex.split(line), **settings)


def titled(name):
    return " ".join(name) or "pairbench"


def helped(name, columns, option="-h"):
    done = pairbench(*name, option, terminal_width=columns)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("name", COMMANDS, ids=titled)
def test_help_is_there_whole_and_fits(name):
    wide, narrow = helped(name, 100), helped(name, 60)
    assert max(map(len, wide.splitlines())) <= 100
    assert max(map(len, narrow.splitlines())) <= 60
    assert "".join(narrow.split()) == "".join(wide.split())  # nothing is cut off
    assert "\u2026" not in wide
    assert helped(name, 100, "--help") == wide
    for command in getattr(COMMANDS[name], "commands", {}).values():
        assert not command.get_short_help_str(100).endswith("...")


def numeric_options():
    for name in COMMANDS:
        for option, kind in re.findall(r"^  (--[\w-]+) <(\w+)[ >]", helped(name, 100), re.M):
            if kind in NUMBERS and option != "--seed":  # any whole number is a seed
                yield pytest.param(name, option, id=f"{titled(name)} {option}")


@pytest.mark.parametrize(("name", "option"), numeric_options())
@pytest.mark.parametrize("value", ["-3", "nan", "many", "1e400"])
def test_numbers_out_of_range_are_refused_before_anything_is_done(name, option, value):
    done = pairbench(*name, f"{option}={value}")
    assert done.exit_code == 2
    assert f"'{option}'" in done.output or "Missing" in done.output, done.output


EMPTY = "no samples in it"
LEAST = "Input should be greater than or equal to"
#: what is typed, the exit status, what is said
TRIED = [
    ("", 2, "Usage: root"),
    ("scor", 2, "No such command 'scor'"),
    ("score", 2, "Usage: root score"),
    ("score pairbench", 2, "Missing argument"),
    ("score pairbench rows.jsonl --rule foo", 2, "'foo' is none of ['authors', 'careful'"),
    ("score pairbench rows.jsonl --pool foo", 2, "'foo' is none of ['authors', 'paper'"),
    (
        "score pairbench rows.jsonl --eps -1",
        2,
        f"'--eps': {LEAST} 0",
    ),
    ("score pairbench rows.jsonl --eps nan", 2, "'--eps': Input should be"),
    ("score pairbench rows.jsonl --plot x.foo", 1, "x.foo"),
    ("score pairbench missing.jsonl", 1, "missing.jsonl: no such file or folder; check the name"),
    ("score pairbench empty.jsonl", 1, f"empty.jsonl: {EMPTY}"),
    ("score pairbench packed.jsonl", 1, "packed.jsonl: packed with gzip: unpack it first"),
    ("score pairbench utf16.jsonl", 1, "utf16.jsonl: text in UTF-16: convert it (iconv"),
    ("score pairbench latin1.jsonl", 1, "latin1.jsonl, line 1: not a text in UTF-8"),
    ("score pairbench prose.jsonl", 1, "prose.jsonl, line 1: not a JSON object"),
    ("score pairbench list.jsonl", 1, "list.jsonl, line 1: one JSON object a line is expected"),
    ("score pairbench bom.jsonl", 0, "PairBench"),
    ("score cast rows.jsonl", 1, "samples of 'pairbench', not of 'cast'; run: pairbench score p"),
    ("score cast nothing", 1, "nothing: no *samples_*.jsonl in it; run lmms-eval with --log_s"),
    ("score pairbench loop.jsonl", 1, "loop.jsonl: cannot be read (Too many levels"),
    ("compare", 2, "Missing argument"),
    ("compare rows.jsonl", 1, "at least two judges are needed"),
    ("plan , --json", 1, "no task is named; `pairbench tasks` lists them"),
    ("compare vl_rewardbench rows.jsonl", 1, "leave out the benchmark's name: the samples say wh"),
    ("compare rows.jsonl missing.jsonl", 1, "missing.jsonl: no such file or folder; check the"),
    ("compare rows.jsonl rows.jsonl --number foo", 1, "given twice"),
    ("compare rows.jsonl bom.jsonl --number foo", 1, "none of the judges' tasks has the number fo"),
    ("compare rows.jsonl bom.jsonl --baseline foo", 1, "no judge is called 'foo'"),
    ("panel", 2, "Missing argument"),
    ("panel rows.jsonl", 1, "at least two judges are needed"),
    ("panel rows.jsonl bom.jsonl --plot bom.jsonl", 1, "bom.jsonl is what this command reads"),
    ("panel rows.jsonl bom.jsonl --plot prose.jsonl", 1, "prose.jsonl is there already"),
    ("compare rows.jsonl bom.jsonl --plot prose.jsonl", 1, "prose.jsonl is there already"),
    ("people", 2, "Missing argument"),
    ("people missing.jsonl", 1, "missing.jsonl: no such file or folder; check the name"),
    ("people rows.jsonl --ratings missing.jsonl", 1, "missing.jsonl"),
    ("card", 2, "Missing argument"),
    ("card missing.jsonl", 1, "missing.jsonl: no such file or folder; check the name"),
    ("score pairbench rows.jsonl --metric foo", 2, "'foo' is not one of 'kendall', 'spearman',"),
    ("score pairbench rows.jsonl --asymmetric -1", 2, f"'--asymmetric': {LEAST} 0"),
    ("score pairbench rows.jsonl --asymmetric 3", 0, "PairBench"),
    ("pair-responses empty.jsonl", 1, "empty.jsonl: no questions in it"),
    ("score pairbench rows.jsonl --reference foo", 2, "'foo' is not one of 'published', 'none'"),
    ("parse foo", 1, "'foo'"),
    ("parse rating --rule foo", 1, "unknown rule 'foo' of grammar 'rating'; known: "),
    ("journal missing", 1, "missing"),
    ("tasks --foo", 2, "No such option"),
    ("build", 2, "Usage: root build"),
    ("build cast --out x", 1, "name one of --authors DIR, --docci DIR and --scenes DIR"),
    (
        "build cast --out x --scenes nothing --max-side 1",
        2,
        f"{LEAST} 32",
    ),
    (
        "build cast --out x --scenes nothing --low -3",
        2,
        f"'--low': {LEAST} -1",
    ),
    ("build cast --out x --scenes nothing --low 0.9 --high 0.5", 2, "--low 0.9 must be less than"),
    ("build cast --out x --scenes nothing --low nan", 2, "'--low': Input should be"),
    ("build subtle --type foo --out x", 2, "--type 'foo' is none of "),
    ("build subtle --type mix --out x --n 0", 2, f"{LEAST} 1"),
    (
        "build images --images nope --name a --out x --size 1",
        1,
        "--size '1' must be pixels of the longer side, 32 or more, or 'original'",
    ),
    ("build scenes --out x --n 1", 2, f"{LEAST} 2"),
    ("build scenes --out x --subset foo", 2, "'foo' is not one of"),
    ("viescore correlate --answers x --human y --guesses foo", 2, "'foo' is not one of 'drop', "),
    ("viescore correlate --answers missing --human missing", 1, "missing"),
    ("viescore baseline --museum x --metric foo --out o --task t2i", 2, "'foo' is not one of 'cl"),
    ("viescore baseline --museum x --metric dino --out o --task foo", 1, "'foo'"),
    ("import-vlmevalkit missing.json --out x", 1, "missing.json: cannot be read (No such file"),
    ("import-vlmevalkit rows.jsonl --out x", 1, "rows.jsonl: a .json, .tsv or .xlsx file of pred"),
    ("agreement missing.jsonl", 1, "missing.jsonl: cannot be read (No such file or directory); ch"),
    ("agreement nothing", 1, "nothing: cannot be read (Is a directory); it is a folder: name a "),
    ("agreement rows.jsonl --level foo", 2, "'foo' is not one of"),
    ("rate --data demo --raters a,a", 2, "--raters must be different names"),
    ("rate --data demo --raters a --port 70000", 2, "Input should be less than or equal to 65535"),
    ("rate --data demo --raters a --n 0", 2, f"{LEAST} 1"),
    ("rate-questions --raters a,a", 2, "--raters must be different names"),
    ("rate-questions --raters a --task foo", 1, "'foo' is no task that asks the plain question"),
    ("rate-questions --raters a --task subtlebench_dem", 1, "did you mean subtlebench_demo"),
    ("subtlety --encoder classical --task subtlebench_dem", 1, "did you mean subtlebench_demo"),
    ("rate-questions --raters a --per-type 0", 2, f"{LEAST} 1"),
    (
        "rate-questions --raters a --task subtlebench_demo --out nothing",
        1,
        "nothing: cannot be written (Is a directory)",
    ),
    (
        "rate-questions --raters a --task subtlebench_demo --out rows.jsonl",
        1,
        "rows.jsonl, line 1: no field 'rater'",
    ),
    ("subtlety", 2, "Missing option '--encoder'"),
    ("subtlety --encoder classical --task foo", 1, "no task 'foo' with questions"),
    ("subtlety --encoder classical --batch-size 0", 2, f"{LEAST} 1"),
    ("export subtlebench-training", 2, "Missing option '--out'"),
    ("export subtlebench-training --out x --split test", 1, "the test split is what models are"),
    ("export subtlebench-training --out x --split foo", 2, "'foo' is not one of"),
    (
        "export subtlebench-training --out rows.jsonl --data nothing",
        1,
        "rows.jsonl is a file: name",
    ),
    ("export subtlebench-training --out x --data nothing", 1, "there is no file"),
    ("answers", 2, "Missing argument"),
    ("answers missing.jsonl", 1, "missing.jsonl: cannot be read (No such file or directory); ch"),
    ("answers nothing", 1, "nothing: cannot be read (Is a directory); it is a folder: name a "),
    ("answers empty.jsonl", 1, "empty.jsonl: no answers"),
    ("answers rows.jsonl", 1, "rows.jsonl, line 1: "),
    ("filter-hard missing.jsonl", 1, "missing.jsonl: cannot be read (No such file or directory)"),
    ("filter-hard rows.jsonl --votes 0", 2, f"{LEAST} 1"),
    ("filter-hard rows.jsonl --rule foo", 2, "'foo' is none of"),
    ("lengths missing.jsonl", 1, "missing.jsonl: no such file or folder; check the name"),
    ("lengths rows.jsonl", 1, "rows.jsonl: no votes on pairs of answers of which one is better"),
    ("lengths empty.jsonl", 1, f"empty.jsonl: {EMPTY}"),
    ("lengths --task foo", 1, "no task 'foo'"),
    ("lengths --unit foo", 2, "'foo' is not one of 'words', 'characters', 'tokens'"),
    ("lengths --task vl_rewardbench_demo --plot rows.jsonl", 1, "rows.jsonl is there already"),
    ("lengths --task vl_rewardbench_demo --plot x.foo", 1, "cannot write a picture as 'x.foo'"),
    ("label-pairs rows.jsonl missing.jsonl --out x", 1, "error: "),
    ("label-pairs rows.jsonl bom.jsonl --out rows.jsonl", 1, "is what this command reads"),
    ("build best-of-n missing.jsonl --out x", 1, "missing.jsonl: cannot be read (No such file"),
    ("build best-of-n empty.jsonl --out x", 1, "empty.jsonl: no samples logged by the harness"),
    ("build best-of-n rows.jsonl --out x", 1, "rows.jsonl, line 1: no field 'doc_id', only"),
    ("build best-of-n nothing --out x", 1, "nothing: no samples in it; run lmms-eval with --log"),
    ("build best-of-n rows.jsonl --out x --n 1", 2, f"{LEAST} 2"),
    ("pair-responses missing.jsonl", 1, "missing.jsonl: cannot be read (No such file or direc"),
    ("pair-responses rows.jsonl --tau -1", 1, "error: "),
    ("pair-responses rows.jsonl --tau nan", 1, "error: "),
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(json.dumps(row) + "\n" for row in ratings(1, 0, rows=2))
    Path("rows.jsonl").write_text(rows)
    Path("bom.jsonl").write_bytes(b"\xef\xbb\xbf" + rows.encode())
    Path("utf16.jsonl").write_text(rows, encoding="utf-16")
    Path("latin1.jsonl").write_bytes('{"response": "é"}\n'.encode("latin-1"))
    Path("packed.jsonl").write_bytes(gzip.compress(rows.encode()))
    Path("prose.jsonl").write_text("Score: 7\n")
    Path("list.jsonl").write_text("[1]\n")
    Path("empty.jsonl").touch()
    Path("table.csv").write_text("model,x\nm,many\n")
    Path("twice.csv").write_text("model,x\nm,1\nm,2\n")
    Path("nothing").mkdir()
    Path("loop.jsonl").symlink_to("loop.jsonl")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(("line", "status", "said"), TRIED, ids=[line for line, *_ in TRIED])
def test_what_was_tried(line, status, said):
    done = invoke(line, input="")
    assert done.exit_code == status, done.output
    assert said in " ".join(done.output.split()), done.output
    assert not isinstance(done.exception, OSError)
    for noise in ("Traceback", "[Errno", "Value error", "Generating "):
        assert noise not in done.output
    assert status != 1 or len(done.stderr.strip().splitlines()) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.usefixtures("place")
def test_a_file_that_may_not_be_read():
    Path("rows.jsonl").chmod(0)
    done = invoke("score pairbench rows.jsonl")
    assert "rows.jsonl: cannot be read (Permission denied); you may not read it" in done.output


def offered(words):
    """What the shell offers for a half-typed line."""
    env = {
        "_PAIRBENCH_COMPLETE": "complete_bash",
        "COMP_WORDS": f"pairbench {words}",
        "COMP_CWORD": str(len(f"pairbench {words}".split(" ")) - 1),
    }
    return pairbench(prog_name="pairbench", env=env).output.split()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("sc", ["score"]),
        ("score vl", ["vl_rewardbench"]),
        ("score pairbench --ru", ["--rule"]),
        ("score pairbench --rule c", ["careful"]),
        ("score pairbench --pool r", ["readable"]),
        ("parse la", ["labels"]),
        ("viescore correlate --guesses d", ["drop"]),
    ],
)
def test_shells_complete_commands_options_and_values(words, found):
    assert offered(words) == found


def process(line, place, output, before=None):
    """Run a command in a process of its own: its exit status, and what it says on standard error.

    The output's buffer is a process's own, and so is what the interpreter does when it ends.
    """
    code = "import sys; from pairbench_ext.show.cli.main import app; sys.exit(app())"
    command = [sys.executable, "-c", code, *shlex.split(line)]
    done = subprocess.run(
        command, cwd=place, stdout=output, stderr=subprocess.PIPE, text=True, preexec_fn=before
    )
    return done.returncode, done.stderr


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("line", ["score pairbench rows.jsonl", "score -h"])
def test_a_reader_that_has_enough_ends_a_command_quietly(line, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    status, said = process(line, tmp_path, writer)
    os.close(writer)
    assert (status, said.strip()) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("line", ["score pairbench rows.jsonl --json", "score -h"])
def test_a_full_output_is_one_sentence(line, tmp_path):
    with Path("/dev/full").open("w") as full:
        status, said = process(line, tmp_path, full)
    assert status == 1
    assert said.strip() == (
        "error: standard output: cannot be written (No space left on device); make room, or write "
        "elsewhere"
    )


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("line", ["score pairbench rows.jsonl --json", "--version"])
def test_a_closed_output_is_one_sentence(line, tmp_path):
    status, said = process(line, tmp_path, None, lambda: os.close(1))
    assert (status, said) == (1, "error: standard output: closed; open it, or write elsewhere\n")


@pytest.mark.usefixtures("place")
def test_where_nobody_watches_no_progress_is_written(tmp_path):
    (tmp_path / "other.jsonl").write_bytes((tmp_path / "rows.jsonl").read_bytes())
    for line in ("card rows.jsonl", "compare rows.jsonl other.jsonl", "score pairbench rows.jsonl"):
        done = invoke(line)
        assert (done.exit_code, done.stderr) == (0, ""), line


def test_commands_that_open_tables_are_quiet():
    import datasets

    before = datasets.are_progress_bars_disabled()
    with without_noise():
        assert datasets.are_progress_bars_disabled()
        assert datasets.logging.get_verbosity() == datasets.logging.ERROR
    assert datasets.are_progress_bars_disabled() == before


@given(st.integers(0, 10_000), st.sampled_from(["item", "reply", "source row"]))
def test_one_is_singular_alone(count, noun):
    text = counted(count, noun, "is")
    assert text.startswith(f"{count:,} ")
    assert (f" {noun} is" in text) == (count == 1)
    assert text.endswith(" is" if count == 1 else " are")
