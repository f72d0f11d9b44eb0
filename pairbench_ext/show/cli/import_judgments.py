"""`pairbench import judgments`: turn files of recorded judgments into logged samples."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pairbench_ext.core.files import WriteError
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import Overwrite, argument, option
from pairbench_ext.show.cli.typed import typed_command
from pairbench_ext.stacks.records.columns import columns_of, save
from pairbench_ext.stacks.records.converter import Imported
from pairbench_ext.stacks.records.judgments import import_judgments


def import_records(
    files: Annotated[list[Path], argument("One or more files or folders with recorded judgments.")],
    out: Annotated[Path, option("Folder for the logged samples.")],
    columns: Annotated[
        list[str] | None,
        option(
            "What a column holds, where the command guesses it wrongly: ROLE=COLUMN,..., or "
            "a file made by --save-columns; repeatable. A role may have several columns: "
            "item=image+question."
        ),
    ] = None,
    values: Annotated[
        str, option("Meaning of the verdicts, such as 0=first,1=second,2=tie or 1=yes,0=no.")
    ] = "",
    people: Annotated[
        list[Path] | None,
        option("File of people's labels, matched with the judgments by item; repeatable."),
    ] = None,
    save_columns: Annotated[
        Path | None, option("Store what each column holds in this TOML file.")
    ] = None,
    accept: Annotated[
        bool, option("Continue even if most recorded values cannot be read.", "--accept")
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """Turn recorded judgments (CSV, JSON, Parquet, spreadsheets, logs) into logged samples.

    Predictions of VLMEvalKit for our tasks, and samples of `pairbench export every-eval-ever`,
    become the logged samples that they came from.

    The command finds out from names and values which column has which role, and prints it. Roles:
    item, judge, reply, verdict (as shown), winner (in the data's order), people, order, repeat (#
    for rows that are alike), first, second, first_answer, second_answer, system, aspect, source,
    cluster, image, prompt; kind=pair, rating, yesno, category, choice or ranking; each=judge,
    aspect or repeat for several columns of values; files={judge}/*.jsonl for what paths say.
    """
    with fail_on(RecordError, WriteError, ValueError):
        done = import_judgments(
            files,
            out,
            columns_of(columns or (), values),
            people=people or (),
            overwrite=overwrite,
            accept=accept,
            typed=typed_command(),
        )
        if save_columns and len(done.groups) > 1:
            kinds = " or ".join(f"kind={group.kind}" for group in done.groups)
            raise RecordError(
                "--save-columns: the file holds two types of judgments; choose one with "
                f"--columns {kinds}"
            )
        if save_columns:
            save(done.columns, save_columns)
    print_imported(done)


def import_with(columns: Path) -> Callable[..., None]:
    """Return a command that imports a repository's records, with columns named in a file."""

    def command(
        clone: Annotated[
            Path, argument("Folder with a clone of the repository that holds the judgments.")
        ],
        out: Annotated[Path, option("Folder for the logged samples.")],
        overwrite: Overwrite = False,
    ) -> None:
        """Convert the judgments recorded in a repository into logged samples."""
        import_records([clone], out, [str(columns)], overwrite=overwrite)

    return command


def print_imported(done: Imported) -> None:
    """Print which columns were used for what, which samples were written, and what was left out."""
    for line in done.lines:
        console.print(line)
    for file, count in done.files.items():
        console.print(f"{file}: {counted(count, 'judgment')}", soft_wrap=True)
    for line in done.left_out():
        errors.print(line)
