"""The command line as others see it: exit status, stdout and stderr of the real program.

usage: cli_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
DEFAULT = SOURCE / "assets/scenarios/default.json"
FITS = '{"model": "llama-3.1-8b", "cluster": {"gpus": 8}, "parallel": {"tensor": 8, "sequence_parallel": true}, "training": {"global_batch": 8}}'
TOO_LARGE = '{"model": "llama-3.1-405b", "cluster": {"gpus": 1}, "training": {"global_batch": 1}}'


class Outcome:
    def __init__(self, *arguments, text=None, timeout=60):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        begin = time.monotonic()
        done = subprocess.run([RINGSIDE, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=timeout, env=environment)
        self.seconds = time.monotonic() - begin
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def exits(self, code):
        assert self.code == code, f"exit status {self.code}, not {code}\nstdout: {self.out}\nstderr: {self.err}"
        for trace in ("terminate called", "what():", "json.exception", "AddressSanitizer", "runtime error"):
            assert trace not in self.err, self.err
        return self

    def says(self, line):
        assert line in self.err.splitlines(), f"no line {line!r} in:\n{self.err}"
        return self

    def mentions(self, *words):
        for word in words:
            assert word in self.err, f"no {word!r} in:\n{self.err}"
        return self


def folder():
    return tempfile.TemporaryDirectory(prefix="ringside-test-")


def written(where, name, text):
    path = pathlib.Path(where) / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(text, line):
    with folder() as where:
        path = written(where, "s.json", text)
        outcome = Outcome("evaluate", path).exits(2)
        assert outcome.out == "", outcome.out
        return outcome.says(f"{path}: {line}")


def test_a_scenario_that_fits_exits_0():
    outcome = Outcome("evaluate", "-", text=FITS).exits(0)
    assert "Fits" in outcome.out and "activations" in outcome.out
    assert outcome.err == "", outcome.err


def test_a_scenario_that_does_not_fit_exits_1_and_is_a_result_not_an_error():
    outcome = Outcome("evaluate", "-", text=TOO_LARGE).exits(1)
    assert "Does not fit" in outcome.out
    assert outcome.err == "", outcome.err


def test_an_unknown_field_is_named_with_the_one_that_was_meant():
    refused('{"parallel": {"tensr": 8}}', 'parallel.tensr: unknown field (did you mean "tensor"?)')


def test_a_negative_count_is_refused_with_the_range():
    refused('{"cluster": {"gpus": -8}}', "cluster.gpus: -8 is out of range (use 1.00 to 1.68e+07)")


def test_seven_gpus_with_tensor_8_is_refused_with_the_nearest_count_that_works():
    refused('{"cluster": {"gpus": 7}, "parallel": {"tensor": 8}}',
            "cluster.gpus: 7 GPUs do not divide by tensor 8 x context 1 x pipeline 1 = 8 (use 8 GPUs)")


def test_every_fault_of_a_file_is_printed():
    refused('{"parallel": {"tensr": 8, "zero": 9}, "modle": 1}', 'modle: unknown field (did you mean "model"?)').mentions("parallel.tensr: ", "parallel.zero: ")


def test_an_empty_file_is_refused():
    refused("", 'the file is empty (a scenario starts with {"schema": "ringside.scenario/1", ...})')


def test_a_file_that_is_not_json_is_refused_with_line_and_column():
    refused('{"model": }', "not JSON: parse error at line 1, column 11: syntax error while parsing value - unexpected '}'; "
            "expected '[', '{', or a literal (check commas, quotes and brackets there)")


def test_a_file_of_100_mb_is_refused_without_being_read():
    with folder() as where:
        path = pathlib.Path(where) / "large.json"
        with open(path, "wb") as file:
            file.truncate(100_000_000)
        for command in ("evaluate", "validate", "check"):
            outcome = Outcome(command, path).exits(2)
            outcome.says(f"{path}: 100 MB is more than the 16.0 MiB that are read (a scenario has a few hundred bytes)")
            assert outcome.seconds < 5, outcome.seconds


def test_endless_standard_input_is_refused_at_the_limit():
    Outcome("evaluate", "-", text=" " * (17 << 20)).exits(2).mentions("-: more than the 16.0 MiB that are read")


def test_a_missing_file_and_a_folder_are_bad_input():
    with folder() as where:
        missing = pathlib.Path(where) / "missing.json"
        for command in ("evaluate", "validate", "check"):
            Outcome(command, missing).exits(2).mentions(f"{missing}: could not be read: No such file or directory")
            Outcome(command, where).exits(2).says(f"{where}: is a folder (give a file)")


def test_json_is_one_document_on_stdout_and_nothing_on_stderr():
    for arguments in (["evaluate", DEFAULT], ["validate", SOURCE / "tests/data/b200_memory_cases.json"], ["check"], ["check", DEFAULT]):
        outcome = Outcome(*arguments, "--json").exits(0)
        assert outcome.err == "", outcome.err
        assert isinstance(json.loads(outcome.out), dict)


def test_the_parts_of_the_json_report_add_up_to_the_total():
    report = json.loads(Outcome("evaluate", DEFAULT, "--json").exits(0).out)
    metrics = report["metrics"]
    parts = ("weights", "gradients", "momentum", "variance", "master_weights", "activations", "buffers")
    assert sum(metrics[f"memory.{part}_bytes"] for part in parts) == metrics["memory.total_bytes"]
    assert metrics["memory.fits"] is True
    assert max(stage["total_bytes"] for stage in report["memory"]["stages"]) == metrics["memory.total_bytes"]


def test_a_scenario_may_come_from_standard_input():
    from_file = Outcome("evaluate", DEFAULT, "--json").exits(0).out
    assert Outcome("evaluate", "-", "--json", text=DEFAULT.read_text()).exits(0).out == from_file
    Outcome("evaluate", "-", text="").exits(2).mentions("-: the file is empty")


def test_set_changes_one_field_and_may_be_given_again():
    def total(*sets):
        return json.loads(Outcome("evaluate", "-", "--json", *sets, text=FITS).out)["metrics"]["memory.weights_bytes"]
    assert total("--set", "parallel.tensor=4") > total()
    assert total("--set", "parallel.tensor=4", "--set", "model.layers=1") < total()
    assert total("--set", "model=llama-3.2-1b") < total()


def test_set_works_on_a_scenario_without_sections():
    Outcome("evaluate", "-", "--json", "--set", "parallel.tensor=8", "--set", "cluster.gpus=512", text="{}").exits(1)


def test_a_wrong_assignment_is_refused():
    Outcome("evaluate", "-", "--set", "parallel.tensr=4", text=FITS).exits(2).mentions('parallel.tensr: unknown field (did you mean "tensor"?)')
    Outcome("evaluate", "-", "--set", "parallel.tensor", text=FITS).exits(2).mentions("--set parallel.tensor has no value")
    Outcome("evaluate", "-", "--set", "parallel.tensor=7", text=FITS).exits(2).mentions("parallel.tensor: 7 does not divide 32 heads")
    Outcome("evaluate", "-", "--set", "parallel.tensor=" + "[" * 60000 + "]" * 60000, text=FITS).exits(2).mentions("parallel.tensor: ")


def test_the_number_of_another_tool_is_one_json_document():
    for convention in ("megatron", "deepspeed-zero2", "deepspeed-zero3", "zero-paper"):
        outcome = Outcome("evaluate", "-", "--convention", convention, "--json", text=FITS).exits(0)
        assert json.loads(outcome.out)["convention"] == convention
    Outcome("evaluate", "-", "--convention", "abacus", text=FITS).exits(2).mentions("--convention")


def cases(tolerance):
    return json.dumps({"schema": "ringside.cases/1", "cases": [
        {"name": "ten times off", "scenario": json.loads(FITS), "expect": {"model.parameters": 80302612480}, "tolerance": {"model.parameters": tolerance}}]})


def test_validate_exits_1_when_a_tolerance_is_exceeded_and_0_within_it():
    outcome = Outcome("validate", "-", text=cases(0.1)).exits(1)
    assert "ten times off" in outcome.out and "outside its tolerance" in outcome.out
    Outcome("validate", "-", text=cases(0.95)).exits(0)
    row = json.loads(Outcome("validate", "-", "--json", text=cases(0.1)).exits(1).out)["rows"][0]
    assert abs(row["error"] + 0.9) < 1e-9 and row["got"] == 8030261248, row


def test_faulty_cases_are_bad_input_with_the_path_of_each():
    Outcome("validate", "-", text="[]").exits(2).mentions('-: schema: these are not cases this version reads (use "ringside.cases/1")')
    text = json.dumps({"schema": "ringside.cases/1", "cases": [
        {"scenario": {"parallel": {"tensr": 1}}, "expect": {}}, {"scenario": {}, "expect": {"memory.totl_bytes": 1}}, 7, {"scenario": {}, "expect": {"memory.total_bytes": "much"}},
        {"scenario": json.loads(FITS), "expect": {"memory.total_bytes": 1}, "tolerance": {"memory.total_bytes": -1}}]})
    Outcome("validate", "-", text=text).exits(2).mentions("cases[0].scenario.parallel.tensr: unknown field", 'cases[1].expect.memory.totl_bytes: unknown metric (did you mean "memory.total_bytes"?)',
                                                          "cases[2]: needs a scenario", "cases[3].expect.memory.total_bytes: ", "cases[4].tolerance.memory.total_bytes: ")


def test_check_names_every_faulty_preset_with_file_and_path():
    with folder() as where:
        assets = pathlib.Path(where) / "assets"
        shutil.copytree(SOURCE / "assets", assets)

        def change(name, **fields):
            path = assets / name
            path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))

        change("models/gpt-2-124m.json", shape=[])
        change("models/llama-2-7b.json", published_parameters="many")
        change("gpus/l4.json", memory_gb="24", note=7)
        change("gpus/l40s.json", memory_gb="48")
        change("models/llama-3.1-8b.json", published_parameters=8030261249)
        mi300 = json.loads((assets / "gpus/mi300x.json").read_text())
        del mi300["bf16_tflops"]
        (assets / "gpus/mi300x.json").write_text(json.dumps(mi300))
        change("clusters/dgx-2.json", gpus=None, gpu=3)
        change("scenarios/default.json", parallel=[1])
        (assets / "gpus/a40.json").write_text("")
        (assets / "models/phi-4.json").write_text("[1]")
        outcome = Outcome("--assets", assets, "check").exits(1)
        outcome.mentions("models/gpt-2-124m.json: shape: ", "models/llama-2-7b.json: published_parameters: ", "gpus/l4.json: note: ", 'gpus/l40s.json: memory_gb: "48" is not a number',
                         "clusters/dgx-2.json: gpu: ", "scenarios/default.json: parallel: ", "gpus/a40.json: the file is empty", "gpus/mi300x.json: bf16_tflops: is missing",
                         "models/llama-3.1-8b.json: published_parameters: 8030261249 were published, the shape has 8030261248", "models/phi-4.json: not an object")
        assert outcome.out.rstrip().endswith("faults"), outcome.out
        # The rest still works: one bad file never hides the others.
        Outcome("--assets", assets, "evaluate", "-", text=FITS).exits(0)


def test_check_names_the_faults_of_a_scenario_file():
    with folder() as where:
        bad = written(where, "bad.json", '{"cluster": {"gpus": 7}, "parallel": {"tensor": 8}}')
        Outcome("check", DEFAULT, bad).exits(1).mentions(f"{bad}: cluster.gpus: 7 GPUs do not divide")
        Outcome("check", DEFAULT).exits(0)


def test_a_folder_without_presets_is_bad_input():
    with folder() as where:
        Outcome("--assets", where, "check").exits(2).says(f"--assets: {where} has no folder models (give the folder that holds models, gpus and clusters)")


def test_schedule_prints_orders_times_and_bubble_as_json():
    got = json.loads(Outcome("schedule", "--kind", "1f1b", "--stages", 4, "--micro-batches", 8, "--json").exits(0).out)
    assert got["ranks"][3][:4] == ["3F0", "3B0", "3F1", "3B1"], got["ranks"][3]
    assert got["makespan"] == 33 and abs(got["bubble_of_total"] - 3 / 11) < 1e-12 and abs(got["bubble_over_ideal"] - 3 / 8) < 1e-12
    assert got["peak_in_flight"] == [4, 3, 2, 1]
    assert len(got["events"]) == 2 * 4 * 8 and set(got["events"][0]) == {"rank", "op", "stage", "micro_batch", "start", "end"}


def test_schedule_writes_a_picture_and_a_trace():
    with folder() as where:
        svg, trace = pathlib.Path(where) / "s.svg", pathlib.Path(where) / "t.json"
        Outcome("schedule", "--kind", "interleaved", "--chunks", 2, "--svg", svg, "--chrome-trace", trace).exits(0)
        assert xml.etree.ElementTree.parse(svg).getroot().tag.endswith("svg")
        events = json.loads(trace.read_text())["traceEvents"]
        assert sum(e["ph"] == "X" for e in events) == 2 * 4 * 8 * 2 and all(e["dur"] > 0 for e in events if e["ph"] == "X")


def test_schedule_refuses_what_cannot_run_and_says_what_would():
    Outcome("schedule", "--kind", "1f2b", "--stages", 0).exits(2).says("--kind: there is no schedule “1f2b” (did you mean 1f1b?)").says(
        "--stages: 0 is not a count (use 1 or more)")
    Outcome("schedule", "--kind", "interleaved", "--micro-batches", 7, "--chunks", 2).exits(2)
    Outcome("schedule", "--forward", "nan").exits(2).mentions("--forward")
    Outcome("schedule", "--micro-batches", 100000000).exits(2).mentions("at most")
    Outcome("schedule", "--svg", "/nowhere/else/s.svg" if os.getuid() else "/proc/s.svg").exits(2)


def test_help_is_on_every_command():
    assert "evaluate" in Outcome("--help").exits(0).out
    for command in ("evaluate", "validate", "check", "schedule", "picture", "bench"):
        outcome = Outcome(command, "--help").exits(0)
        assert "--json" in outcome.out and "Usage" in outcome.out, outcome.out
        assert outcome.err == "", outcome.err


def test_misuse_is_bad_input_and_says_what_was_wrong():
    for arguments in (["frobnicate"], ["evaluate"], ["validate"], ["evaluate", DEFAULT, "--frobnicate"], ["evaluate", DEFAULT, "--set"], ["evaluate", DEFAULT, DEFAULT]):
        outcome = Outcome(*arguments).exits(2)
        assert outcome.err != "" and outcome.out == "", (arguments, outcome.out)


def test_no_input_file_is_ever_changed():
    before = DEFAULT.read_bytes()
    with folder() as where:
        copy = written(where, "copy.json", before.decode())
        for arguments in (["evaluate", copy], ["evaluate", copy, "--set", "parallel.tensor=4"], ["check", copy], ["validate", copy]):
            Outcome(*arguments)
        assert copy.read_bytes() == before
        assert [entry.name for entry in pathlib.Path(where).iterdir()] == ["copy.json"]


def main():
    tests = {name: value for name, value in globals().items() if name.startswith("test_")}
    for name in sys.argv[3:] or tests:
        tests[name]()
        print("passed:", name)


main()
