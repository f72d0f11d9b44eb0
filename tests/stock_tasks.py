"""Stock tasks of the harness on small local tables in their schema: `mme`, `ovo_forward`.

The YAML files are the installed harness's own, included at run time; only where they read their
data from is replaced. `ovo_forward` asks in rounds.
"""

import datasets
import numpy as np
import yaml
from PIL import Image

ROUNDS = (1, 3, 2)  # of the documents of ovo_forward, in turns


def write_stock_tasks(folder, documents=6, seed=0):
    """A folder for `--include_path`. Another `seed` draws other pictures."""
    from importlib.resources import files

    tables = {
        "mme": (_mme(documents, seed), {}),
        "ovobench/ovo_forward": (
            _ovo_forward(documents, folder / "videos"),
            {"lmms_eval_specific_kwargs": {"default": {"data_dir": str(folder / "videos")}}},
        ),
    }
    for name, (table, changes) in tables.items():
        task = name.split("/")[-1]
        path = f"{name}.yaml" if "/" in name else f"{name}/{name}.yaml"
        write_task(folder, task, files("lmms_eval.tasks") / path, table, **changes)
    return folder


def write_task(folder, task, file, table, split="test", **changes):
    """A task of a YAML file that reads a table, in a folder for `--include_path`."""
    folder.mkdir(parents=True, exist_ok=True)
    table.to_parquet(folder / f"{task}.parquet")
    config = {
        "include": str(file),
        "task": task,
        "dataset_path": "parquet",
        "dataset_name": None,
        "dataset_kwargs": {"data_files": {split: str(folder / f"{task}.parquet")}},
        **changes,
    }
    (folder / f"{task}.yaml").write_text(yaml.safe_dump(config))


def _pictures(count, seed):
    pixels = np.random.default_rng(seed).integers(0, 256, (count, 12, 16, 3), np.uint8)
    return [Image.fromarray(each) for each in pixels]


def _table(columns, **pictures):
    return datasets.Dataset.from_dict({**pictures, **columns})


def _mme(count, seed):
    return _table(
        {
            "question_id": [f"{k // 2:05}.jpg" for k in range(count)],
            "question": [f"Is this picture {k}? Please answer yes or no." for k in range(count)],
            "answer": ["Yes", "No"] * (count // 2),
            "category": ["scene"] * count,
        },
        image=_pictures(count, seed),
    )


def _ovo_forward(count, videos):
    """Documents of one to three rounds, each with a video of its own (which nobody decodes)."""
    videos.mkdir(exist_ok=True)
    rounds = [ROUNDS[k % len(ROUNDS)] for k in range(count)]
    for k, number in enumerate(rounds):
        for round_ in range(number):
            (videos / f"{k}_{round_}.mp4").write_text(f"video {k}, part {round_}")
    return datasets.Dataset.from_list(
        [
            {
                "id": k,
                "task": "SSR",
                "question": "",
                "activity": "",
                "test_info": [
                    {"step": f"step {j}", "type": j % 2, "count": 0} for j in range(number)
                ],
            }
            for k, number in enumerate(rounds)
        ]
    )
