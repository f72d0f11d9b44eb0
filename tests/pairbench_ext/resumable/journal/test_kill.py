"""A real writer, killed at random points: what it was told to be recorded is there."""

import shutil
import time

import pytest

from pairbench_ext.resumable.journal.store import Journal
from pairbench_ext.statistics import seeds

# Answers what is missing, a block for each line that it is sent; says what it asks and records.
_WRITER = """
import sys
from pathlib import Path
from pairbench_ext.resumable.journal.store import Answer, Entry, Journal
folder, rank, ranks, size = Path(sys.argv[1]), *map(int, sys.argv[2:5])
sys.path.insert(0, sys.argv[5])
from answers import NUMBER, key, text
with Journal.open(folder, rank=rank, world_size=ranks, run_id="a") as journal:
    print("open", flush=True)
    missing = [n for n in range(rank, NUMBER, ranks) if journal.get(key(n)) is None]
    whole = len(range(rank, NUMBER, ranks))
    journal.expect("t", whole, whole - len(missing))
    journal.tell("t", [key(n) for n in missing])
    for first in range(0, len(missing), size):
        block = missing[first : first + size]
        sys.stdin.readline()
        print("asked", *block, flush=True)
        journal.append([Entry(key(n), "t", Answer(text(n), {"output_tokens": n})) for n in block])
        print("recorded", *block, flush=True)
"""

# Long answers, so that many a kill falls into the middle of a write.
_ANSWERS = """
NUMBER = 150
def key(n):
    return f"{n:064x}"
def text(n):
    return f"answer {n} \\ud800 " * (1 + n * 7919 % 12000)
"""


def numbers(lines, verb):
    """What a writer said; its last line may be half, and half a line says nothing."""
    whole = [line.split() for line in lines if line.endswith("\n")]
    return [int(n) for said, *rest in whole if said == verb for n in rest]


def kill(writers, rng):
    """Let each writer record some blocks, kill it at some point of one more, and listen."""
    heard = []
    for process in writers:
        blocks = int(rng.integers(1, 4))
        process.stdin.write("go\n" * blocks)
        process.stdin.flush()
        heard.append([process.stdout.readline() for _ in range(1 + 2 * blocks)])
    for process, lines in zip(writers, heard, strict=True):
        process.stdin.write("go\n")
        process.stdin.flush()
        lines.append(process.stdout.readline())
        time.sleep(rng.uniform(0, 0.003))
        process.kill()
        lines += process.stdout.readlines()
        process.wait()
    return [line for lines in heard for line in lines]


@pytest.mark.parametrize(
    ("seed", "block", "plan"),
    [(0, 3, [1] * 7), (1, 4, [2, 1, 3, 2])],
    ids=["one rank", "other numbers of ranks"],
)
def test_every_answer_that_was_recorded_survives(tmp_path, start, seed, block, plan):
    scope = {}
    exec(_ANSWERS, scope)
    key, text, number = scope["key"], scope["text"], scope["NUMBER"]
    (tmp_path / "answers.py").write_text(_ANSWERS)
    folder = tmp_path / "journal"
    rng = seeds.generator(seed, "kills")
    kept, asked, lost = set(), [], 0

    def begin(ranks):
        return [start(_WRITER, folder, rank, ranks, block, tmp_path) for rank in range(ranks)]

    for ranks in plan:
        lines = kill(begin(ranks), rng)
        kept |= set(numbers(lines, "recorded"))
        asked += numbers(lines, "asked")
        lost += ranks * block  # what was in flight may be asked again
        shutil.copytree(folder, tmp_path / "copy")
        with Journal.open(tmp_path / "copy") as journal:
            for n in range(number):
                answer = journal.get(key(n))
                assert answer is not None or n not in kept
                assert answer is None or answer == (text(n), {"output_tokens": n})
        shutil.rmtree(tmp_path / "copy")

    assert 0 < len(kept) < number, "else this tells nothing"
    (last,) = begin(1)
    lines = last.communicate("go\n" * number)[0].splitlines(keepends=True)
    asked += numbers(lines, "asked")
    assert not kept & set(numbers(lines, "asked"))
    assert len(asked) - len(set(asked)) <= lost
    with Journal.open(folder) as journal:
        assert [journal.get(key(n)).text for n in range(number)] == [text(n) for n in range(number)]
