"""The notebooks of docs/notebooks run from start to end, and are kept without outputs.

usage: notebooks_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)

Their cells run in plain Python, whose packages Debian's tests have anyway; where Jupyter's nbconvert is installed, it
runs them, too.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from script import SKIPPED, run_tests  # noqa: E402

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
os.environ.update(RINGSIDE=RINGSIDE, PYTHONPATH=str(SOURCE / "app/python"))
sys.path.insert(0, str(SOURCE / "app/python"))
NOTEBOOKS = sorted((SOURCE / "docs/notebooks").glob("*.ipynb"))


def shown(cell, names):
    """What a notebook shows below a cell: its last line's value, by the richest form that it has."""
    *body, last = cell.strip().split("\n")
    try:
        value = compile(last, "cell", "eval")
    except SyntaxError:
        exec(compile(cell, "cell", "exec"), names)  # our own text
        return None
    exec(compile("\n".join(body), "cell", "exec"), names)
    value = eval(value, names)
    for form in ("_repr_svg_", "_repr_html_"):
        if hasattr(value, form):
            return getattr(value, form)()
    return repr(value)


def test_every_cell_of_every_notebook_runs():
    assert len(NOTEBOOKS) == 3, NOTEBOOKS
    for path in NOTEBOOKS:
        names = {}
        outputs = [shown("".join(cell["source"]), names) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        assert any(text and text.startswith(("<svg", "<table", "<div")) for text in outputs), (path, outputs)


def test_notebooks_are_kept_without_outputs():
    for path in NOTEBOOKS:
        document = json.loads(path.read_text(encoding="utf-8"))
        assert document["nbformat"] == 4 and document["cells"][0]["source"][0].startswith("# "), path
        assert all(cell.get("outputs", []) == [] and cell.get("execution_count") is None for cell in document["cells"]), path
        assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"]) and path.stat().st_size < 10_000, path


def test_jupyter_runs_them_too():
    if subprocess.run(["/usr/bin/python3", "-c", "import nbconvert, ipykernel"], capture_output=True).returncode != 0:
        print("skipped: Jupyter's nbconvert and ipykernel are missing (apt-get install python3-nbconvert python3-ipykernel)")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as where:
        for path in NOTEBOOKS:
            done = subprocess.run(["/usr/bin/python3", "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", where, str(path)], capture_output=True, text=True,
                                  timeout=600)
            assert done.returncode == 0, (path, done.stderr)
    return None


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
