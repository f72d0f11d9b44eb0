"""The notebook of the docs shows what its cells say; `python -m tests.test_notebook` writes it."""

import ast
import json

from tests.conftest import REPOSITORY

NOTEBOOK = REPOSITORY / "docs" / "notebooks" / "decide.ipynb"


def shown(source, names):
    """What a cell displays: the value of its last line, as text and as HTML."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if hasattr(value, "to_text"):
        return {"text/html": value._repr_html_(), "text/plain": value.to_text(80)}
    html = {"text/html": value._repr_html_()} if hasattr(value, "_repr_html_") else {}
    return html | {"text/plain": repr(value)}


def executed():
    """The notebook with what its cells display now."""
    made, names = json.loads(NOTEBOOK.read_text("utf-8")), {}
    codes = (cell for cell in made["cells"] if cell["cell_type"] == "code")
    for number, cell in enumerate(codes, start=1):
        data = shown("".join(cell["source"]), names)
        data = data and {kind: text.splitlines(keepends=True) for kind, text in data.items()}
        cell["execution_count"] = number
        cell["outputs"] = (
            [{"output_type": "execute_result", "execution_count": number, "metadata": {},
              "data": data}] if data else []
        )  # fmt: skip
    return made


def test_the_notebook_shows_what_its_cells_say(capsys):
    stored = json.loads(NOTEBOOK.read_text("utf-8"))
    for cell, now in zip(stored["cells"], executed()["cells"], strict=True):
        assert [x["data"]["text/plain"] for x in cell.get("outputs", [])] == [
            x["data"]["text/plain"] for x in now.get("outputs", [])
        ]
    # A frame is a ranking three lines after the import.
    code = ["".join(c["source"]) for c in stored["cells"] if c["cell_type"] == "code"]
    assert len([x for x in code[0].splitlines() if x and "import" not in x]) == 3
    first = "".join(stored["cells"][1]["outputs"][0]["data"]["text/html"])
    assert "careful is the best of 3 judges" in first
    assert "<script" not in first


if __name__ == "__main__":
    NOTEBOOK.write_text(json.dumps(executed(), indent=1, ensure_ascii=False) + "\n", "utf-8")
