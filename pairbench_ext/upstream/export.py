"""What a benchmark is in a checkout of the harness, and the files that say so.

A folder of benchmark may have a package `upstream` with

    __init__.py   EXPORT, an `Export`
    hooks.py      the functions that the task files name, over the benchmark's own
    README.md     of the exported folder
    checks.txt     its test, as it stands there
    pull_request.md
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any

import yaml

from pairbench_ext.core.benchmark import Benchmark, Task
from pairbench_ext.upstream.formatting import formatted
from pairbench_ext.upstream.inlined import Inlined
from pairbench_ext.upstream.modules import Definition, Module

#: A merged benchmark has about as much.
MOST_FILES, MOST_LINES = 7, 900
_ASKING = ("doc_to_visual", "doc_to_text", "doc_to_messages", "doc_to_target")
_TEMPLATE = "_default_template_yaml"


@dataclass(frozen=True)
class Leaf:
    """An exported task.

    Attributes:
        name: as `--tasks` takes it there.
        title: in the list of tasks.
        of: the benchmark's own task, which says how replies are generated.
        settings: more of its file; `utils.f` as a value names a function.
    """

    name: str
    title: str
    of: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Export:
    """A benchmark for a checkout of the harness.

    Attributes:
        name: of the folder, and of the group where there are several leaves.
        title: in the list of tasks.
        url: of the project.
        benchmark: whose it is.
        package: the dotted name of the package with `hooks` and the texts.
        leaves: the tasks, the paper's default variants.
        metrics: the benchmark's numbers that are given, each with a function `aggregate_<name>`.
        settings: more of the file that all leaves include; `utils.f` names a function.
        section: of the list of tasks that the benchmark is named in.
        grouped: whether its leaves are a group and include a template. Else they have the tag
            `name`, and the first leaf is what the others include: for benchmarks of many leaves,
            two files fewer.
    """

    name: str
    title: str
    url: str
    benchmark: Benchmark
    package: str
    leaves: tuple[Leaf, ...]
    metrics: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    section: str = "Multimodal Evaluation & Meta-benchmarks"
    grouped: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """Of its folder, group and tasks, each once."""
        return tuple(dict.fromkeys((self.name, *(leaf.name for leaf in self.leaves))))

    @property
    def files(self) -> dict[str, str]:
        """Path below the checkout -> text, but for the list of tasks, where lines are added."""
        folder = f"lmms_eval/tasks/{self.name}"
        base = _TEMPLATE if self.grouped else f"{self.leaves[0].name}.yaml"
        made = {f"{folder}/{base}": self._template()}
        for leaf in self.leaves:
            path = f"{folder}/{leaf.name}.yaml"
            made[path] = f"{made[path]}\n" if path in made else f"include: {base}\n"
            made[path] += self._leaf(leaf)
        made |= {
            f"{folder}/utils.py": self.utils,
            f"{folder}/README.md": self.text("README.md"),
            f"test/eval/test_{self.name}.py": formatted(self.text("checks.txt")),
        }
        if len(self.leaves) > 1 and self.grouped:
            made[f"{folder}/{self.name}.yaml"] = self._group()
        return made

    @property
    def listed(self) -> list[str]:
        """The lines for the list of tasks."""
        lines = [f"- [{self.title}]({self.url}) ({self.name})"]
        if len(self.leaves) > 1:
            lines += [f"  - {leaf.title} ({leaf.name})" for leaf in self.leaves]
        return lines

    @property
    def pull_request(self) -> str:
        """The text of the pull request."""
        return self.text("pull_request.md")

    def text(self, name: str) -> str:
        """A text of the package."""
        return files(self.package).joinpath(name).read_text(encoding="utf-8")

    @property
    def utils(self) -> str:
        """The functions that the task files name, with all that they need."""
        module = self._hooks
        named = _functions(self.settings) | {
            name for leaf in self.leaves for name in _functions(leaf.settings)
        }
        named |= {*_ASKING, "process_results", *(f"aggregate_{one}" for one in self.metrics)}
        entries = [Definition(module.name, name) for name in module.statements if name in named]
        about = ast.get_docstring(ast.parse(module.text)) or ""
        return formatted(f'"""{about}"""\n\n{Inlined(entries, self._ours).text}')

    @cached_property
    def _hooks(self) -> Module:
        return Module.read(f"{self.package}.hooks", self._ours)

    @property
    def _ours(self) -> frozenset[str]:
        return frozenset({__name__.partition(".")[0], self.package.partition(".")[0]})

    def _template(self) -> str:
        source = getattr(self.benchmark.trials, "source", None)
        lines = []
        if source is not None and "dataset_path" not in self.settings:
            lines += [f"dataset_path: {source.hub}"]
            lines += [f"dataset_name: {source.config}"] if source.config else []
            lines += [f"test_split: {source.split}"]
        lines += [] if self.grouped else [f"tag: {self.name}"]
        lines += [] if "output_type" in self.settings else ["output_type: generate_until"]
        lines += [_setting(name, value) for name, value in self.settings.items()]
        asking = (name for name in _ASKING if name in self._hooks.statements)
        lines += [f"{name}: !function utils.{name}" for name in (*asking, "process_results")]
        lines += ["", "metric_list:"]
        for name in self.metrics:
            lines += [f"  - metric: {name}", f"    aggregation: !function utils.aggregate_{name}"]
            better = self.benchmark.number(name).better
            if better is not None:
                lines += [f"    higher_is_better: {json.dumps(better == 'higher')}"]
        shared = self._generation(self.leaves[0]) if self._generates_alike else ()
        return "\n".join([*lines, *shared, *_VERSION]) + "\n"

    def _leaf(self, leaf: Leaf) -> str:
        lines = [f"task: {leaf.name}"]
        lines += [_setting(name, value) for name, value in leaf.settings.items()]
        lines += () if self._generates_alike else self._generation(leaf)
        return "\n".join(lines) + "\n"

    @property
    def _generates_alike(self) -> bool:
        return all(
            self._generation(leaf) == self._generation(self.leaves[0]) for leaf in self.leaves
        )

    def _generation(self, leaf: Leaf) -> list[str]:
        own = (one for one in self.benchmark.tasks if isinstance(one, Task))
        settings = next(one.decoding.settings for one in own if one.name == leaf.of)
        lines = [f"  {name}: {json.dumps(value)}" for name, value in settings.items()]
        return ["", "generation_kwargs:", *lines]

    def _group(self) -> str:
        lines = [f"group: {self.name}", "task:", *(f"  - {leaf.name}" for leaf in self.leaves)]
        return "\n".join([*lines, *_VERSION]) + "\n"


_VERSION = ("", "metadata:", "  version: 1.0")


def _functions(settings: Mapping[str, Any]) -> set[str]:
    texts = (value for value in settings.values() if isinstance(value, str))
    return {text.removeprefix("utils.") for text in texts if text.startswith("utils.")}


def _setting(name: str, value: Any) -> str:
    if isinstance(value, str) and value.startswith("utils."):
        return f"{name}: !function {value}"
    if isinstance(value, str):
        return f"{name}: {value}"
    return yaml.safe_dump({name: value}, sort_keys=False, width=1000).rstrip()
