"""What a file of a known tool gives."""

import json

from tests.files import json_of, judge_of, pairbench


def scored(folder, rows):
    """The numbers of each judge of a file, and what was said of it."""
    file = folder / "file.json"
    file.write_text(json.dumps(rows))
    done = pairbench("import", "judgments", file, "--out", folder / "out", status=0)
    runs = json_of("score", "judgments", folder / "out")["runs"]
    return {judge_of(run): run["numbers"] for run in runs}, done.output
