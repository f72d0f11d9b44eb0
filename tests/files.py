"""Files of JSON lines, their runs, and commands run in this process."""

import csv
import io
import json

from typer.testing import CliRunner

from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.scoring import read_judges, read_run
from pairbench_ext.show.cli.main import app


def judge_of(run):
    """The judge of a run in the JSON of `score`: of logged samples, the name of their folder."""
    logged = "samples_" in run["file"]
    return run["file"].split("/")[-2] if logged else run["judge"]


def write_lines(path, rows):
    """A file of JSON lines, one of each row; its folder is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows), encoding="utf-8")
    return path


def write_csv(path, header, rows):
    """A file of a header and rows."""
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([header, *rows])
    return path


def read_csv(path):
    """The rows of a file with a header."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def score_file(benchmark, path, **how):
    """The run of a file of samples or plain rows of a benchmark."""
    return read_run(path, [benchmark], **how).scored()


def pairbench(*words, status=None, **settings):
    """How `pairbench WORDS` ends, with this status if one is given, and what it prints."""
    done = CliRunner().invoke(app, [*map(str, words)], **settings)
    assert status in (None, done.exit_code), done.output
    return done


def json_of(*words, status=0):
    """What `pairbench WORDS --json` prints."""
    return json.loads(pairbench(*words, "--json", status=status).stdout)


def text_of(*words, status=None):
    """What `pairbench WORDS` prints, in one line."""
    return " ".join(pairbench(*words, status=status).output.split())


def judges_of(*places):
    """The judges of folders or files of samples."""
    return read_judges(judge_runs(places))


def judges_in(folder):
    """The judges whose folders stand in a folder, sorted."""
    return judges_of(*sorted(folder.iterdir()))


def subcommands(command):
    """The commands of a group by name; none of a command."""
    names = command.list_commands(None) if hasattr(command, "list_commands") else ()
    return {name: command.get_command(None, name) for name in names}
