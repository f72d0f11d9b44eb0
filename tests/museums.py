"""A small museum: every image is of one colour, which says where it is from."""

import json

from PIL import Image

from lmms_eval_tasks.viescore.tasks import TASKS

MODELS = ("A", "B")
SAMPLES = 4
FOLDERS = ("input", "token", "A", "B", "token1", "token2", "control")
CONDITIONS = {"t2i": (), "sdie": ("input", "token")}  # elsewhere the input alone


def colour(task, folder, sample):
    """The colour of an image, unlike any other's."""
    return (20 * list(TASKS).index(task), 20 * FOLDERS.index(folder), 20 * sample)


def uid(sample):
    return f"sample_{sample}.jpg"


def text(task, sample):
    return f"{task} text {sample} {{braces}} <prompt>"


def write_image(root, task, folder, sample, size=(8, 6)):
    path = root / TASKS[task].folder / folder / f"sample_{sample}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour(task, folder, sample)).save(path)


def write_task(root, task, samples=SAMPLES):
    """One task of the museum, without ratings; its folder."""
    folder = root / TASKS[task].folder
    for sample in range(samples):
        for name in (*CONDITIONS.get(task, ("input",)), *MODELS):
            write_image(root, task, name, sample)
    field = TASKS[task].fields[0]
    prompts = {uid(sample): {field: text(task, sample)} for sample in range(samples)}
    (folder / "dataset_lookup.json").write_text(json.dumps(prompts))
    return folder


# SC by image model and sample: the raters agree, the judge does not.
HUMAN_SC = {"A": (0, 0.5, 0.5, 1), "B": (1, 0, 1, 0)}
JUDGE_SC = {"A": (1, 2, 3, 4), "B": (9, 8, 1, 2)}


def write_ratings(folder):
    for rater in (1, 2, 3):
        rows = ["uid\tA\tB"]
        for sample in range(SAMPLES):
            cells = "\t".join(f"[{HUMAN_SC[model][sample]}, 1]" for model in MODELS)
            rows.append(f"{uid(sample)}\t{cells}")
        (folder / f"rater{rater}.tsv").write_text("\n".join(rows))


# The authors' rated examples for 1-shot, where ImagenHub's museum has them.
RATED = (
    "ImagenHub_Text-Guided_IG/UniDiffuser/sample_149.jpg",
    "ImagenHub_Text-Guided_IE/input/sample_139276_1.jpg",
    "ImagenHub_Text-Guided_IE/Prompt2prompt/sample_139276_1.jpg",
    "ImagenHub_Text-Guided_IE/CycleDiffusion/sample_187866_1.jpg",
    "ImagenHub_Control-Guided_IG/input/sample_79_control_hed.jpg",
    "ImagenHub_Control-Guided_IG/ControlNet/sample_79_control_hed.jpg",
    "ImagenHub_Subject-Driven_IG/input/sample_123.jpg",
    "ImagenHub_Subject-Driven_IG/SuTI/sample_123.jpg",
    "ImagenHub_Subject-Driven_IE/input/sample_66.jpg",
    "ImagenHub_Subject-Driven_IE/token/sample_66.jpg",
    "ImagenHub_Subject-Driven_IE/DreamEdit/sample_66.jpg",
    "ImagenHub_Multi-Concept_IC/input/sample_9.jpg",
    "ImagenHub_Multi-Concept_IC/CustomDiffusion/sample_9.jpg",
)
RATED_SIZE = (9, 5)  # like no other image; a grey for each


def write_rated(root):
    """The examples, in a folder laid out as the museum."""
    for number, name in enumerate(RATED):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", RATED_SIZE, (number,) * 3).save(path.with_suffix(".png"))
    return root


def rated_name(image):
    """Which of them an image is; None if none."""
    return RATED[image.getpixel((0, 0))[0]] if image.size == RATED_SIZE else None


def write_museum(root):
    """All seven tasks, with ratings of tie and cig."""
    for task in TASKS:
        folder = write_task(root, task)
        if task in ("tie", "cig"):
            write_ratings(folder)
    return root
