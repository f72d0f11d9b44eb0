import threading

import pytest

from pairbench_ext.core.files import OutputError, WriteError, appearing, write_atomically


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize(
    ("content", "written"),
    [("a\nb\r\nü", b"a\nb\r\n\xc3\xbc"), (b"\x00\n", b"\x00\n"), ([b"one ", b"two"], b"one two")],
    ids=["text", "bytes", "pieces"],
)
def test_what_is_given_is_written_as_it_is(tmp_path, content, written):
    path = tmp_path / "new" / "folder" / "file"
    write_atomically(path, content)
    assert path.read_bytes() == written
    assert names(path.parent) == ["file"]


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "old"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, FileNotFoundError])
def test_an_exception_leaves_what_was_there(tmp_path, error, is_new):
    path = tmp_path / "birds" / "file"
    if not is_new:
        write_atomically(path, "old")

    def write_half():
        with appearing(path) as fresh:
            fresh.write_text("half of the n")
            raise error("for another reason")

    with pytest.raises(error, match=r"^for another reason$"):
        write_half()
    assert names(path.parent) == ([] if is_new else ["file"])
    assert is_new or path.read_text() == "old"


def test_of_two_that_write_at_once_the_second_sees_the_first(tmp_path):
    path = tmp_path / "file"
    begun, refused = threading.Event(), []

    def check():
        if path.exists():
            raise OutputError("is there already")

    def other():
        begun.set()
        try:
            with appearing(path, check) as fresh:
                fresh.write_text("second")
        except OutputError as error:
            refused.append(str(error))

    thread = threading.Thread(target=other)

    def check_slowly():
        check()
        thread.start()
        assert begun.wait(10)
        thread.join(0.3)  # it would be done by now, if it did not have to wait

    with appearing(path, check_slowly) as fresh:
        fresh.write_text("first")
    thread.join()
    assert (path.read_text(), refused) == ("first", ["is there already"])


def test_a_place_that_cannot_be_written_is_named_with_a_remedy(tmp_path):
    write_atomically(tmp_path / "file", "old")
    with pytest.raises(WriteError) as caught:
        write_atomically(tmp_path / "file" / "below", "text")
    assert str(caught.value) == (
        f"{tmp_path}/file/below: cannot be written (File exists); choose another place"
    )
    with pytest.raises(WriteError, match=r"\(Is a directory\)"):
        write_atomically(tmp_path, "text")
