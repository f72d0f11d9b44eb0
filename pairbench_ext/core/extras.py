"""Import optional packages; if one is missing, the error says what to install.

Each belongs to an extra of this package. The sentence names the extra's packages rather than the
extra, so that it is true for a clone and for a release.
"""

import importlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

# By the name that is imported: the distribution, and the extra that installs it.
PACKAGES = {
    "datasets": ("datasets", "tasks"),
    "huggingface_hub": ("huggingface_hub", "tasks"),
    "matplotlib": ("matplotlib", "plots"),
    "skimage": ("scikit-image", "demo"),
    "sklearn": ("scikit-learn", "demo"),
    "pandas": ("pandas", "vlmevalkit"),
    "openpyxl": ("openpyxl", "records"),
    "pyarrow": ("pyarrow", "tasks"),
    "zstandard": ("zstandard", "records"),
    "torch": ("torch", "lmms-eval"),
    "transformers": ("transformers", "lmms-eval"),
    "sentence_transformers": ("sentence-transformers", "captions"),
}


class MissingPackageError(ImportError):
    """An optional package is missing; the message says how to install it."""


def require(package: str, what: str) -> ModuleType:
    """Import and return an optional package.

    Args:
        package: the name that is imported, such as "skimage"; one of `PACKAGES`.
        what: what needs it, as the message begins: "a picture", "the judge pixel_judge".

    Raises:
        MissingPackageError: if it is not installed: what needs it, and the command that installs
            it.
    """
    distribution, extra = PACKAGES[package]
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise  # it is there, and something that it needs is not
        raise _missing(what, distribution, extra) from error


@cache
def version_of(distribution: str) -> str:
    """Return the installed version of a package that the demo data are made with.

    Raises:
        MissingPackageError: if it is not installed.
    """
    try:
        return version(distribution)
    except PackageNotFoundError as error:
        extra = dict(PACKAGES.values()).get(distribution, "")
        raise _missing("the demo's data set", distribution, extra) from error


def _missing(what: str, distribution: str, extra: str) -> MissingPackageError:
    others = (name for name, extra_of in dict.fromkeys(PACKAGES.values()) if extra_of == extra)
    missing = [distribution, *(n for n in others if n != distribution and not _is_there(n))]
    return MissingPackageError(
        f"{what} needs {distribution}: run pip install {' '.join(missing)}", name=distribution
    )


def _is_there(distribution: str) -> bool:
    try:
        return bool(version(distribution))
    except PackageNotFoundError:
        return False
