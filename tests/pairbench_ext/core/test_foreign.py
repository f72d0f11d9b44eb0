"""The gate for files and pictures of others: each kind of damage is one sentence, or is read."""

import gzip
import io
import json
import re
import struct
import zipfile
import zlib
from contextlib import suppress

import numpy as np
import pytest
import zstandard
from PIL import Image

from pairbench_ext.core import foreign
from pairbench_ext.core.foreign import (
    LIMITS,
    UnreadableError,
    decoded,
    encoding_of,
    from_json,
    lines_of,
    member_of,
    open_archive,
    open_bytes,
    open_text,
    picture_size,
    read_whole,
)
from pairbench_ext.core.visual import encoded
from pairbench_ext.statistics.seeds import generator
from tests.conftest import REPOSITORY, picture

GERMAN = "Nr;Urteil;Begründung\n" + "".join(
    f"{i};A;schöner, größer – „Straße“ für {i} €\n" for i in range(20)
)


@pytest.fixture
def small(monkeypatch):
    """Limits that a test can reach."""
    limits = LIMITS._replace(line=1000, whole=5000, ratio=20, pixels=10_000)
    monkeypatch.setattr(foreign, "LIMITS", limits)
    return limits


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (GERMAN.encode(), "utf-8"),
        (GERMAN.encode("utf-8-sig"), "utf-8-sig"),
        (GERMAN.encode("utf-16"), "utf-16"),
        (GERMAN.encode("utf-16-le"), "utf-16-le"),
        (GERMAN.encode("utf-16-be"), "utf-16-be"),
        (GERMAN.encode("cp1252"), "cp1252"),
        ("id,reply\n1,caf\xe9\n".encode("cp1252"), "cp1252"),
        (gzip.compress(GERMAN.encode("cp1252")), "cp1252"),
        ("id,reason\n1,二つ目の回答は誤りです。\n".encode("cp932"), "cp932"),
        ("id,reason\n1,二つ目の回答は誤りです。\n".encode("euc_jp"), "euc_jp"),
        ("id,评语\n1,图片一更清晰。\n2,图片二更好。\n".encode("gb18030"), "gb18030"),
        ("id,reason\n1,두 번째 답변이 더 좋습니다.\n".encode("cp949"), "cp949"),
        ("название,ответ\nпервый ответ лучше второго,да\n".encode("cp1251") * 9, "cp1251"),
    ],
)
def test_texts_are_read_in_the_encoding_that_they_are_in(content, encoding, tmp_path):
    (tmp_path / "table.csv").write_bytes(content)
    assert encoding_of(tmp_path / "table.csv") == encoding
    text = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    with open_text(tmp_path / "table.csv") as file:
        assert file.read() == text.decode(encoding)


def test_a_damaged_character_costs_its_line_alone(tmp_path):
    lines = GERMAN.encode().splitlines(keepends=True)
    lines[3] = lines[3].replace("ö".encode(), b"\xc3")
    (tmp_path / "table.csv").write_bytes(b"".join(lines))
    with open_text(tmp_path / "table.csv") as file:
        read = dict(lines_of(file))
    assert [number for number, line in read.items() if isinstance(line, UnreadableError)] == [4]
    assert "".join(line for number, line in read.items() if number != 4).encode() == b"".join(
        lines[:3] + lines[4:]
    )


def test_a_long_line_costs_itself_alone(small, tmp_path):
    (tmp_path / "rows").write_text("\n".join(["a", "b" * 999, "c" * 1000, "d" * 5000, "e"]))
    for opened in (open_text, open_bytes):
        with opened(tmp_path / "rows") as file:
            lines = [line for _, line in lines_of(file)]
        unread = [number for number, line in enumerate(lines) if isinstance(line, UnreadableError)]
        assert unread == [2, 3]
        assert [len(x) for x in lines if not isinstance(x, UnreadableError)] == [2, 1000, 1]


def test_what_expands_ends_where_it_is_far_too_much(small, tmp_path):
    (tmp_path / "rows.gz").write_bytes(gzip.compress(b"\n" * 1_000_000))
    with pytest.raises(UnreadableError, match="unpacks to more than 20 times its size"):
        open_text(tmp_path / "rows.gz").read()
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big", b"0" * 5001)
        archive.writestr("small", b"0" * 5000)
    with open_archive(tmp_path / "log.eval") as archive:
        assert len(member_of(archive, "small")) == 5000
        with pytest.raises(UnreadableError, match="unpacks to more than 5,000 bytes"):
            member_of(archive, "big")
    (tmp_path / "one.json").write_text("0" * 5001)
    with open_text(tmp_path / "one.json") as file, pytest.raises(UnreadableError, match="split"):
        read_whole(file)


