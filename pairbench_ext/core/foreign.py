"""Read files and pictures of unknown origin, with limits on their size and depth.

What cannot be read is an `UnreadableError` with the reason alone. Who asked adds file and row and
leaves the row out, or ends with the file's name. `LIMITS` are what no honest file meets.
"""

import gzip
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, AnyStr, BinaryIO, NamedTuple, TextIO, TypeAlias, cast

from PIL import Image, ImageOps, UnidentifiedImageError

from pairbench_ext.core.extras import MissingPackageError, require
from pairbench_ext.core.progress import working_on

Encoded: TypeAlias = "str | os.PathLike[str] | IO[bytes]"


class Limits(NamedTuple):
    """Limits on the size and depth of what is read from a file of unknown origin.

    Attributes:
        cell: characters of a cell of a table.
        line: characters or bytes of a line.
        whole: characters or bytes of what can only be read at once, as a JSON file.
        sheet: bytes of an unpacked sheet, which is read row by row.
        ratio: how many times larger than its file unpacked text may be, once it is above `whole`.
        columns: of a table, or fields of a row.
        depth: objects and lists within each other.
        pixels: of a picture.
    """

    cell: int = 16_000_000
    line: int = 64_000_000
    whole: int = 512_000_000
    sheet: int = 2_000_000_000
    ratio: int = 200
    columns: int = 16_384
    depth: int = 100
    pixels: int = 180_000_000


LIMITS = Limits()

#: The kinds of pictures that are decoded; Pillow knows others, some of which start programs.
PICTURES = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")

NOT_A_PICTURE = "not a picture in PNG, JPEG, WebP, GIF, BMP or TIFF"
_ENDS = {"PNG": b"IEND", "JPEG": b"\xff\xd9", "MPO": b"\xff\xd9"}
_DEFLATED = 1032  # bytes that one byte of compressed data holds at most
_GZIP = b"\x1f\x8b"
_ZSTANDARD = 93  # a way to compress a member of an archive
_LOOKED_AT = 64_000_000  # bytes by which the encoding of a text is told
_SHOWN_TO_DETECTOR = 60_000  # bytes
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_HIGH = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_UNDECODED = re.compile("[\udc80-\udcff]")
# Encodings of spreadsheets and old programs; those of one alphabet beside each other differ little.
_LEGACY = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1255", "cp1256", "koi8_r"),
    *("cp932", "gb18030", "big5", "cp949", "euc_jp"),
]
#: Japanese syllables and marks; in EUC-JP, whose marks are those of Chinese, syllables alone.
_KANA = {
    "cp932": re.compile("[\u3041-\u30ff\u3001\u3002\u25b3\u25cb\u25ce]"),
    "euc_jp": re.compile("[\u3041-\u30fa]"),
}
_BEYOND = re.compile(r"[^\x00-\x7f]")
_CENTRAL_EUROPE = ("Polish", "Czech", "Slovak", "Hungarian", "Slovene", "Croatian", "Romanian")
_ENOUGH = 12  # characters beyond ASCII, with fewer of which nothing can be told


class UnreadableError(ValueError):
    """A file of unknown origin cannot be read; the message says why, but not which file or row."""


def encoding_of(path: Path) -> str:
    """Return Python's name for the encoding of a text file.

    A mark at the beginning tells UTF-8, UTF-16 and UTF-32; zeros tell UTF-16 without one. What is
    no UTF-8 is in the encoding that `charset-normalizer` proposes, Western ones as Windows-1252. A
    text in UTF-8 with some damaged characters stays UTF-8.

    Raises:
        UnreadableError: if the file cannot be opened or unpacked.
    """
    with open_bytes(path) as file, failures():
        head = file.read(_LOOKED_AT)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    start = head[:4096]
    if start.count(0) > len(start) / 4:
        return "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
    text = head.decode("utf-8", "ignore")
    wrong = len(head) - len(text.encode())
    right = 0 if text.isascii() else sum(map(len, re.findall(r"[^\x00-\x7f]+", text)))
    cut = 3 if len(head) == _LOOKED_AT else 0  # bytes of a character whose rest was not looked at
    return "utf-8" if wrong <= max(right, cut) else _legacy(head)


def unusual_encoding(name: str) -> str:
    """Return a remark if a text file's encoding had to be guessed because it is not Unicode."""
    titles = {"cp1252": "Windows-1252", "cp1250": "Windows-1250", "cp1251": "Windows-1251"}
    return "" if name.startswith("utf") else f"not UTF-8, read as {titles.get(name, name)}"


