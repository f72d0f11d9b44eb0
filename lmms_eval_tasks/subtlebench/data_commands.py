"""`pairbench export subtlebench-training` and `pairbench score subtlety`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from lmms_eval_tasks.subtlebench.choice_trials import ChoiceTrials
from lmms_eval_tasks.subtlebench.selection import SOURCE
from lmms_eval_tasks.subtlebench.subtlety import SUBTLE, ImagePair, mean, means, similarities
from lmms_eval_tasks.subtlebench.tasks import CHOICE_TASKS, NAME
from lmms_eval_tasks.subtlebench.training import FILE, Layout, write_training
from pairbench_ext.core.benchmark import Task
from pairbench_ext.core.hints import did_you_mean
from pairbench_ext.core.left_out import named
from pairbench_ext.core.outputs import OutputError, check_new_folder
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError, is_local, without_noise
from pairbench_ext.show.cli.console import (
    cell,
    console,
    errors,
    fail_on,
    interval,
    print_json,
    print_table,
    table,
)
from pairbench_ext.show.cli.options import AsJson
from pairbench_ext.statistics.shares import Share

_PAPERS = "dinov3"  # the encoder that the paper's line is for


def export_training(
    out: Annotated[Path, typer.Option(help="The folder to make; new or empty.")],
    data: Annotated[
        str | None,
        typer.Option(help="Folder of a local copy, or owner/name; by default $SUBTLEBENCH_DATA."),
    ] = None,
    split: Annotated[
        Literal["val", "test"], typer.Option(help="Which questions; test only with --allow-test.")
    ] = "val",
    layout: Annotated[
        Layout, typer.Option(help="Of a row: LLaVA's and Qwen-VL's, or messages and images.")
    ] = "llava",
    seed: Annotated[int, typer.Option(help="Draws the order of options; 0 as the tasks.")] = 0,
    allow_test: Annotated[
        bool,
        typer.Option("--allow-test", help="Write the test split all the same.", show_default=False),
    ] = False,
) -> None:
    """Write VLM-SubtleBench's validation split as training data: JSON lines in a chat format.

    A row is the standard prompt about two images and the letter of the right option.

    pairbench export subtlebench-training --out train --layout messages
    """
    with fail_on(SourceError, RecordError, OSError), without_noise():
        if split == "test" and not allow_test:
            raise OutputError(
                "the test split is what models are measured on: one that was trained on it cannot "
                "be measured any more; train on --split val, or give --allow-test if you know why"
            )
        place = SOURCE.locate(data)
        inputs = [Path(place)] if is_local(place) else []
        check_new_folder(out, inputs)
        entry = {"data": data, "split": split, "seed": seed}
        rows = write_training({k: v for k, v in entry.items() if v is not None}, layout, out)
    console.print(f"{out / FILE}: {counted(rows, 'question')} of split {split}, layout {layout}")
    if split == "test":
        errors.print("do not report numbers of VLM-SubtleBench of a model that was trained on it")


def subtlety(
    encoder: Annotated[
        str,
        typer.Option(
            help="Name on the hub or local folder of a vision encoder (the paper: a DINOv3), or "
            "classical, which has another scale."
        ),
    ],
    task: Annotated[
        str, typer.Option(help="Whose pairs: subtlebench, subtlebench_val, subtlebench_demo, ...")
    ] = NAME,
    device: Annotated[str | None, typer.Option(help="Torch device of the encoder.")] = None,
    batch_size: Annotated[int, typer.Option(help="Images at once.", min=1)] = 16,
    as_json: AsJson = False,
) -> None:
    """Print how alike the images of pairs are to an encoder, by type of difference (Table 1).

    The paper calls data subtle whose pairs have a mean cosine similarity of 0.8 or more by DINOv3.

    pairbench score subtlety --encoder facebook/dinov3-vitb16-pretrain-lvd1689m
    """
    from pairbench_ext.judges.encoders.base import load_encoder

    entries = {one.name: one.entry for one in CHOICE_TASKS if isinstance(one, Task)}
    with fail_on(SourceError, RecordError, ValueError), without_noise():
        if task not in entries:
            hint = did_you_mean(task, entries, "`pairbench tasks` lists them")
            raise SourceError(f"no task {task!r} with questions; {hint}")
        trials = ChoiceTrials(entries[task])
        if not trials.rows:
            raise SourceError(f"{task} has no pairs")
        pairs = similarities(trials, load_encoder(encoder, device, batch_size))
    if trials.left_out:
        errors.print(f"{counted(len(trials.left_out), 'row')} left out: {named(trials.left_out)}")
    if as_json:
        print_json({**_document(task, encoder, pairs), "left_out": list(trials.left_out)})
        return
    everything = mean(pairs)
    for title, field in (("type", "category"), ("domain", "domain")):
        shown = table([title], ["mean cosine", "95% interval", "pairs"])
        for name, share in means(pairs, field).items():
            shown.add_row(name, *_cells(share))
        if field == "category":
            shown.add_row("all", *_cells(everything))
        print_table(shown, f"similarity of pairs to {encoder}, by {title}")
    if _PAPERS in encoder.lower():
        verdict = "subtle" if everything.value >= SUBTLE else "not subtle"
        console.print(f"{task} is {verdict}, as Table 1 has it: a mean of {SUBTLE} or more")
    else:
        console.print(f"Table 1's line of {SUBTLE} is for DINOv3; {encoder} has a scale of its own")


def _cells(share: Share) -> tuple[str, str, str]:
    return cell(share.value), interval(*share.interval), str(share.n)


def _document(task: str, encoder: str, pairs: list[ImagePair]) -> dict[str, Any]:
    def numbers(share: Share) -> dict[str, Any]:
        return {"mean": share.value, "interval": [*share.interval], "pairs": share.n}

    parts = {
        f"by_{title}": {name: numbers(share) for name, share in means(pairs, field).items()}
        for title, field in (("type", "category"), ("domain", "domain"), ("source", "source"))
    }
    return {"task": task, "encoder": encoder, "all": numbers(mean(pairs)), **parts}
