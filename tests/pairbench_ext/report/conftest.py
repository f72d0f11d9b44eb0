"""Pictures as they are drawn: the figure itself, to be looked at by its axes and texts."""

from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def figure(monkeypatch):
    """`figure.figure` is what was written last."""
    seen = SimpleNamespace()
    savefig = Figure.savefig

    def keep(drawn, *arguments, **options):
        seen.figure = drawn
        savefig(drawn, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", keep)
    return seen