def _legacy(content: bytes) -> str:
    """Return the encoding of a text that is in no Unicode one."""
    import charset_normalizer

    lines, size = list[bytes](), 0
    for match in _HIGH.finditer(content):
        lines.append(match[0][:2000])
        size += len(lines[-1])
        if size > _SHOWN_TO_DETECTOR:
            break
    shown = b"\n".join(lines)
    for name, japanese in _KANA.items():
        text = shown.decode(name, "replace")
        limit = 0.1 * len(_BEYOND.findall(text)) + 20 * text.count("\ufffd")
        if len(japanese.findall(text)) > limit:
            return name
    few = len(shown) - len(shown.decode("ascii", "ignore")) < _ENOUGH
    best = None if few else charset_normalizer.from_bytes(shown, cp_isolation=_LEGACY).best()
    if best is None or (best.encoding == "cp1250" and best.language not in _CENTRAL_EUROPE):
        return "cp1252"
    return str(best.encoding)


def open_text(path: Path, encoding: str | None = None) -> TextIO:
    """Open a text file, unpacked if it is in gzip, with its line breaks as they are.

    Args:
        path: of the file.
        encoding: `encoding_of` it if None. Bytes that are no characters in it are kept as halves of
            surrogate pairs, which `lines_of` tells.

    Raises:
        UnreadableError: if the file cannot be opened or unpacked.
    """
    encoding = encoding or encoding_of(path)
    return io.TextIOWrapper(open_bytes(path), encoding, errors="surrogateescape", newline="")


def lines_of(file: IO[AnyStr]) -> Iterator[tuple[int, AnyStr | UnreadableError]]:
    """Yield each line of an open file with its number, or the reason why it cannot be read.

    Raises:
        UnreadableError: if the file cannot be unpacked to its end.
    """
    number, most = 0, LIMITS.line
    with failures(), working_on(f"reading {_name_of(file)}", _size_of(file)) as work:
        while line := file.readline(most):
            number += 1
            work.done += len(line)
            long = False
            while len(line) == most and line[-1:] not in ("\n", b"\n"):
                long, line = True, file.readline(most)
            if long:
                yield number, UnreadableError(f"a line of more than {most:,} characters")
            elif isinstance(line, str) and not line.isascii() and _UNDECODED.search(line):
                yield number, UnreadableError("some bytes are not valid in the file's encoding")
            else:
                yield number, line


def _name_of(file: IO[Any]) -> str:
    try:
        return Path(str(file.name)).name
    except AttributeError:  # what is unpacked has none
        return "a packed file"


def _size_of(file: IO[Any]) -> int | None:
    """Return how many bytes a file has; None if it is being unpacked."""
    try:
        return os.fstat(file.fileno()).st_size
    except OSError:
        return None


def read_whole(file: IO[AnyStr]) -> AnyStr:
    """Return the rest of an open file's text, if it is not too long.

    Raises:
        UnreadableError: if it is more than `LIMITS.whole`, or cannot be unpacked.
    """
    with failures():
        content = file.read(LIMITS.whole + 1)
    if len(content) > LIMITS.whole:
        raise UnreadableError(
            f"the file has more than {LIMITS.whole:,} bytes, too many to read at once; split "
            "the file"
        )
    return content


def from_json(text: str | bytes) -> Any:
    """Return the value that a JSON text holds.

    Raises:
        UnreadableError: if it is no JSON, or is nested deeper than `LIMITS.depth`.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise UnreadableError(f"JSON nested more than {LIMITS.depth} levels deep") from None
    except ValueError as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else str(error).split(";")[0]
        raise UnreadableError(f"not JSON ({what})") from error
    brackets = text.count("[") + text.count("{") if isinstance(text, str) else LIMITS.depth + 1
    if brackets > LIMITS.depth and not is_shallow(value):
        raise UnreadableError(f"JSON nested more than {LIMITS.depth} levels deep")
    return value


def json_in(path: Path) -> Any:
    """Return the value that a JSON file holds, unpacked if it is in gzip.

    Raises:
        UnreadableError: if it cannot be read.
    """
    with open_text(path) as file:
        return from_json(read_whole(file))


def is_shallow(value: Any) -> bool:
    """Return whether the lists and objects in a value are nested at most `LIMITS.depth` deep."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(LIMITS.depth):
        inner = (x for part in level for x in (part.values() if isinstance(part, dict) else part))
        level = [part for part in inner if isinstance(part, dict | list)]
        if not level:
            return True
    return False


