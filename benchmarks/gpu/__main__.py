"""`python -m benchmarks.gpu [--device cuda] [--model NAME] [--markdown FILE]`."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.__main__ import markdown_of, print_lines, use_caches_in
from benchmarks.common import say

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
    markdown: Annotated[
        Path | None, typer.Option(help="Also write the tables here, or add to them.")
    ] = None,
) -> None:
    """How fast a judge can be audited on a device, and where the time goes."""
    with tempfile.TemporaryDirectory(prefix="pairbench-gpu-") as scratch, _terminated_as_by_hand():
        use_caches_in(Path(scratch))
        from benchmarks.gpu.bench import Size
        from benchmarks.gpu.models import MODELS
        from benchmarks.gpu.run import run
        from benchmarks.gpu.sides import SIDES
        from pairbench_ext.core.user_cache import cache_folder

        _refuse_unknown("--model", [model], list(MODELS))
        sides = tuple(only.split(",")) if only else ()
        _refuse_unknown("--only", sides, list(SIDES))
        _refuse_device(device)
        size = Size(
            model=model,
            device=device,
            tiny=tiny,
            pairs=pairs,
            slow=slow,
            tokens=tokens,
            batches=_numbers(batches),
            sides=sides,
            images=8 if tiny else Size().images,
        )
        # What a CPU or a tiny model reaches says nothing.
        judged = device.startswith("cuda") and not tiny
        record = _record(_about(size), markdown, judged=judged)
        status = 0
        start = time.perf_counter()
        try:
            run(Path(scratch), cache or cache_folder() / "gpu", size, record)
        except KeyboardInterrupt:
            say("interrupted; what was measured is below")
            status = 130
    say(f"finished in {time.perf_counter() - start:.0f} s")
    print_lines(record.lines())
    say(_about(size))
    if record.failed:
        say(f"failed: {', '.join(record.failed)}")
        status = status or 1
    raise typer.Exit(status)


@contextmanager
def _terminated_as_by_hand() -> Iterator[None]:
    """A time limit's signal ends the run as Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _refuse_unknown(option: str, given: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise typer.BadParameter(f"no {unknown[0]!r}, only {', '.join(known)}", param_hint=option)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise typer.BadParameter(f"whole numbers from 1, not {text!r}", param_hint="--batches")
    return found


def _refuse_device(device: str) -> None:
    import torch

    if device.startswith("cuda") and not torch.cuda.is_available():
        raise typer.BadParameter(
            "torch finds no CUDA GPU here; --device cpu --tiny tries the code without measuring "
            "anything of worth",
            param_hint="--device",
        )


def _record(about: str, markdown: Path | None, *, judged: bool) -> Any:
    """Before anything is measured: what is measured would be lost."""
    from benchmarks.gpu.record import Record
    from pairbench_ext.core.outputs import OutputError

    try:
        return Record(about, markdown, markdown_of, judged=judged)
    except (OutputError, OSError) as error:
        raise typer.BadParameter(str(error), param_hint="--markdown") from error


def _about(size: Any) -> str:
    """What must be equal for lines to stand in one table."""
    return (
        f"{_device_name(size.device)}; {', '.join(map(_version, _PACKAGES))}; "
        f"{size.model}{', tiny' * size.tiny}, {size.pairs} pairs, {size.slow} prompts one by one, "
        f"{size.tokens} tokens a reply"
    )


def _device_name(device: str) -> str:
    import torch

    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


def _version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(main)
    app()
