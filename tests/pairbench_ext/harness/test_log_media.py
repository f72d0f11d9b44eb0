"""Pictures in the log, as the harness's web viewer looks for them."""

import base64
import io
import json

import pytest
from PIL import Image

from pairbench_ext.harness import hooks
from pairbench_ext.harness.log_media import MOST, SIDE, VARIABLE, input_media, preview
from tests.conftest import picture
from tests.toy_benchmark import docs


def viewer_shows(address):
    """The harness's `LogViewer.tsx`, functions looksLikeImageSource and isDirectlyLoadable...: what
    its page can load at all, since files and names on the server's disk it cannot."""
    return address.strip().lower().startswith(("data:image/", "http://", "https://"))


def opened(address):
    head, data = address.split(",", 1)
    assert head == "data:image/webp;base64"
    return Image.open(io.BytesIO(base64.b64decode(data)))


@pytest.mark.parametrize("wanted", ["", "0", "1"])
def test_a_sample_logs_what_it_showed_where_that_is_wanted(wanted, tmp_path, monkeypatch):
    picture(0, 0).resize((640, 480)).save(tmp_path / "a.png")
    (tmp_path / "rows.jsonl").write_text(json.dumps({"value": 1, "image": "a.png"}) + "\n")
    monkeypatch.setenv("TOY_DATA", str(tmp_path))
    monkeypatch.setenv(VARIABLE, wanted)
    doc = docs([{}])[0]
    shown = hooks.doc_to_visual(doc)
    logged = dict.copy(hooks.process_results(doc, ["yes"]))
    assert len(logged["trial"]["images"]) == 1
    assert ("input_media" in logged) == (wanted == "1")
    if wanted == "1":
        [address] = logged["input_media"]
        assert viewer_shows(address)
        assert opened(address).size == (SIDE, SIDE * 480 // 640)
        assert shown[0].size == (640, 480)  # what the model gets is as it was
        assert len(json.dumps(logged)) < 12_000


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1", "CMYK", "I;16"])
def test_pictures_of_every_kind(mode, monkeypatch):
    monkeypatch.setenv(VARIABLE, "1")
    assert opened(preview(Image.new(mode, (20, 10)))).size == (20, 10)


def test_as_many_as_the_viewer_shows():
    shown = {str(n): f"data:image/webp;base64,{n}" for n in range(9)}
    assert input_media(shown) == {"input_media": list(shown.values())[:MOST]}
    assert input_media({"a": ""}) == {}
