"""Recover rows from a damaged SQLite file, page by page.

SQLite finds rows through a tree of pages, and a damaged page hides all that is below it. Rows
themselves are in leaf pages, one after the other, and the ends of long ones in chains of overflow
pages: https://www.sqlite.org/fileformat2.html, sections 1.6 and 2.
"""

from collections.abc import Iterator
from contextlib import suppress

PAGE = 4096  # bytes, SQLite's default
_LEAF = 13  # first byte of a page of a table's rows
_LARGEST = PAGE - 35  # bytes of a row without overflow pages
_SMALLEST = (PAGE - 12) * 32 // 255 - 23  # bytes of a longer one that stay in the leaf
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes by serial type


def rows(data: bytes) -> Iterator[list[bytes | int]]:
    """Yield the values of each row that the database's pages hold, even if pages are damaged."""
    for start in range(0, len(data), PAGE):
        head = 100 if start == 0 else start  # the first page begins with the file's header
        if data[head : head + 1] != bytes([_LEAF]):
            continue
        for cell in range(min(_number(data, head + 3, 2), (PAGE - 8) // 2)):
            with suppress(IndexError):  # it ends before its values do
                yield _values(_payload(data, start + _number(data, head + 8 + 2 * cell, 2)))


def _payload(data: bytes, place: int) -> bytes:
    """Return the bytes of the row whose cell begins at `place`."""
    size, place = _varint(data, place)
    _, place = _varint(data, place)  # the row's number
    in_leaf = size
    if size > _LARGEST:
        in_leaf = _SMALLEST + (size - _SMALLEST) % (PAGE - 4)
        in_leaf = in_leaf if in_leaf <= _LARGEST else _SMALLEST
    payload = bytearray(data[place : place + in_leaf])
    place += in_leaf
    while len(payload) < size:
        place = (_number(data, place, 4) - 1) * PAGE
        if size > len(data) or not 0 <= place < len(data):
            raise IndexError
        payload += data[place + 4 : place + PAGE][: size - len(payload)]
    return bytes(payload)


def _values(payload: bytes) -> list[bytes | int]:
    """Return the values of a row: their types come first, then the values."""
    place, place_of_type = _varint(payload, 0)
    kinds: list[int] = []
    while place_of_type < place:
        kind, place_of_type = _varint(payload, place_of_type)
        kinds.append(kind)
    values: list[bytes | int] = []
    for kind in kinds:
        length = _INTEGERS.get(kind, max(0, kind - 12) // 2)
        part = payload[place : place + length]
        place += length
        values.append(part if kind >= 12 else int.from_bytes(part, "big") or int(kind == 9))
    return values


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, and where it ends."""
    value = 0
    for length in range(1, 9):
        byte = data[place + length - 1]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + length
    return value << 8 | data[place + 8], place + 9


def _number(data: bytes, place: int, length: int) -> int:
    return int.from_bytes(data[place : place + length], "big")