@contextmanager
def failures() -> Iterator[None]:
    """Turn any error of a file reader inside the block into an `UnreadableError`."""
    try:
        yield
    except UnreadableError:
        raise
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror or error}") from error
    except (EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise UnreadableError(f"cannot be read: {error}") from error
    except UnicodeError as error:
        raise UnreadableError(
            f"the text does not follow the encoding that its first bytes announce ({error})"
        ) from error


def open_bytes(path: Path) -> BinaryIO:
    """Open a file and unpack it if it is in gzip, whatever its name.

    Raises:
        UnreadableError: if it cannot be opened.
    """
    with failures():
        file = path.open("rb")
        packed = file.read(2) == _GZIP
        file.seek(0)
        if not packed:
            return file
        most = max(LIMITS.whole, LIMITS.ratio * os.fstat(file.fileno()).st_size)
        return cast("BinaryIO", io.BufferedReader(_Unpacked(file, most), 1 << 20))


class _Unpacked(io.RawIOBase):
    """The content of a file in gzip, which ends with an error where it is far too much."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file, self._unpacking, self._left = file, gzip.GzipFile(fileobj=file), most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with failures():
            count = self._unpacking.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise UnreadableError(
                f"unpacks to more than {LIMITS.ratio} times its size; unpack it with gunzip"
            )
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive while the block runs.

    Raises:
        UnreadableError: if it is none or damaged.
    """
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:  # `zipfile` raises anything on a damaged file
        raise UnreadableError(f"cannot be read: {error}") from error
    with archive:
        yield archive


def member_of(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a file from a zip archive, including one compressed by Zstandard.

    Args:
        archive: open for reading.
        name: of the member.

    Raises:
        UnreadableError: if it is larger, damaged, or compressed in a way that cannot be read.
    """
    most = LIMITS.whole
    try:
        info = archive.getinfo(name)
        if info.compress_type == _ZSTANDARD:
            content = _zstandard(archive, info, most)
        else:
            with archive.open(info) as file:
                content = file.read(most + 1)
    except (UnreadableError, MissingPackageError):
        raise
    except Exception as error:  # as above
        raise UnreadableError(f"cannot be read: {error}") from error
    if len(content) > most:
        raise UnreadableError(f"unpacks to more than {most:,} bytes")
    return content


def _zstandard(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    zstandard = require("zstandard", "reading an archive packed by Zstandard")
    file = archive.fp
    assert file is not None
    file.seek(info.header_offset + 26)  # there, the lengths of two fields before the content
    lengths = file.read(4)
    file.seek(sum(int.from_bytes(lengths[i : i + 2], "little") for i in (0, 2)), 1)
    packed = io.BytesIO(file.read(info.compress_size))
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
            content = bytes(reader.read(most + 1))
    except zstandard.ZstdError as error:
        raise UnreadableError(f"cannot be read: {error}") from error
    if zlib.crc32(content) != info.CRC and len(content) <= most:
        raise UnreadableError("cannot be read: the checksum of the content is wrong")
    return content


def picture_size(encoded: Encoded) -> tuple[int, int]:
    """Return the width and height of a picture in pixels, read from its header.

    Raises:
        UnreadableError: if it is no picture of the kinds in `PICTURES`, or has too many pixels.
    """
    with _opened_picture(encoded) as opened:
        return opened.size


def decoded(encoded: Encoded) -> Image.Image:
    """Return the first frame of a picture, upright by its EXIF orientation, in its own mode.

    Its `format` is kept, such as "JPEG".

    Raises:
        UnreadableError: if it is none of the kinds in `PICTURES`, is cut off or damaged, or has too
            many pixels.
    """
    with _opened_picture(encoded) as opened:
        _require_end(opened)
        opened.load()
        with suppress(Exception):  # a damaged header turns nothing; the pixels are read
            ImageOps.exif_transpose(opened, in_place=True)
        return opened


@contextmanager
def _opened_picture(encoded: Encoded) -> Iterator[Image.Image]:
    try:
        with Image.open(encoded, formats=PICTURES) as opened:
            if opened.width * opened.height > LIMITS.pixels:
                raise UnreadableError(f"more than {LIMITS.pixels:,} pixels")
            yield opened
    except UnreadableError:
        raise
    except UnidentifiedImageError as error:
        raise UnreadableError(NOT_A_PICTURE) from error
    except Image.DecompressionBombError as error:
        raise UnreadableError(f"more than {LIMITS.pixels:,} pixels") from error
    except Exception as error:  # Pillow's readers raise anything on a damaged file
        # Pillow names the buffer by its place in memory, which is another one every time.
        reason = re.sub(r" ?<_io\.BytesIO[^>]*>", "", str(error)) or type(error).__name__
        raise UnreadableError(reason) from error


def _require_end(opened: Image.Image) -> None:
    """Refuse a PNG or JPEG that is cut off, or a PNG that cannot hold the pixels that it claims.

    Pillow does so itself, but not where the harness is imported: it tells Pillow to fill the rest
    of such images with grey (`ImageFile.LOAD_TRUNCATED_IMAGES`).

    Raises:
        UnreadableError: if the end of the image is missing.
    """
    end, file = _ENDS.get(opened.format or ""), getattr(opened, "fp", None)
    if end is None or file is None:
        return
    place = file.tell()  # where the pixels begin: a thumbnail in the header has an end, too
    content = file.read()
    file.seek(place)
    # One bit a pixel is the least: what is filled in for others would take gigabytes of memory.
    needed = opened.width * opened.height / 8 / _DEFLATED if opened.format == "PNG" else 0
    if end not in content or len(content) < needed:
        raise UnreadableError("the file is cut off")
