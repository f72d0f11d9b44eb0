"""Find the installed benchmarks: ours, and those of other packages.

A folder (`folders`) with a module `benchmark` is a benchmark; the module has `BENCHMARK`, or
`BENCHMARKS` where a folder holds several kinds of task.
"""

from functools import cache, partial
from types import ModuleType

from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.replies.folders import attempt, folders, module_of, modules

__all__ = ["attempt", "folders", "modules"]


def benchmarks(*, ours: bool | None = None) -> dict[str, tuple[Benchmark, ...]]:
    """Return all benchmarks, keyed by the name of their folder."""
    return {
        short: declared
        for short, folder in folders().items()
        if ours in (None, folder.ours) and (declared := of_folder(short))
    }


@cache
def of_folder(short: str) -> tuple[Benchmark, ...]:
    """Return the benchmarks that a folder declares.

    Raises:
        KeyError: if there is no such folder.
    """
    folder = folders()[short]
    module = module_of(folder, "benchmark")
    if module is None:
        return ()
    return attempt(partial(_declared, module), folder.path, ours=folder.ours) or ()


def _declared(module: ModuleType) -> tuple[Benchmark, ...]:
    declared = getattr(module, "BENCHMARKS", None) or (module.BENCHMARK,)
    for benchmark in declared:
        if not isinstance(benchmark, Benchmark):
            raise TypeError(f"BENCHMARK must be a Benchmark, not {benchmark!r}")
        try:
            benchmark.read.rule_name()
        except ValueError as error:
            raise ValueError(f"{benchmark.name}: {error}") from error
    return declared


def every_benchmark() -> tuple[Benchmark, ...]:
    """Return all installed benchmarks, with those of the same folder next to each other."""
    return tuple(benchmark for of_folder in benchmarks().values() for benchmark in of_folder)


def benchmark_of(name: str) -> Benchmark:
    """Return the benchmark with this name.

    Raises:
        KeyError: if there is none.
    """
    return _found(name)[1]


def _found(name: str) -> tuple[str, Benchmark]:
    """Return a benchmark and its folder; of folders that its name begins with, before others."""
    for short in sorted(folders(), key=lambda short: not name.startswith(short)):
        for benchmark in of_folder(short):
            if benchmark.name == name:
                return short, benchmark
    raise KeyError(f"no benchmark {name!r}")


def benchmarks_named(name: str) -> tuple[Benchmark, ...]:
    """Return the benchmark with this name, or all benchmarks of the folder with this name.

    Raises:
        KeyError: if there is none.
    """
    return (name in folders() and of_folder(name)) or (benchmark_of(name),)


def folder_of(name: str) -> str:
    """Return the name of a benchmark's folder; for an unknown benchmark, return its own name."""
    try:
        return _found(name)[0]
    except KeyError:
        return name


def module_name(folder: str) -> str:
    """Return the dotted name of the module `benchmark` in a folder.

    Raises:
        KeyError: if there is no such folder.
    """
    return f"{folders()[folder].path}.benchmark"
