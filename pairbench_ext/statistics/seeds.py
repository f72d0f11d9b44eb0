"""Random numbers that are always the same for the same seed and key.

Nothing here has state, so a draw is the same on every rank, on every machine, for every `--limit`
and in whatever order trials run.
"""

import hashlib

import numpy as np

Key = str | int


def stable_hash(seed: int, *key: Key) -> int:
    """Return a 64-bit hash of `(seed, *key)` that does not change between processes or platforms.

    Parts are joined unambiguously: `("ab", "c")` and `("a", "bc")` differ, so do `1` and `"1"`.

    >>> stable_hash(0, "rotate", 3) == stable_hash(0, "rotate", 3)
    True
    >>> stable_hash(0, "ab", "c") == stable_hash(0, "a", "bc")
    False
    """
    parts = (part if isinstance(part, str) else int(part) for part in key)
    text = repr((int(seed), *parts)).encode()  # int() because numpy's integers have another repr
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def draw(levels: int, seed: int, *key: Key) -> int:
    """Return a random number in `range(levels)` that depends only on `(seed, *key)`."""
    # The bias of the remainder is below levels / 2**64.
    return stable_hash(seed, *key) % levels


def generator(seed: int, *key: Key) -> np.random.Generator:
    """Return a numpy generator that depends only on `(seed, *key)`."""
    return np.random.default_rng(stable_hash(seed, *key))
