import pytest

from lmms_eval_tasks.build.pairs.gallery import Gallery

N = 19


def items(number):
    """What is made of a task."""
    return {"text": f"text {number}".encode(), "twice": b"%d" % (2 * number)}


def never(number):
    raise AssertionError(f"made again: {number}")


@pytest.fixture
def filled(tmp_path):
    gallery = Gallery(tmp_path, range(N), items)
    gallery.fill()
    return gallery


def test_items_are_found_by_task_and_name(filled):
    for number in (0, 7, N - 1):
        assert filled.get(number, "text") == f"text {number}".encode()
        assert filled.get(number, "twice") == b"%d" % (2 * number)


def test_an_unknown_item_is_an_error(filled):
    with pytest.raises(KeyError, match="other"):
        filled.get(3, "other")


def test_what_is_there_is_not_made_again(filled, tmp_path):
    again = Gallery(tmp_path, range(N), never)
    again.fill()
    assert again.get(5, "text") == b"text 5"


def test_an_interrupted_gallery_loses_a_picture(tmp_path):
    made = []

    def stop_at(number, last):
        made.append(number)
        if number == last:
            raise KeyboardInterrupt
        return items(number)

    with pytest.raises(KeyboardInterrupt):
        Gallery(tmp_path, range(N), lambda k: stop_at(k, 10)).fill()
    assert made == list(range(11))
    assert len(list(tmp_path.iterdir())) == 10
    made.clear()
    gallery = Gallery(tmp_path, range(N), lambda k: stop_at(k, None))
    gallery.fill()
    assert made == list(range(10, N))
    assert gallery.get(0, "text") == b"text 0"


def test_a_damaged_file_is_made_again(filled, tmp_path):
    filled.close()
    first = min(tmp_path.iterdir())
    content = first.read_bytes()
    first.write_bytes(content[: len(content) // 2])
    gallery = Gallery(tmp_path, range(N), items)
    gallery.fill()
    assert first.read_bytes()[:4] == content[:4]
    assert gallery.get(0, "twice") == b"0"


def test_progress_is_silent_when_fast(tmp_path, capfd):
    Gallery(tmp_path, range(N), items).fill(progress="Making")
    assert capfd.readouterr() == ("", "")


def test_the_bar_moves_with_every_picture(tmp_path, monkeypatch):
    moved = []
    monkeypatch.setattr("tqdm.tqdm.update", lambda bar, n=1: moved.append(n))
    Gallery(tmp_path, range(N), items).fill(progress="Making")
    assert moved == [1] * N
