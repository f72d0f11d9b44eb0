"""Data of golden runs: the files in `data.json`, where an image is a seed, a size and a colour."""

import hashlib
import json
from pathlib import Path

GOLDENS = Path(__file__).parent / "goldens" / "runs"
DATA = {
    "PAIRBENCH_DATA": "pairbench", "VL_REWARDBENCH_DATA": "vl_rewardbench",
    "MULTIMODAL_REWARDBENCH_DATA": "multimodal_rewardbench", "MLLM_JUDGE_DATA": "mllm_judge",
    "BEST_OF_N_DATA": "best_of_n/candidates.jsonl", "VIESCORE_DATA": "viescore",
    "CAST_DATA": "cast", "SUBTLEBENCH_DATA": "subtlebench",
}  # fmt: skip


def environment(folder):
    """The variables of a process that collects in a folder."""
    return {
        "PAIRBENCH_CACHE": str(folder / "cache"),
        "HF_DATASETS_CACHE": str(folder / "datasets"),
        "LMMS_EVAL_DATASETS_CACHE": str(folder / "datasets"),
        "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false",
        "CUDA_VISIBLE_DEVICES": "", "OPENAI_API_KEY": "unused", "COLUMNS": "200",
    }  # fmt: skip


def draw(*parts):
    """A number below 2**32 that follows from the parts."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:4], "big")


def _picture(seed, size=(24, 16), colour=None):
    """A small image: noise around a colour."""
    import numpy as np
    from PIL import Image

    rng = np.random.default_rng(seed)
    middle = np.array(colour or [draw(*seed, k) % 256 for k in range(3)])
    noise = rng.integers(-20, 21, (size[1], size[0], 3))
    return Image.fromarray(np.clip(middle + noise, 0, 255).astype(np.uint8))


def write_data(root):
    """Write all data; return the environment that points tasks at them."""
    import datasets

    datasets.disable_progress_bars()
    for name, content in json.loads((GOLDENS / "data.json").read_text(encoding="utf-8")).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".png":
            _picture(**content).save(path)
        elif path.suffix == ".parquet":
            rows = [
                {
                    key: _picture(**cell) if isinstance(cell, dict) else cell
                    for key, cell in row.items()
                }
                for row in content
            ]
            datasets.Dataset.from_list(rows).to_parquet(path)
        elif path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
    return {variable: str(root / name) for variable, name in DATA.items()}
