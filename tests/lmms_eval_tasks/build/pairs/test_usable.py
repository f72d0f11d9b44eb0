import pytest

from lmms_eval_tasks.build.pairs.picture_sources import find_sources
from lmms_eval_tasks.build.pairs.usable import Skipped, count_kinds, select
from pairbench_ext.core.sources import SourceError
from tests.lmms_eval_tasks.build.pairs.conftest import encoded, noise


def write(folder, names):
    """Pictures that differ by the number that their name begins with, and other files."""
    for name in names:
        content = b"hello" if name.endswith(".txt") else encoded(noise(int(name[0])))
        (folder / name).write_bytes(content)
    return find_sources(str(folder))


def names(items):
    return [item.name for item in items]


def test_what_is_usable_is_used_and_the_rest_is_named(tmp_path):
    found = write(tmp_path, ["1.png", "2.png", "3.png", "a.txt"])
    selection = select(found)
    assert names(selection.used) == ["1.png", "2.png", "3.png"]
    assert selection.skipped == [Skipped("a.txt", "not an image", "")]
    assert selection.found == 4
    assert not any(one.converted for one in selection.used)


def test_of_the_same_picture_one_is_used(tmp_path):
    found = write(tmp_path, ["1.png", "1 copy.png", "2.png"])
    noise(1).save(tmp_path / "1.bmp")  # another file, the same pixels
    selection = select(find_sources(str(tmp_path)))
    ones = {"1.png", "1 copy.png", "1.bmp"}
    [used] = ones & set(names(selection.used))
    assert selection.skipped == [
        Skipped(name, "duplicate", f"of {used}") for name in sorted(ones - {used})
    ]
    assert len(found) == 3


def test_some_are_drawn_by_seed_and_name(tmp_path):
    found = write(tmp_path, [f"{k}.png" for k in range(9)])
    draws = [tuple(names(select(found, most=3, seed=seed).used)) for seed in range(8)]
    assert all(len(draw) == 3 for draw in draws)
    assert len(set(draws)) > 4
    assert tuple(names(select(found[::-1], most=3, seed=0).used)) == draws[0]
    more = select(found, most=4, seed=0)
    assert set(draws[0]) < set(names(more.used))
    assert more.skipped == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_choice_is_the_same_for_any_number_of_jobs(tmp_path, jobs):
    found = write(tmp_path, [*(f"{k}.png" for k in range(6)), "0 again.png", "b.txt", "c.txt"])
    selection = select(found, most=4, seed=5, jobs=jobs)
    assert selection == select(found, most=4, seed=5)
    assert len(selection.used) == 4


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        ([], {}, r"^0 files found and 0 usable, but 2 different pictures are needed"),
        (["1.png", "a.txt"], {}, r"2 files found and 1 usable \(1 not an image\), but 2"),
        (
            ["1.png", "2.png", "1 b.png"],
            {"least": 9},
            r"3 files .* 2 usable \(1 duplicate\), but 9",
        ),
    ],
    ids=["none", "one", "fewer than asked for"],
)
def test_too_few_are_one_sentence(tmp_path, files, options, message):
    with pytest.raises(SourceError, match=message):
        select(write(tmp_path, files), **options)


def test_kinds_are_counted_the_most_frequent_first():
    skipped = [Skipped("a", "x", ""), Skipped("b", "y", "1"), Skipped("c", "y", "2")]
    assert count_kinds(skipped) == "2 y, 1 x"
