"""`python -m pairbench_ext.stacks.vlmevalkit`: run VLMEvalKit's `run.py` with our tasks."""

import argparse
import importlib.util
import os
import runpy
import sys
from collections.abc import Iterable, Sequence, Set
from itertools import chain
from pathlib import Path

from pairbench_ext.core.benchmark import Decoding, Task
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness.on_import import on_import
from pairbench_ext.stacks.plain.tasks import declared, task_names
from pairbench_ext.stacks.vlmevalkit.dataset import register

CHECKOUT = "VLMEVALKIT"  # the environment variable
#: .xlsx leaves out long replies, and pandas reads a reply `None` of a table as no reply. Pictures
#: with a side of less than 100 pixels would be enlarged.
_ENVIRONMENT = {"PRED_FORMAT": "tsv", "VLMEVAL_MIN_IMAGE_EDGE": "1"}
_FLAGS = (("--temperature", "temperature"), ("--top-p", "top_p"), ("--max-tokens", "tokens"))


def main(arguments: Sequence[str]) -> None:
    """Run VLMEvalKit's `run.py` with our tasks among its data sets.

    Args:
        arguments: those of `run.py`; `--data` takes our tasks and groups, too.

    Raises:
        SourceError: if there is no VLMEvalKit, or a task asks in rounds.
    """
    script = find_script()
    entries = declared()
    tasks = {name: entry.task for name, entry in entries.items() if isinstance(entry.task, Task)}
    given, names = with_tasks(arguments, set(entries))
    for name in names:
        if tasks[name].rounds != "once":
            raise SourceError(
                f"{name} needs several rounds of requests, which is impossible with VLMEvalKit's "
                "data sets; use lmms-eval or pairbench_ext.stacks.plain"
            )
    given += decoding_flags(given, [tasks[name].decoding for name in names])
    once = [name for name, task in tasks.items() if task.rounds == "once"]
    for variable, value in _ENVIRONMENT.items():
        os.environ.setdefault(variable, value)
    sys.path.insert(0, str(script.parent))
    # Not now: `run.py` chooses its GPUs before it imports torch.
    on_import("vlmeval.dataset", lambda module: register(module, once))
    sys.argv = [str(script), *given]
    runpy.run_path(str(script), run_name="__main__")


def find_script() -> Path:
    """Return the path of VLMEvalKit's `run.py`.

    Raises:
        SourceError: if it is nowhere.
    """
    named = os.environ.get(CHECKOUT)
    found = None if named else importlib.util.find_spec("vlmeval")
    places = [Path(named)] if named else [Path.cwd()]
    if found is not None and found.origin:
        places.insert(0, Path(found.origin).parents[1])
    for place in places:
        if (place / "run.py").is_file() and (place / "vlmeval").is_dir():
            return place / "run.py"
    where = " or ".join(map(str, places))
    raise SourceError(
        f"{where} has no run.py of VLMEvalKit: clone open-compass/VLMEvalKit, install it (pip "
        f"install -e .), and set {CHECKOUT} to its folder"
    )


def with_tasks(arguments: Sequence[str], ours: Set[str]) -> tuple[list[str], list[str]]:
    """Return the arguments, with tasks in place of groups, and the names of our tasks.

    Args:
        arguments: of the command line.
        ours: the names of our tasks and groups; what else `--data` names is VLMEvalKit's.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data", nargs="*")
    named, others = parser.parse_known_args(arguments)
    if named.data is None:
        return others, []
    tasks = {name: task_names(name) for name in named.data if name in ours}
    given = [task for name in named.data for task in tasks.get(name, [name])]
    return ["--data", *given, *others], list(dict.fromkeys(chain(*tasks.values())))


def decoding_flags(arguments: Sequence[str], decodings: Iterable[Decoding]) -> list[str]:
    """Return flags of `run.py` with the decoding settings that our tasks ask for.

    Flags that were given stay. Without a server, what VLMEvalKit's configuration of the model says
    counts, and nothing is returned.

    Raises:
        SourceError: if tasks are decoded differently, naming the flag.
    """
    given = {argument.partition("=")[0] for argument in arguments}
    flags: list[str] = []
    if "--base-url" not in given:
        return flags
    settings = list(decodings)
    for flag, name in _FLAGS:
        values = {getattr(decoding, name) for decoding in settings}
        if flag in given or not values:
            continue
        if len(values) > 1:
            raise SourceError(
                f"all tasks of one run need the same {flag}, but these have "
                f"{sorted(map(str, values))}: run them one by one, or give {flag}"
            )
        [value] = values
        flags += [] if value is None else [flag, str(value)]
    return flags


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SourceError as error:
        sys.exit(f"error: {error}")
