"""Runs docs/attention.ipynb as Jupyter does, and looks at what its cells show. notebook_test.py PROGRAM BUILD_FOLDER."""

import os
import pathlib
import re
import sys
import tempfile

try:
    import ipykernel  # noqa: F401  the kernel that runs the cells
    import nbclient
    import nbformat
    import numpy  # noqa: F401
except ImportError as missing:
    print(missing)  # No module named 'nbclient'
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
program = str(pathlib.Path(sys.argv[1]).resolve())
os.environ["HEADLIGHT_PROGRAM"] = program
os.environ["PYTHONPATH"] = str(ROOT / "python")

with tempfile.TemporaryDirectory() as folder:
    notebook = nbformat.read(ROOT / "docs" / "attention.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "the notebook is kept without outputs"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    shown = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    text = lambda outputs: "".join(output.get("text", "") or output["data"]["text/plain"] for output in outputs)
    assert text(shown[0]) == repr(program), shown[0]
    assert "'layer.0.weights': (1, 8, 10, 10)" in text(shown[1]), shown[1]
    pages = [outputs[0]["data"].get("text/html", "") for outputs in (shown[2], shown[5])]
    assert all(page.startswith("<iframe sandbox=") and len(page) > 50_000 for page in pages), [page[:80] for page in pages]
    assert re.search(r"&quot;layers&quot;:6.*&quot;heads&quot;:8", pages[0]) and "source·10" in pages[1]
    assert re.fullmatch(r"layer \d, head \d: 0\.\d\d on the token before\n", text(shown[3])), shown[3]
    assert text(shown[4]) == "['model', 'tokens', 'weights']", shown[4]
    assert 'width="84mm"' in pathlib.Path(folder, "head.svg").read_text(encoding="utf-8")
