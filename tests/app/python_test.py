"""The package `ringside`, from its sources and from its wheel.

usage: python_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from served import Server, drawn_calls, environment  # noqa: E402

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
os.environ["RINGSIDE"] = RINGSIDE
sys.path.insert(0, str(SOURCE / "app/python"))
import ringside  # noqa: E402
from script import run_tests, shared  # noqa: E402

S = ringside.Scenario(model="llama-3.1-8b", cluster={"gpus": 8}, parallel={"tensor": 8}, training={"global_batch": 8})


def refused(call):
    try:
        call()
    except ringside.RingsideError as fault:
        return fault
    raise AssertionError("nothing was raised")


def test_a_report_is_read_by_name_with_and_without_units():
    report = ringside.evaluate(S)
    assert report.memory.total == report.memory.total_bytes == report["memory"]["total_bytes"] == report.metrics["memory.total_bytes"]
    assert isinstance(report.memory.total, int) and report.fits is True and report.step.time == report.metrics["step.time_s"]
    assert report.memory.stages[0].weights == report.memory.weights
    try:
        report.memory.totel
    except AttributeError as fault:
        assert "total_bytes" in str(fault)
    assert "<table>" in report.memory._repr_html_() and report.to_dict()["metrics"] == dict(report.metrics)
    assert ringside.evaluate({**S.fields, "model": "llama-3.1-405b", "cluster": {"gpus": 8}}).fits is False


def test_with_changes_a_copy():
    changed = S.with_({"parallel.tensor": 4}, training__micro_batch=2)
    assert changed.fields["parallel"]["tensor"] == 4 and changed.fields["training"] == {"global_batch": 8, "micro_batch": 2}
    assert S.fields["parallel"]["tensor"] == 8 and changed != S and changed == S.with_(parallel__tensor=4, training__micro_batch=2)
    assert ringside.evaluate(changed).memory.activations > ringside.evaluate(S.with_(parallel__tensor=4)).memory.activations


def test_a_sweep_has_a_row_for_every_combination_and_a_reason_where_it_cannot_run():
    table = ringside.sweep(S.with_(training__global_batch=16), {"parallel.tensor": [1, 2, 3], "training.micro_batch": [1, 2]})
    assert len(table) == 6 and [row["training.micro_batch"] for row in table] == [1, 2] * 3
    assert all((row["fault"] is None) == (row["parallel.tensor"] != 3) for row in table), table
    assert table[0]["step.time_s"] == ringside.evaluate(S.with_(parallel__tensor=1, training__global_batch=16)).step.time
    assert list(table.column("parallel.tensor")) == [1, 1, 2, 2, 3, 3] and "<th>parallel.tensor</th>" in table._repr_html_()


def test_a_search_is_a_table_whose_rows_can_be_evaluated():
    table = ringside.search(S, top=3)
    times = [row["step.time_s"] for row in table]
    assert len(table) == 3 and times == sorted(times), times
    assert abs(ringside.evaluate(table[0]["scenario"]).step.time / times[0] - 1) < 1e-9
    assert "parallel.tensor" in table.columns and "parallel.tensor" in repr(table)


def test_pictures_and_sliders_show_themselves_in_a_notebook():
    picture = ringside.picture("memory", S, size="800x600")
    assert picture._repr_svg_().startswith("<svg")
    text = ringside.sliders(S, {"training.micro_batch": [1, 2, 4]})._repr_html_()
    assert text.count('type="range"') == 1 and "step.time_s" in text and "</script><" not in text


def test_every_command_is_within_reach():
    assert abs(ringside.schedule(kind="1f1b", stages=4, micro_batches=8).bubble_over_ideal - 3 / 8) < 1e-12
    assert ringside.collective(kind="all-reduce", ranks=8, bytes=1e9).steps and ringside.scaling(parameters="70e9", tokens="1.4e12")
    assert {figure.metric for figure in ringside.explain(S).figures} >= {"step.time_s", "memory.card_bytes"}
    asked = ringside.question("problem-4-link", seed=3)
    assert ringside.question("problem-4-link", f"{asked.parameters.G / 8 / 1e9:g} GB/s", seed=3).correct is True
    assert "Usage: ringside rent" in ringside.run("rent", help=True)


def test_what_is_refused_says_why_and_the_next_call_works():
    fault = refused(lambda: ringside.evaluate({"parallel": {"tensr": 8}}))
    assert fault.faults == ['-: parallel.tensr: unknown field (did you mean "tensor"?)'] and fault.status == 2
    assert "could not be read" in str(refused(lambda: ringside.evaluate("no-such-file.json")))
    assert "could not be read" in str(refused(lambda: ringside.evaluate("--help")))
    engine = ringside.Engine()
    engine.run(["schedule"])
    engine._process.kill()
    engine._process.wait()
    assert engine.run(["schedule"])["kind"] == "1f1b"  # another process
    engine.close()
    assert "not found" in str(refused(lambda: _without_program()))


def _without_program():
    kept, path = os.environ.pop("RINGSIDE"), os.environ["PATH"]
    os.environ["PATH"] = ""
    exists, pathlib.Path.exists = pathlib.Path.exists, lambda self: False
    try:
        ringside.Engine().run(["schedule"])
    finally:
        os.environ.update(RINGSIDE=kept, PATH=path)
        pathlib.Path.exists = exists


def test_a_thousand_drawn_calls_are_answered_as_the_program_does():
    calls = shared(list(drawn_calls(1000, seed=4)))
    answers = ringside.Engine().answers({"command": words, "stdin": stdin} for words, stdin in calls)
    with Server(RINGSIDE, "serve", "--stdio") as server:
        for (words, stdin), answer in zip(calls, answers):
            assert server.ask({"command": words, "stdin": stdin}) == answer, words


def test_threads_share_an_engine():
    found = {}

    def work(batch):
        found[batch] = ringside.evaluate(S.with_(training__micro_batch=batch)).memory.activations

    threads = [threading.Thread(target=work, args=(batch,)) for batch in (1, 2, 4, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {batch: ringside.evaluate(S.with_(training__micro_batch=batch)).memory.activations for batch in (1, 2, 4, 8)}


def build_wheel(where):
    done = subprocess.run([sys.executable, str(SOURCE / "app/python/build_wheel.py"), str(where)], capture_output=True, text=True, check=True)
    return pathlib.Path(done.stdout.strip())


def test_a_wheel_is_built_by_python_alone_and_runs_from_where_it_is_installed():
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as where:
        where = pathlib.Path(where)
        wheel = build_wheel(where)
        first = wheel.read_bytes()
        assert build_wheel(where).read_bytes() == first
        with zipfile.ZipFile(wheel) as archive:
            assert archive.testzip() is None
            archive.extractall(where / "site")  # what an installer does with a package of Python alone
        version = subprocess.run([RINGSIDE, "--version"], capture_output=True, text=True, env=environment()).stdout.split()[1]
        program = "import ringside; s = ringside.Scenario(model='llama-3.1-8b'); print(ringside.__version__, ringside.__file__, ringside.evaluate(s).memory.total)"
        done = subprocess.run([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(where / 'site')!r}); {program}"], capture_output=True, text=True,
                              env={**environment(), "RINGSIDE": RINGSIDE}, cwd=where)
        assert done.returncode == 0, done.stderr
        number, place, total = done.stdout.split()
        assert number == version and place.startswith(str(where)) and int(total) > 1e9, done.stdout


def test_the_examples_of_the_documentation_run():
    text = (SOURCE / "docs/agents.md").read_text(encoding="utf-8")
    for code in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(compile(code, "docs/agents.md", "exec"), {})  # our own text
    line = re.search(r'^\{"id": 1.*$', text, re.M).group(0)
    assert json.loads(line)["command"] and ringside.Engine().answers([json.loads(line)])[0]["status"] == 0


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
