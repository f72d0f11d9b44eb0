"""What somebody may have meant who wrote a name that there is not."""

from __future__ import annotations

from collections.abc import Iterable

_MOST = 5


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """A question that names those that are most like it; something else where none is.

    >>> did_you_mean("pairbench_dem", ["pairbench_demo", "cast"], "`pairbench tasks` lists them")
    'did you mean pairbench_demo?'
    """
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=_MOST)
    return f"did you mean {' or '.join(near)}?" if near else otherwise
