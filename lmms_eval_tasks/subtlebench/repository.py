"""The files of a repository of pairs: a local copy where there is one, else the hub.

A row names an image by its path in the repository, or by the URL that the hub has for it
(`https://huggingface.co/datasets/<owner>/<name>/resolve/<revision>/<path>`). In a local copy the
path counts alone. A file that is not in the copy is fetched from the repository that its URL names;
files of the hub are fetched once, into the cache of its client. No path leads out of the copy.
"""

from __future__ import annotations

import re
import urllib.parse
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core.sources import SourceError, is_local

HOSTS = ("huggingface.co", "hf.co")
_FILE_URL = re.compile(r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
_DRIVE = re.compile(r"[A-Za-z]:")  # of Windows


class HubFile(NamedTuple):
    """A file of a dataset repository.

    Attributes:
        path: in the repository.
        repo: the repository, as owner/name; None if only the path is known.
        revision: branch or commit; None for the main one.
    """

    path: str
    repo: str | None = None
    revision: str | None = None


def read_reference(text: str, where: str) -> HubFile:
    """The file that a row names by path or URL.

    Args:
        text: what the row says.
        where: file, row and field, for errors.

    Raises:
        SourceError: naming `where` and the text, for a URL that is no file of a dataset on the hub,
            and for a path that leads out of the repository.
    """
    if "://" not in text:
        return HubFile(_checked(text, where))
    found = _in_hub(text)
    if found is None:
        raise SourceError(
            f"{where}: {text!r} is no file of a dataset on {HOSTS[0]}; name a path in the data "
            f"folder, or https://{HOSTS[0]}/datasets/OWNER/NAME/resolve/main/PATH"
        )
    repo, revision, path = (urllib.parse.unquote(part) for part in found.groups())
    return HubFile(_checked(path, where), repo, revision)


def _in_hub(text: str) -> re.Match[str] | None:
    try:
        url = urllib.parse.urlsplit(text)
        known = url.scheme in ("https", "http") and url.hostname in HOSTS
    except ValueError:
        return None
    return _FILE_URL.fullmatch(url.path) if known else None


def _checked(path: str, where: str) -> str:
    # As text: objects of `pathlib` would take most of the time in which a list is read.
    parts = set(path.split("/")) - {"", "."}
    absolute = path.startswith("/") or _DRIVE.match(path)
    if absolute or ".." in parts or "\\" in path or "\0" in path or not parts:
        raise SourceError(f"{where}: {path!r} leads out of the data folder")
    return path


class Repository:
    """A local copy of a repository, or the hub's.

    Args:
        data: folder of the local copy, or owner/name on the hub.

    Raises:
        SourceError: if it is neither.
    """

    def __init__(self, data: str) -> None:
        self.data = data
        self._fetched: dict[HubFile, Path] = {}
        self._folder: Path | None = None
        if is_local(data):
            self._folder = Path(data).expanduser().absolute()
            if not self._folder.is_dir():
                raise SourceError(f"no data folder {data!r}: it does not exist or is not a folder")

    def require(self, reference: HubFile, where: str) -> None:
        """Check that a file is in the local copy, or may be on the hub; nothing is fetched.

        Raises:
            SourceError: naming `where`, if it is neither, or a link that leads out of the copy.
        """
        if self._folder is None:
            return
        local = self._folder / reference.path
        if local.is_file():
            _require_inside(self._folder, local, where)
        elif reference.repo is None:
            raise SourceError(f"{where}: there is no file {local}")

    def file(self, reference: HubFile, where: str) -> Path:
        """A file on this machine, fetched from the hub if it has to be.

        Args:
            reference: the file.
            where: what names it, file, row and field, for errors.

        Raises:
            SourceError: naming `where`, if there is no such file, if it is a link that leads out of
                the local copy, or if it cannot be fetched.
        """
        self.require(reference, where)
        if self._folder is not None and (self._folder / reference.path).is_file():
            return self._folder / reference.path
        reference = reference._replace(repo=reference.repo or self.data)
        if reference not in self._fetched:
            self._fetched[reference] = _fetch(reference, where)
        return self._fetched[reference]


def _require_inside(folder: Path, local: Path, where: str) -> None:
    inside, real = [folder.resolve()], local.resolve()
    if folder.resolve().parent.name == "snapshots":  # of the hub client's cache: links to blobs
        inside.append(folder.resolve().parent.parent / "blobs")
    if not any(real.is_relative_to(place) for place in inside):
        raise SourceError(
            f"{where}: {local} is a link to {real}, out of the data folder; copy the file there"
        )


def _fetch(file: HubFile, where: str) -> Path:
    from huggingface_hub import hf_hub_download

    assert file.repo is not None
    try:  # the client raises a dozen unrelated types
        return Path(
            hf_hub_download(file.repo, file.path, repo_type="dataset", revision=file.revision)
        )
    except Exception as error:
        summary = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SourceError(
            f"{where}: cannot fetch {file.path} of {file.repo!r} from the hub ({summary}); check "
            "the network, or name the folder of a local copy in SUBTLEBENCH_DATA"
        ) from error
