"""Which installed benchmarks can be exported."""

from __future__ import annotations

from pairbench_ext.core.folders import modules
from pairbench_ext.upstream.export import Export


def exports() -> dict[str, Export]:
    """The exports by the names of their folders."""
    return {name: module.EXPORT for name, module in modules("upstream").items()}
