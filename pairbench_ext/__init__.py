"""Measure whether a vision-language model can be trusted as a judge.

In Python, `read` or `judgments` gives judges; `compare`, `card`, `score`, `trust`, `correct`,
`drift`, `panel`, `people`, `gate`, `table`, `plan`, `agreement` and `report` say what the commands
of these names say (`pairbench_ext.api`). The library behind it knows nothing of the evaluation
harness; only `harness`, `judges` and `resumable` touch it.
"""

from importlib import import_module as _import_module

__version__ = "0.3.0"
__all__ = [
    "agreement", "card", "compare", "correct", "drift", "gate", "judgments", "panel", "people",
    "plan", "read", "report", "score", "table", "trust",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Return a function of the front door, which is imported when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(f"{__name__}.api"), name)


def __dir__() -> list[str]:
    """Return the names of the front door."""
    return sorted([*__all__, "__version__"])