def damages(content, n):
    """The content with some bytes changed, half of the time cut off."""
    rng = generator(0, "damages")
    for _ in range(n):
        damaged = np.frombuffer(content, np.uint8).copy()
        some = rng.integers(len(damaged), size=rng.integers(1, 6))
        damaged[some] = rng.integers(256, size=len(some))
        kept = rng.integers(len(damaged)) if rng.random() < 0.5 else len(damaged)
        yield damaged[:kept].tobytes()


def zstandard_zip(path, content, claimed=None):
    """An archive with one member in Zstandard, as recent versions of inspect write it."""
    packed = zstandard.compress(content)
    crc, name = zlib.crc32(content), b"member"
    size = len(content) if claimed is None else claimed
    fields = (20, 0, 93, 0, 0, crc, len(packed), size, len(name), 0)
    local = struct.pack("<4s5H3I2H", b"PK\3\4", *fields) + name
    central = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, *fields, *(0,) * 5) + name
    end = (1, 1, len(central), len(local) + len(packed), 0)
    path.write_bytes(local + packed + central + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, *end))


def test_members_in_zstandard_are_read_and_bounded(small, tmp_path):
    for content, claimed in ((b"{}" * 100, None), (b"0" * 9000, None), (b"0" * 9000, 10)):
        zstandard_zip(tmp_path / "log.eval", content, claimed)
        with open_archive(tmp_path / "log.eval") as archive:
            if len(content) <= small.whole:
                assert member_of(archive, "member") == content
            else:
                with pytest.raises(UnreadableError, match="unpacks to more than"):
                    member_of(archive, "member")


def test_archives_that_are_damaged_anywhere_are_read_or_are_one_sentence(tmp_path):
    zstandard_zip(tmp_path / "log.eval", json.dumps({"a": list(range(300))}).encode())
    for damaged in damages((tmp_path / "log.eval").read_bytes(), 300):
        (tmp_path / "log.eval").write_bytes(damaged)
        with suppress(UnreadableError), open_archive(tmp_path / "log.eval") as archive:
            from_json(member_of(archive, "member"))


def test_the_limits_are_those_of_the_page():
    page = (REPOSITORY / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert not [limit for limit in LIMITS if not re.search(rf"\| {limit:,}\b", page)]


@pytest.mark.parametrize("depth", [101, 900, 100_000])
@pytest.mark.parametrize("begin", ["[", '{"a":'])
def test_deep_json_is_one_sentence(depth, begin):
    text = begin * depth + "1" + ("]" if begin == "[" else "}") * depth
    with pytest.raises(UnreadableError, match="nested more than 100 levels deep"):
        from_json(text)
    assert from_json("[" * 100 + "]" * 100)
    with pytest.raises(UnreadableError, match="not JSON"):
        from_json("[" + "9" * 5000 + "]")


def test_pictures_are_decoded_upright_whatever_their_header_says(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    shown = picture(0, 1, (80, 64))
    shown.save(tmp_path / "a.jpg", exif=exif)
    assert picture_size(tmp_path / "a.jpg") == (80, 64)
    assert decoded(tmp_path / "a.jpg").size == (64, 80)
    shown.save(tmp_path / "b.jpg", exif=b"Exif\0\0" + b"II*\0\x08\0\0\0\xff\xff" + b"\7" * 40)
    assert decoded(tmp_path / "b.jpg").size == (80, 64)


@pytest.mark.parametrize("form", ["EPS", "ICO", "PPM", "PCX", "TGA", "PDF", "SGI"])
def test_other_kinds_of_pictures_are_not_decoded(form, tmp_path):
    picture(0, 1, (80, 64)).save(tmp_path / "x.png", form)
    for read in (decoded, picture_size):
        with pytest.raises(UnreadableError, match="not a picture in PNG, JPEG, WebP, GIF, BMP or"):
            read(tmp_path / "x.png")


def test_pictures_of_too_many_pixels_are_not_decoded(small, tmp_path):
    Image.new("L", (101, 100)).save(tmp_path / "x.png")
    for read in (decoded, picture_size):
        with pytest.raises(UnreadableError, match="more than 10,000 pixels"):
            read(tmp_path / "x.png")


@pytest.mark.parametrize("form", foreign.PICTURES)
def test_pictures_that_are_damaged_anywhere_are_read_or_are_one_sentence(form):
    for damaged in damages(encoded(picture(0, 1, (40, 32)), form), 150):
        with suppress(UnreadableError):
            assert decoded(io.BytesIO(damaged)).size
