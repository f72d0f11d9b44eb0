"""Random replies, read by every rule: `python -m benchmarks.reading --fuzz [--replies N]`.

They are put together from pieces of the tuned corpora and from any characters.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lmms_eval_tasks.cast.numbered_list import statements
from pairbench_ext.replies import Parsed, grammars
from pairbench_ext.statistics.seeds import stable_hash

TESTS = Path(__file__).parents[1] / "tests"
REPLIES = 100_000
LISTS = "numbered_list"


def random_replies(
    grammar: str, count: int, seed: int = 0
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Replies put together from pieces of the tuned ones, and options to read them with."""
    rng = np.random.default_rng(stable_hash(seed, grammar))
    files = sorted(TESTS.glob(f"**/corpora/tuned/{grammar}*.jsonl"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    cases = [json.loads(line) for line in lines]
    texts = [case["response"] for case in cases] or ["1. Both are grey.\n2. Both are round."]
    options = [case.get("options") or {} for case in cases] or [{}]
    words = sorted({word for text in texts for word in text.replace("\n", " \n ").split(" ")})
    signs = [
        "\n",
        "\n\n",
        " ",
        ". ",
        ": ",
        "*",
        '"',
        "'",
        "[",
        "]]",
        "{",
        "}",
        "<think>",
        "</think>",
    ]
    for _ in range(count):
        pieces = []
        for _ in range(int(rng.integers(1, 30))):
            kind = rng.random()
            if kind < 0.5:
                pieces.append(words[int(rng.integers(len(words)))] + " ")
            elif kind < 0.6:
                text = texts[int(rng.integers(len(texts)))]
                start, stop = sorted(rng.integers(0, len(text) + 1, 2).tolist())
                pieces.append(text[start:stop])
            elif kind < 0.9:
                pieces.append(signs[int(rng.integers(len(signs)))] * int(rng.integers(1, 4)))
            else:
                pieces.append(chr(int(rng.integers(0x110000))))
        yield "".join(pieces), options[int(rng.integers(len(options)))]


def fuzz(grammar: str, count: int, seed: int = 0) -> float:
    """Read that many random replies by every rule of a grammar.

    Returns:
        The longest time that a reply took, in seconds.

    Raises:
        AssertionError: if a rule returns what is no reading; whatever a rule raises.
    """
    slowest = 0.0
    rules = grammars().get(grammar, {})
    for reply, options in random_replies(grammar, count, seed):
        start = time.perf_counter()
        if not rules:
            assert all(isinstance(text, str) for text in statements(reply))
        for name, rule in rules.items():
            parsed = rule(reply, **options)
            assert isinstance(parsed, Parsed), (name, reply)
            assert isinstance(parsed.reason, str), (name, reply)
            if parsed.span is not None:
                assert 0 <= parsed.span[0] < parsed.span[1] <= len(reply), (name, reply)
        slowest = max(slowest, time.perf_counter() - start)
    return slowest


def report(count: int, only: str | None = None) -> None:
    """Fuzz every grammar, or one, and print how long the slowest reply took."""
    for grammar in [only] if only else [*grammars(), LISTS]:
        slowest = fuzz(grammar, count)
        print(f"{grammar}: {count} replies, no exception, slowest {slowest * 1e3:.0f} ms")
