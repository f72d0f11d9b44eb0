"""The seven tasks of VIEScore, each with the images and prompts that it needs.

Names of folders and fields are those of ImagenHub's museum, from which the paper's images are.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from lmms_eval_tasks.viescore.scores import Aspect

Name: TypeAlias = Literal["t2i", "mie", "tie", "sdig", "sdie", "mcic", "cig"]

PQ_SUB_SCORES = 2  # naturalness, artifacts; for all tasks


#: The folders that hold one image which a synthetic image was made from: alternatives, of which the
#: first one in the museum is used. Images of several folders are put side by side.
Condition: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Task:
    """A way to make images, such as text-guided editing, and how VIEScore rates the images.

    Attributes:
        name: short name, as in the names of our tasks.
        title: as the paper prints it.
        museum_name: the name in the museum, without the prefix `ImagenHub_`.
        aliases: other names of the folder (ratings of ImagenHub).
        fields: of a museum's prompt; the first one that a prompt has is its text.
        conditions: the images that SC is judged by, in the order in which the prompt names them.
        sub_scores: of SC.
    """

    name: Name
    title: str
    museum_name: str
    aliases: tuple[str, ...]
    fields: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    sub_scores: int = 1

    @property
    def folder(self) -> str:
        """Return the name of the task's folder in ImagenHub's museum."""
        return f"ImagenHub_{self.museum_name}"

    @property
    def folder_names(self) -> tuple[str, ...]:
        """Return every name that the task's folder may have in a copy of ImagenMuseum."""
        bare = (self.museum_name, *self.aliases)
        return (*(f"ImagenHub_{name}" for name in bare), *bare, self.name)

    def sub_scores_of(self, aspect: Aspect) -> int:
        """Return the number of sub-scores that a prompt asks for, for SC or PQ."""
        return self.sub_scores if aspect == "SC" else PQ_SUB_SCORES

    def clean(self, text: str) -> str:
        """Return a prompt's text without `<token>` and underscores, as the authors show it."""
        if self.name == "sdie":
            return text.replace("_", " ")
        return text.replace("<token> ", "") if self.name == "sdig" else text


_INPUT: Condition = (("input",),)
_TOKEN: Condition = (("token",), ("input",))
_GUIDE: Condition = (("input",), ("control",))
_SUBJECT: Condition = (("token",),)
_CONCEPTS: Condition = (("input",), ("token1", "token2"))

_TASKS = (
    Task("t2i", "Text-guided Image Generation", "Text-Guided_IG", ("Text-To-Image",), ("prompt",)),
    Task(
        "mie", "Mask-guided Image Editing", "Mask-Guided_IE", (), ("instruction", "prompt"),
        (_INPUT,), 2,
    ),
    Task(
        "tie", "Text-guided Image Editing", "Text-Guided_IE", (), ("instruction", "prompt"),
        (_INPUT,), 2,
    ),
    Task(
        "sdig", "Subject-driven Image Generation", "Subject-Driven_IG", (), ("prompt",),
        (_TOKEN,), 2,
    ),
    Task(
        "sdie", "Subject-driven Image Editing", "Subject-Driven_IE", (), ("subject", "prompt"),
        (_INPUT, _SUBJECT), 2,
    ),
    Task(
        "mcic", "Multi-concept Image Composition", "Multi-Concept_IC", ("Multi-Subject_IG",),
        ("prompt",), (_CONCEPTS,), 3,
    ),
    Task(
        "cig", "Control-guided Image Generation", "Control-Guided_IG", (), ("text", "prompt"),
        (_GUIDE,), 2,
    ),
)  # fmt: skip
TASKS: dict[Name, Task] = {task.name: task for task in _TASKS}

# Folders beside those of image models, in any task.
OTHER_FOLDERS = frozenset(
    {"input", "token", "token1", "token2", "control", "mask", "GroundTruth", "ratings"}
)
