"""`python -m benchmarks.gpu [--device cuda] [--model NAME] [--markdown FILE]`."""

from __future__ import annotations

import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.__main__ import markdown_of, print_lines, use_caches_in
from benchmarks.common import Line, say, silent

_PACKAGES = ("torch", "transformers", "flash_attn", "vllm")


def main(
    model: Annotated[str, typer.Option(help="Name of a model.")] = "qwen2.5-vl-7b",
    device: Annotated[str, typer.Option(help="Of torch: cuda, cuda:1, cpu.")] = "cuda",
    tiny: Annotated[bool, typer.Option("--tiny", help="Two narrow layers: try the code.")] = False,
    pairs: Annotated[int, typer.Option(min=1, help="Asked about four times each.")] = 500,
    slow: Annotated[int, typer.Option(min=1, help="Prompts for what asks one by one.")] = 64,
    tokens: Annotated[int, typer.Option(min=2, help="Of every reply.")] = 32,
    batches: Annotated[str, typer.Option(help="Batch sizes to try.")] = "4,8,16,32,64",
    only: Annotated[str, typer.Option(help="Some of what is measured.")] = "",
    cache: Annotated[Path | None, typer.Option(help="Folder of built models.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Also write the tables here.")] = None,
) -> None:
    """Measure how fast a judge can be audited on a device, and where the time goes."""
    with tempfile.TemporaryDirectory(prefix="pairbench-gpu-") as scratch:
        use_caches_in(Path(scratch))
        from benchmarks.gpu.bench import Bench, Size
        from benchmarks.gpu.models import MODELS
        from benchmarks.gpu.sides import SIDES
        from pairbench_ext.core.user_cache import cache_folder

        sides = only.split(",") if only else list(SIDES)
        for name, known in ((model, MODELS), *((side, SIDES) for side in sides)):
            if name not in known:
                raise typer.BadParameter(f"no {name!r}, only {', '.join(known)}")
        sizes = tuple(map(int, batches.split(",")))
        size = Size(model, device, tiny, pairs, slow, tokens, sizes)
        bench = Bench(Path(scratch), cache or cache_folder() / "gpu", size)
        lines: list[Line] = []
        with silent("lmms_eval_tasks"):  # that the prompts are the built-in ones
            for name in sides:
                for line in SIDES[name](bench):
                    say(" · ".join(filter(None, line.cells())))
                    lines.append(line)
                    if markdown is not None:  # what is measured is kept as it comes
                        markdown.write_text(markdown_of(lines, _about(size)))
    print_lines(lines)
    say(_about(size))


def _about(size: Any) -> str:
    import torch

    on_gpu = size.device.startswith("cuda")
    device = torch.cuda.get_device_name(size.device) if on_gpu else size.device
    return (
        f"{device}; {', '.join(map(_version, _PACKAGES))}; {size.model}{', tiny' * size.tiny}, "
        f"{size.pairs} pairs, {size.slow} prompts one by one, {size.tokens} tokens a reply"
    )


def _version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(main)
    app()
