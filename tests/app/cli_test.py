"""The command line as others see it: exit status, stdout and stderr of the real program.

usage: cli_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from script import run_tests

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
DEFAULT = SOURCE / "assets/scenarios/default.json"
FITS = '{"model": "llama-3.1-8b", "cluster": {"gpus": 8}, "parallel": {"tensor": 8, "sequence_parallel": true}, "training": {"global_batch": 8}}'
TOO_LARGE = '{"model": "llama-3.1-405b", "cluster": {"gpus": 1}, "training": {"global_batch": 1}}'


class Outcome:
    def __init__(self, *arguments, text=None, timeout=300):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        done = subprocess.run([RINGSIDE, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=timeout, env=environment)
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
    refused('{"cluster": {"gpus": -8}}', "cluster.gpus: -8 is out of range (use 1 to 16,777,216)")


def test_seven_gpus_with_tensor_8_is_refused_with_the_nearest_count_that_works():
    refused('{"cluster": {"gpus": 7}, "parallel": {"tensor": 8}}',
            "cluster.gpus: 7 GPUs do not divide by tensor 8 x context 1 x pipeline 1 = 8 (use one of 8, 16, 32, 64, 128)")


def test_every_fault_of_a_file_is_printed():
    refused('{"parallel": {"tensr": 8, "zero": 9}, "modle": 1}', 'modle: unknown field (did you mean "model"?)').mentions("parallel.tensr: ", "parallel.zero: ")


def test_an_empty_file_is_refused():
    refused("", 'the file is empty (JSON starts with { and ends with })')


def test_a_file_that_is_not_json_is_refused_with_line_and_column():
    refused('{"model": }', "not JSON: parse error at line 1, column 11: syntax error while parsing value - unexpected '}'; "
            "expected '[', '{', or a literal (check commas, quotes and brackets there)")


def test_a_file_of_100_mb_is_refused():
    with folder() as where:
        path = pathlib.Path(where) / "large.json"
        with open(path, "wb") as file:
            file.truncate(100_000_000)
        for command in ("evaluate", "validate", "check"):
            outcome = Outcome(command, path).exits(2)
            outcome.says(f"{path}: 100 MB is more than the 16.0 MiB that are read (give a smaller file)")


def test_endless_standard_input_is_refused_at_the_limit():
    Outcome("evaluate", "-", text=" " * (17 << 20)).exits(2).mentions("-: more than the 16.0 MiB that are read")


def test_a_missing_file_and_a_folder_are_bad_input():
    with folder() as where:
        missing = pathlib.Path(where) / "missing.json"
        for command in ("evaluate", "validate", "check"):
            Outcome(command, missing).exits(2).mentions(f"{missing}: could not be read: No such file or directory")
            Outcome(command, where).exits(2).says(f"{where}: is a folder (give a file)")


def test_json_is_one_document_on_stdout_and_nothing_on_stderr():
    for arguments in (["evaluate", DEFAULT], ["validate", SOURCE / "tests/data/b200_memory_cases.json"], ["check", "--seeds", "1"], ["check", "--seeds", "1", DEFAULT]):
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


def test_a_link_says_what_differs_and_takes_the_place_of_a_file():
    link = Outcome("link", "--scenario", DEFAULT, "--set", "parallel.zero=3", "--view", "memory").exits(0).out.strip()
    assert link == "ringside:#v=memory&s=default;parallel.zero=3", link
    changed = Outcome("evaluate", DEFAULT, "--set", "parallel.zero=3", "--json")
    assert Outcome("evaluate", link, "--json").exits(changed.code).out == changed.out
    page = Outcome("link", "--lesson", "zero/2", "--page", "https://course.example/", "--embed").exits(0).out.strip()
    assert page == "https://course.example/#l=zero/2&embed", page
    asked = json.loads(Outcome("link", "--question", "3d-degrees/gpus", "--seed", 7, "--json").exits(0).out)
    assert asked == {"link": "ringside:#q=3d-degrees/gpus.7"}, asked


def test_what_is_wrong_with_a_link_is_bad_input():
    Outcome("link").exits(2).mentions("link: ")
    Outcome("link", "--view", "memry", "--lesson", "zero/99", "--question", "none").exits(2).mentions("--view: ", "--lesson: ", "--question: ")
    Outcome("evaluate", "#s=default;parallel.tensr=4;parallel.zero=9").exits(2).mentions("parallel.tensr", "parallel.zero")
    Outcome("evaluate", "#v=memory").exits(2).mentions("s: is missing")


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
    Outcome("validate", "-", text="[]").exits(2).mentions("-: [] is not an object")
    text = json.dumps({"schema": "ringside.cases/1", "cases": [
        {"scenario": {"parallel": {"tensr": 1}}, "expect": {}}, {"scenario": {}, "expect": {"memory.totl_bytes": 1}}, 7, {"scenario": {}, "expect": {"memory.total_bytes": "much"}},
        {"scenario": json.loads(FITS), "expect": {"memory.total_bytes": 1}, "tolerance": {"memory.total_bytes": -1}}]})
    Outcome("validate", "-", text=text).exits(2).mentions("cases[0].scenario.parallel.tensr: unknown field", 'cases[1].expect.memory.totl_bytes: unknown metric (did you mean "memory.total_bytes"?)',
                                                          "cases[2]: needs a scenario", "cases[3].expect.memory.total_bytes: ", "cases[4].tolerance.memory.total_bytes: ")


def one_case(expect, **more):
    document = {key: more.pop(key) for key in ("set", "weight") if key in more}
    return json.dumps({"schema": "ringside.cases/1", **document, "cases": [{"scenario": json.loads(FITS), "expect": expect, **more}]})


def test_cases_that_would_check_nothing_or_print_no_number_are_refused():
    step = {"step.time_s": 1}
    for text, line in ((one_case({}), "cases[0]: needs a scenario and the figures to expect"), ('{"schema": "ringside.cases/1", "cases": []}', "cases: "),
                       (one_case({"step.time_s": 1e-320}), "cases[0].expect.step.time_s: "), (one_case({"step.time_s": 0}), "cases[0].expect.step.time_s: 0 is no plausible time"),
                       (one_case(step, tolerance={"step.tim_s": 1}), 'cases[0].tolerance.step.tim_s: unknown metric (did you mean "step.time_s"?)'),
                       (one_case(step, weight=-5), "weight: -5 "), (one_case(step, weight="x"), 'weight: "x" '), (one_case(step, set=7), "set: 7 "),
                       (one_case(step, name=7), "cases[0].name: 7 "), (one_case(step, group=None), "cases[0].group: null ")):
        for command in ("validate", "calibrate"):
            Outcome(command, "-", text=text).exits(2).mentions("-: " + line)
    with folder() as where:
        picture = pathlib.Path(where) / "picture.png"
        numbered = written(where, "numbered.json", one_case(step, group=5))
        Outcome("picture", "--view", "measured", "--measured", numbered, "-o", picture).exits(2).mentions("cases[0].group: 5 is not text")
        empty, good = written(where, "empty.json", "[]"), written(where, "good.json", one_case(step))
        Outcome("validate", empty, good).exits(2).mentions("empty.json: [] is not an object")


def test_a_figure_of_0_has_a_difference_and_no_percentage():
    out = Outcome("validate", "-", text=one_case({"model.parameters": 0})).exits(0).out
    assert "+8.03e+09 (from 0)" in out and "%" not in out, out
    row = json.loads(Outcome("validate", "-", "--json", text=one_case({"model.parameters": 0})).exits(0).out)["rows"][0]
    assert row["error"] is None and row["difference"] == 8030261248, row
    assert "inf" not in out and "nan" not in out, out


STEPS = SOURCE / "tests/data/step"


def test_several_files_of_cases_are_one_list_and_markdown_has_a_table_for_each():
    files = [STEPS / "korthikanti-table-5.json", STEPS / "megascale-megatron.json"]
    got = json.loads(Outcome("validate", *files, "--json").exits(0).out)
    assert got["metrics"]["step.time_s"]["n"] == 12 and len(got["rows"]) == 12, got["metrics"]
    text = Outcome("validate", *files, "--markdown").exits(0).out
    assert "## korthikanti-table-5" in text and "## megascale-megatron" in text and text.count("\n| ") >= 14, text


def test_the_parts_of_a_step_add_up_exactly():
    got = json.loads(Outcome("evaluate", DEFAULT, "--json").exits(0).out)
    step = got["step"]
    parts = sum(step[name] for name in ("compute_s", "bubble_s", "tensor_comm_s", "context_comm_s", "expert_comm_s", "pipeline_comm_s", "data_comm_exposed_s", "optimizer_s"))
    assert parts == step["time_s"] > 0, step
    assert sum(part["seconds"] for part in step["waterfall"]) == step["time_s"], step
    assert 0 < step["mfu"] <= step["hfu"] < 1 and got["run"]["days"] > 0, step


def test_calibrate_fits_and_says_what_it_left_out():
    steps = STEPS / "simumax-b200.json"
    got = json.loads(Outcome("calibrate", steps, "--constants", "gemm_efficiency,hbm_efficiency", "--leave-out", "--json").exits(0).out)
    assert set(got["constants"]) == {"gemm_efficiency", "hbm_efficiency"}, got
    assert got["sets"][0]["n"] == 21 and 0 < got["sets"][0]["mean"] < got["sets"][0]["mean_left_out"] < 0.1, got
    Outcome("calibrate", steps, "--constants", "gem_efficiency").exits(2).mentions("gem_efficiency: no constant of a calibration")
    Outcome("calibrate", "-", text=cases(1)).exits(2).mentions("no row expects a step.time_s")
    assert "| gemm_efficiency |" in Outcome("calibrate", steps, "--markdown").exits(0).out


def test_calibrate_takes_a_table_of_measured_steps():
    evaluated = json.loads(Outcome("evaluate", DEFAULT, "--json", "--set", "training.micro_batch=2").exits(0).out)
    with folder() as where:
        table = written(where, "mine.csv", f"name,micro_batch,step_time_s\nbase,2,{evaluated['step']['time_s'] * 1.1}\n")
        got = json.loads(Outcome("calibrate", table, "--scenario", DEFAULT, "--constants", "gemm_efficiency", "--json").exits(0).out)
        assert got["rows"][0]["name"] == "base" and got["sets"][0]["set"] == "mine", got
        assert abs(got["rows"][0]["error_before"] + 1 - 1 / 1.1) < 1e-6 and abs(got["rows"][0]["error"]) < 1e-3, got
        faulty = written(where, "faulty.csv", "tensr,step_time_s\n8,1\n")
        Outcome("calibrate", faulty).exits(2).mentions("column tensr", "did you mean")
        timeless = written(where, "timeless.csv", "gpus\n256\n")
        Outcome("calibrate", timeless).exits(2).mentions("0 columns say how long", "step_time_s")


def test_calibrate_leaves_nothing_out_of_a_single_group():
    with folder() as where:
        one = written(where, "one.csv", "micro_batch,step_time_s\n1,12\n2,12.5\n4,13\n")
        arguments = ("--scenario", DEFAULT, "--constants", "gemm_efficiency", "--leave-out")
        out = Outcome("calibrate", one, *arguments).exits(0).out
        assert "at least 2 groups are needed" in out and any(line.startswith("one ") and line.endswith(" -") for line in out.splitlines()), out
        assert json.loads(Outcome("calibrate", one, *arguments, "--json").exits(0).out)["sets"][0]["mean_left_out"] is None
        two = written(where, "two.csv", "group,micro_batch,step_time_s\na,1,12\nb,2,12.5\nc,4,13\n")
        assert json.loads(Outcome("calibrate", two, *arguments, "--json").exits(0).out)["sets"][0]["mean_left_out"] > 0


def test_calibrate_keeps_a_software_of_ones_own_that_every_command_knows():
    base = json.loads(Outcome("evaluate", DEFAULT, "--json").exits(0).out)["step"]["time_s"]
    with folder() as where:
        os.environ["XDG_DATA_HOME"] = str(where)
        try:
            steps = ""
            for micro, batch in ((1, 128), (2, 128), (1, 256)):
                run = json.loads(Outcome("evaluate", DEFAULT, "--json", "--set", f"training.micro_batch={micro}", f"training.global_batch={batch}").exits(0).out)
                steps += f"{micro} of {batch},{micro},{batch},{run['step']['time_s'] * 1.2}\n"
            table = written(where, "mine.csv", "name,micro_batch,global_batch,step_time_s\n" + steps)
            got = json.loads(Outcome("calibrate", table, "--scenario", DEFAULT, "--save", "my-stack", "--json").exits(0).out)
            assert got["mean"] < 0.02 and got["mean"] < got["mean_before"] and got["software"]["based_on"], got
            assert "on a step it has not seen" in got["says"], got
            scenario = json.loads(DEFAULT.read_text()) | {"software": "my-stack"}
            mine = json.loads(Outcome("evaluate", written(where, "mine.json", json.dumps(scenario)), "--json").exits(0).out)
            assert abs(mine["step"]["time_s"] / base - 1.2) < 0.1 and "of your own" in mine["step"]["evidence"], mine["step"]
            Outcome("calibrate", table, "--scenario", DEFAULT, "--save", "fsdp").exits(2).mentions("comes with the program")
        finally:
            del os.environ["XDG_DATA_HOME"]


def test_the_bands_text_says_what_its_json_says():
    for gpu in ("gb300", "mi300x", "rtx-4090"):
        text = Outcome("evaluate", DEFAULT, "--set", f"cluster.gpu={gpu}").out
        got = json.loads(Outcome("evaluate", DEFAULT, "--set", f"cluster.gpu={gpu}", "--json").out)
        assert got["step"]["evidence"] in text and got["memory"]["evidence"] in text, (text, got["step"]["evidence"])
        assert "80% of unseen" not in text
    Outcome("bench", "schedule", "--bands", "x").exits(2).mentions("computes no bands")


def test_calibrate_reads_a_decimal_comma():
    with folder() as where:
        table = written(where, "semicolons.csv", "tensor;micro_batch;step_time_s\n4;1;12,5\n4;2;12,0\n")
        got = json.loads(Outcome("calibrate", table, "--scenario", DEFAULT, "--constants", "gemm_efficiency", "--json").exits(0).out)
        assert [row["measured_s"] for row in got["rows"]] == [12.5, 12], got
        commas = written(where, "commas.csv", 'tensor,step_time_s\n4,"12,5"\n')
        Outcome("calibrate", commas).exits(2).mentions('commas.csv: line 2, step_time_s: "12,5" has a comma')
        bytes_of = pathlib.Path(where) / "latin.csv"
        bytes_of.write_bytes(b"name,step_time_s\nGr\xf6sse,12\n")
        Outcome("calibrate", bytes_of, "--json").exits(2).mentions("latin.csv: line 2: is not UTF-8")


def test_check_names_what_every_concept_has():
    concepts = json.loads(Outcome("check", "--json", "--seeds", "1").exits(0).out)["concepts"]
    inventory = json.loads((SOURCE / "assets/study/inventory.json").read_text(encoding="utf-8"))
    assert [concept["id"] for concept in concepts] == [concept["id"] for concept in inventory["concepts"]]
    for concept in concepts:
        assert concept["complete"] and concept["views"] and concept["families"] and concept["lessons"], concept
    text = Outcome("check", "--concepts", "--seeds", "1").exits(0).out
    assert all(f"\n{concept['id']} {concept['title']}\n" in text for concept in concepts), text


def test_the_counts_in_the_readme_are_those_that_check_prints():
    line = Outcome("check", "--seeds", "1").exits(0).out.splitlines()[0]
    counts = {noun: int(number) for number, noun in re.findall(r"(\d+) ([a-z ]+?)(?= \(|,|:)", line)}
    counts["misconceptions"] = counts["errata"]
    stated = re.findall(r"(\d+) (models|accelerators|clusters|lessons|question families|terms|misconceptions)\b", (SOURCE / "README.md").read_text(encoding="utf-8"))
    assert len(stated) >= 8, stated
    assert [(number, noun) for number, noun in stated if int(number) != counts[noun]] == [], (stated, counts)


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
        outcome = Outcome("--assets", assets, "check", "--seeds", "1").exits(1)
        outcome.mentions("models/gpt-2-124m.json: shape: ", "models/llama-2-7b.json: published_parameters: ", "gpus/l4.json: note: ", 'gpus/l40s.json: memory_gb: "48" is not a number',
                         "clusters/dgx-2.json: gpu: ", "scenarios/default.json: parallel: ", "gpus/a40.json: the file is empty", "gpus/mi300x.json: bf16_tflops: is missing",
                         "models/llama-3.1-8b.json: published_parameters: 8030261249 were published, the shape has 8030261248", "models/phi-4.json: [1] is not an object")
        assert outcome.out.splitlines()[0].endswith("faults"), outcome.out
        # The rest still works: one bad file never hides the others.
        Outcome("--assets", assets, "evaluate", "-", text=FITS).exits(0)


def test_check_names_the_faults_of_a_scenario_file():
    with folder() as where:
        bad = written(where, "bad.json", '{"cluster": {"gpus": 7}, "parallel": {"tensor": 8}}')
        Outcome("check", "--seeds", "1", DEFAULT, bad).exits(1).mentions(f"{bad}: cluster.gpus: 7 GPUs do not divide")
        Outcome("check", "--seeds", "1", DEFAULT).exits(0)


def test_a_folder_without_presets_is_bad_input():
    with folder() as where:
        Outcome("--assets", where, "check").exits(2).says(f"--assets: {where} has no folder models (give the folder that holds models, gpus and clusters)")


def schedule(*arguments, text=None):
    return Outcome("schedule", *arguments, text=text)


def schedule_json(*arguments, text=None):
    outcome = schedule(*arguments, "--json", text=text).exits(0)
    assert outcome.err == "", outcome.err
    return json.loads(outcome.out)


KINDS = ["naive", "gpipe", "1f1b", "interleaved", "looped-bfs", "interleaved-zb", "zb-h1", "zb-h2", "zb-v", "v-half", "v-min", "dualpipe", "dualpipev"]


def collective(*arguments):
    return Outcome("collective", *arguments)


def test_collective_prints_every_step_and_its_cost():
    got = json.loads(collective("--kind", "all-reduce", "--algorithm", "ring", "--ranks", 4, "--bytes", 4e9,
                                "--latency-us", 10, "--bandwidth-gb-per-s", 100, "--json").exits(0).out)
    assert len(got["steps"]) == 6 and got["chunks"] == 4
    assert got["steps"][0]["phase"] == "reduce-scatter" and got["steps"][5]["phase"] == "all-gather"
    assert {"from": 0, "to": 1, "chunk": 0, "adds": True} in got["steps"][0]["transfers"]
    # 2 (N-1) alpha + 2 (N-1)/N S / B
    assert abs(got["cost"]["time_s"] - (6 * 10e-6 + 1.5 * 4e9 / 100e9)) < 1e-12
    assert got["cost"]["sent_per_rank_bytes"] == 6e9
    assert abs(got["cost"]["bus_bandwidth_gb_per_s"] - 6 / got["cost"]["time_s"]) < 1e-9


def test_collective_of_thousands_of_ranks_is_costed_without_its_steps():
    got = json.loads(collective("--ranks", 16384, "--algorithm", "hierarchical", "--json").exits(0).out)
    assert got["steps"] is None and got["cost"]["steps"] == 2 * (7 + 2047)


def test_collective_compares_all_algorithms_that_fit():
    rows = json.loads(collective("--kind", "all-to-all", "--algorithm", "all", "--json").exits(0).out)["algorithms"]
    assert [row["algorithm"] for row in rows] == ["naive", "ring", "bruck", "hierarchical"]
    table = collective("--algorithm", "all").exits(0).out
    assert "Double tree" in table and "GB/s" in table, table


def test_collective_names_the_option_and_what_would_work():
    collective("--kind", "allreduce").exits(2).mentions("--kind: ", "did you mean all-reduce?")
    collective("--kind", "all-to-all", "--algorithm", "tree").exits(2).mentions("--algorithm: all-to-all has no tree", "naive, ring")
    collective("--algorithm", "hierarchical", "--ranks", 12).exits(2).mentions("--ranks: ", "use 8 or 16")
    collective("--bytes", "nan").exits(2).mentions("--bytes: ")
    collective("--fabric", "nvlink9").exits(2).mentions("--fabric: ")


def test_collective_of_send_recv_takes_its_two_ranks_and_its_only_algorithm():
    assert "send-recv over 2 ranks" in collective("--kind", "send-recv").exits(0).out
    compared = json.loads(collective("--kind", "send-recv", "--algorithm", "all", "--json").exits(0).out)["algorithms"]
    assert [row["ranks"] for row in compared] == [2], compared
    for ranks in (8, 100):
        for algorithm in ("naive", "all"):
            outcome = collective("--kind", "send-recv", "--ranks", ranks, "--algorithm", algorithm).exits(2).mentions(f"--ranks: {ranks} is out of range (use 2)")
            assert outcome.out == "", outcome.out
    collective("--kind", "send-recv", "--algorithm", "ring").exits(2).says("--algorithm: send-recv has no ring algorithm (use one of naive)")


def test_misspelt_words_are_named_in_order_with_those_that_were_meant():
    Outcome("evaalute", "x").exits(2).says("evaalute: ringside has no such command (did you mean evaluate?)")
    Outcome("question", "shw", "x").exits(2).says("shw: ringside question has no such command (did you mean show?)")
    Outcome("question").exits(2).mentions("ringside question: needs a command", "list", "answer")
    Outcome("evaluate", "x", "--jsn").exits(2).says("--jsn: ringside evaluate has no such option (did you mean --json?)")
    both = schedule("--jsn", "--chunkz", 3).exits(2).err
    assert both.index("--jsn") < both.index("--chunkz") and "did you mean --chunks?" in both, both
    Outcome("evaluate", "a", "b").exits(2).mentions("b: is one argument more than ringside evaluate takes")
    Outcome("--json", "evaluate", "a").exits(2).says("--json: ringside itself has no such option (give it after the command, as in ringside evaluate --json)")
    Outcome("evaluate", "a", "--assets", "b").exits(2).mentions("--assets: ", "before the command")


def test_a_value_of_another_type_is_refused_with_the_type_that_works():
    for option, value, says in (("--bytes", "1GB", "“1GB” is not a number (give a number: 1000000000)"), ("--ranks", "1e3", "“1e3” is not a whole number (give a whole number: 1000)"),
                                ("--ranks", "4.5", "“4.5” is not a whole number (give a whole number)"), ("--bytes", "many", "“many” is not a number (give a number)")):
        collective(option, value).exits(2).says(f"{option}: {says}")
    schedule("--stage-weights", "1,x").exits(2).mentions("--stage-weights: ", "a number for each, with commas between")


def test_every_kind_of_misuse_is_told_in_our_own_words():
    Outcome("evaluate", "--json").exits(2).says("FILE: is missing (ringside evaluate --help has all options)")
    Outcome("evaluate", "x", "--json", "--csv").exits(2).mentions(" cannot be given together with --", "(leave one of them out)")
    collective("--bytes").exits(2).mentions("--bytes: has no value (give one after it; ringside collective --help has all options)")
    collective("--bytes", 1, "--bytes", 2).exits(2).says("--bytes: is given more than once (give it once)")
    collective("--ranks", 0).exits(2).mentions("--ranks: 0 is out of range (use ")


def test_check_reads_every_file_that_ships_by_its_schema():
    files = [path for kind in ("models", "gpus", "clusters", "scenarios", "demos", "study") for path in sorted((SOURCE / "assets" / kind).glob("*.json"))[:3]]
    files += [*(SOURCE / "assets/study").glob("*.json"), SOURCE / "assets/questions/memory/memory.json", SOURCE / "lessons/course.json", *sorted((SOURCE / "lessons").glob("*/*.json"))[-2:]]
    outcome = Outcome("check", "--seeds", 1, *files).exits(0)
    assert outcome.err == "", outcome.err


def test_check_names_the_faults_of_any_kind_of_file():
    def changed(where, name, change):
        path = SOURCE / name
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document)
        return written(where, path.name, json.dumps(document))

    with folder() as where:
        for name, change, fault in (
                ("assets/models/gpt-2-124m.json", lambda d: d.update(published_parameters=7), "published_parameters: 7 were published"),
                ("assets/gpus/l4.json", lambda d: d.update(memory_gb="24"), "memory_gb: "),
                ("assets/clusters/dgx-2.json", lambda d: d.update(gpu="x9"), 'gpu: there is no preset "x9"'),
                ("assets/study/glossary.json", lambda d: d["terms"][0].update(view="kitchen"), "kitchen"),
                ("assets/questions/memory/memory.json", lambda d: d["families"][0]["variants"][0].update(errata=["E71"]), 'errata: there is no "E71"'),
                ("lessons/pipeline/bubble.json", lambda d: d.update(prerequisites=["bubble"]), 'prerequisites: "bubble" is this lesson itself'),
                ("lessons/pipeline/bubble.json", lambda d: d.update(prerequisites=["memry"]), 'prerequisites: there is no lesson "memry" (did you mean "memory"?)')):
            path = changed(where, name, change)
            outcome = Outcome("check", "--seeds", 1, path).exits(1)
            assert any(line.startswith(f"{path}: ") and fault in line for line in outcome.err.splitlines()), (fault, outcome.err)
        for schema in ("ringside.scenario/2", "kitchen", 3):
            path = written(where, "unknown.json", json.dumps({"schema": schema, "x": 1}))
            lines = Outcome("check", "--seeds", 1, path).exits(1).err.splitlines()
            assert len(lines) == 1 and "is not read by this version" in lines[0] and "ringside.lesson/1" in lines[0] and "ringside.questions/1" in lines[0], lines


def test_collective_on_a_fabric_takes_as_long_as_was_measured():
    got = json.loads(collective("--fabric", "nvlink4", "--bytes", 17179869184, "--json").exits(0).out)
    assert abs(got["cost"]["bus_bandwidth_gb_per_s"] / 367.61 - 1) < 0.02


SEARCHED = {"schema": "ringside.scenario/1", "model": "llama-2-7b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 16, "gpus_per_node": 8},
            "training": {"sequence_length": 4096, "global_batch": 32}}


def test_search_ranks_layouts_and_says_why_the_rest_fell_out():
    got = json.loads(Outcome("search", "-", "--top", 3, "--json", text=json.dumps(SEARCHED)).exits(0).out)
    assert set(got) >= {"tried", "legal", "fit", "rejected", "layouts"} and len(got["layouts"]) == 3
    assert got["tried"] == got["legal"] + sum(n for why, n in got["rejected"].items() if why != "does not fit")
    assert got["legal"] == got["fit"] + got["rejected"]["does not fit"]
    times = [layout["estimate"]["step.time_s"] for layout in got["layouts"]]
    assert times == sorted(times)
    for layout in got["layouts"]:
        assert layout["metrics"]["memory.fits"] == 1
        assert abs(layout["metrics"]["step.time_s"] / layout["estimate"]["step.time_s"] - 1) < 0.05


def test_search_by_memory_finds_less_memory_and_by_cost_fewer_gpu_seconds():
    def best(objective):
        return json.loads(Outcome("search", "-", "--top", 1, "--objective", objective, "--json", text=json.dumps(SEARCHED)).exits(0).out)["layouts"][0]
    fast, small, cheap = best("step_time"), best("memory"), best("cost")
    assert small["estimate"]["memory.total_bytes"] < fast["estimate"]["memory.total_bytes"]
    assert small["estimate"]["step.time_s"] >= fast["estimate"]["step.time_s"]
    assert cheap["gpus"] * cheap["estimate"]["step.time_s"] <= fast["gpus"] * fast["estimate"]["step.time_s"]


def test_search_of_what_fits_nowhere_says_no_and_bad_words_are_named():
    large = dict(SEARCHED, model="llama-3.1-405b", cluster=dict(SEARCHED["cluster"], gpus=8))
    assert "Nothing fits" in Outcome("search", "-", text=json.dumps(large)).exits(1).out
    Outcome("search", "-", "--objective", "joy", text=json.dumps(SEARCHED)).exits(2).mentions("--objective: ", "step_time")
    Outcome("search", "-", "--forbid", "zero9", text=json.dumps(SEARCHED)).exits(2).mentions("--forbid: ", "zero3")
    Outcome("search", "-", "--top", 0, text=json.dumps(SEARCHED)).exits(2).mentions("--top: ")


def test_search_keeps_what_is_fixed_and_names_what_cannot_be():
    text = json.dumps(dict(SEARCHED, parallel={"tensor": 2, "pipeline": 2}))
    got = json.loads(Outcome("search", "-", "--top", 20, "--fix", "parallel.tensor", "parallel.pipeline", "--json", text=text).exits(0).out)
    assert {(l["parallel"]["tensor"], l["parallel"]["pipeline"]) for l in got["layouts"]} == {(2, 2)}
    assert got["layouts"][0]["equals_best"] and got["simplest_equal"]["parallel"]["tensor"] == 2
    Outcome("search", "-", "--fix", "parallel.tenso", text=text).exits(2).mentions("--fix: ", "parallel.tensor")


def test_rent_prints_the_frontier_of_days_and_dollars():
    run = dict(SEARCHED, training={"sequence_length": 4096, "global_batch": 256, "tokens": 1e12})
    rent = lambda *more, most=64: Outcome("rent", "-", "--most-gpus", most, *more, text=json.dumps(run))
    got = json.loads(rent("--json").exits(0).out)
    assert len({offer["cluster"] for offer in got["offers"]}) >= 4
    costs = [offer["usd"] for offer in got["offers"]]
    assert costs == sorted(costs) and got["cheapest"]["usd"] == costs[0]
    assert got["fastest"]["run.wall_days"] == min(offer["run.wall_days"] for offer in got["offers"])
    assert got["fewest_gpus"]["gpus"] == min(offer["gpus"] for offer in got["offers"])
    deadline = got["fastest"]["run.wall_days"] * 1.01
    within = json.loads(rent("--deadline-days", deadline, "--json").exits(0).out)
    assert within["cheapest"]["run.wall_days"] <= deadline and len(within["offers"]) < len(got["offers"])
    free = json.loads(rent("--price", "gb200-nvl72=0.01", "--json", most=72).exits(0).out)
    assert free["cheapest"]["cluster"] == "gb200-nvl72"
    assert "nothing meets" in rent("--budget-usd", 1).exits(1).out
    assert "USD/GPU-h" in rent().exits(0).out


def test_measure_prints_a_machine_that_an_accelerator_is_made_of():
    assert "GFLOP/s, memory" in Outcome("measure", "--device", "cpu").exits(0).out
    document = json.loads(Outcome("measure", "--device", "cpu", "--json").exits(0).out)
    machine = document["machines"][0]
    assert document["schema"] == "ringside.machines/1" and machine["own"] and len(machine["date"]) == 10
    copies = [point for point in machine["points"] if point["flops"] == 0]
    assert len(copies) > 2 and len(machine["points"]) - len(copies) > 3
    Outcome("measure", "--device", "tpu").exits(2).mentions("--device", "cpu")


def test_rent_names_bad_prices_and_frameworks():
    text = json.dumps(SEARCHED)
    Outcome("rent", "-", "--price", "dgx-h10=2", text=text).exits(2).mentions("--price: ", "dgx-h100")
    Outcome("rent", "-", "--price", "dgx-h100", text=text).exits(2).mentions("--price: ", "dgx-h100=USD")
    Outcome("rent", "-", "--framework", "megatrom", text=text).exits(2).mentions("--framework: ", "megatron")


def test_search_for_a_framework_offers_what_it_runs_with_its_flags():
    got = json.loads(Outcome("search", "-", "--top", 5, "--framework", "megatron", "--json", text=json.dumps(SEARCHED)).exits(0).out)
    assert got["framework"] == "megatron" and got["rejected"]["framework cannot run it"] > 0
    for layout in got["layouts"]:
        assert layout["training"]["schedule"] in ("1f1b", "interleaved")
        assert any(flag["flag"] == "--tensor-model-parallel-size" for flag in layout["launch"])
    Outcome("search", "-", "--framework", "megatorn", text=json.dumps(SEARCHED)).exits(2).mentions("--framework: ", "megatron")


def test_search_begins_with_the_scenarios_own_framework_and_one_row_per_family():
    got = json.loads(Outcome("search", "-", "--top", 64, "--json", text=json.dumps(SEARCHED)).exits(0).out)
    assert got["framework"] == "megatron"  # of Megatron-Core, which H100s usually run
    assert "--framework any" in Outcome("search", "-", text=json.dumps(SEARCHED)).exits(0).out
    every = json.loads(Outcome("search", "-", "--top", 64, "--framework", "any", "--all-rows", "--json", text=json.dumps(SEARCHED)).exits(0).out)
    assert every["framework"] == "any" and every["legal"] > got["legal"]

    def family(layout):  # context parallelism and micro-batch scaled alike
        parallel, training = dict(layout["parallel"]), dict(layout["training"])
        return json.dumps([parallel.pop("context", 1) / training.pop("micro_batch", 1), parallel, training], sort_keys=True)
    assert len({family(layout) for layout in got["layouts"]}) == len(got["layouts"])
    assert len({family(layout) for layout in every["layouts"]}) < len(every["layouts"])


def test_rent_keeps_the_batch_when_asked_to_and_grows_it_otherwise():
    def batches(*more):
        got = json.loads(Outcome("rent", "-", "--most-gpus", 16, "--json", *more, text=json.dumps(SEARCHED)).exits(0).out)
        return {offer["training"]["global_batch"] for offer in got["offers"]}
    assert batches("--keep-batch") == {32}
    assert batches() == {1024}  # 4.19 M tokens; the critical batch is 4.68 M


def test_search_ranks_tight_layouts_behind_and_says_what_misses_need():
    roomy = json.loads(Outcome("search", "-", "--top", 64, "--json", text=json.dumps(SEARCHED)).exits(0).out)
    assert roomy["headroom"] == 0.08 and 0 <= roomy["tight"] <= roomy["fit"]
    verdicts = [layout["verdict"] for layout in roomy["layouts"]]
    assert verdicts == sorted(verdicts), verdicts  # "fits" before "tight"
    for layout in roomy["layouts"]:
        for miss in layout["nearest_misses"]:
            assert miss["step.time_s"] < layout["estimate"]["step.time_s"] and miss["memory.total_bytes"] > 0.92 * 80e9
    full = json.loads(Outcome("search", "-", "--headroom", "0", "--json", text=json.dumps(SEARCHED)).exits(0).out)
    assert full["tight"] == 0 and full["fit"] == roomy["fit"]
    Outcome("search", "-", "--headroom", "1", text=json.dumps(SEARCHED)).exits(2).mentions("--headroom: ")


def test_collective_uses_every_rate_it_takes_beside_a_fabric():
    def bus(*options):
        got = json.loads(Outcome("collective", "--bytes", "8589934592", *options, "--json").exits(0).out)
        cost = got["cost"]
        assert abs(cost["latency_s"] + cost["transfer_s"] - cost["time_s"]) < 1e-12, options
        assert cost["sent_per_rank_bytes"] == int(cost["sent_per_rank_bytes"])
        return cost["bus_bandwidth_gb_per_s"]

    nodes = ("--ranks", "16", "--fabric", "nvlink3")
    rates = [bus(*nodes, "--network-gb-per-s", rate) for rate in ("6.25", "12.5", "25")]
    assert rates[0] < rates[1] < rates[2] and rates[1] <= 8 * 12.5 * 0.96, rates
    node = ("--ranks", "8", "--fabric", "nvlink3")
    assert bus(*node, "--bandwidth-gb-per-s", "10") < 10 < bus(*node)
    assert bus(*node, "--latency-us", "5e5") < bus(*node) / 10
    assert bus(*nodes, "--network-latency-us", "5e5") < bus(*nodes) / 10
    table = json.loads(Outcome("collective", "--algorithm", "all", *nodes, "--json").exits(0).out)["algorithms"]
    assert all(row["cost"]["transfer_s"] <= row["cost"]["time_s"] for row in table)


def test_the_text_of_a_report_says_whose_the_band_is_as_json_does():
    for gpu in ("h100-sxm-80gb", "gb300", "mi300x", "a100-sxm-80gb"):
        run = ("evaluate", SOURCE / "assets/scenarios/llama-8b-8.json", "--set", f"cluster.gpu={gpu}")
        said = json.loads(Outcome(*run, "--json").out)
        step = said["step"]
        assert step["evidence"] in " ".join(Outcome(*run).out.split()), step["evidence"]
        assert abs(step["bubble_of_total"] * step["time_s"] - step["bubble_s"]) < 1e-12


def test_schedule_prints_orders_times_and_bubble_as_json():
    got = schedule_json("--kind", "1f1b", "--stages", 4, "--micro-batches", 8)
    assert got["kind"] == "1f1b" and got["stages"] == 4 and got["micro_batches"] == 8 and got["chunks"] == 1
    assert got["ranks"][3][:4] == ["3F0", "3B0", "3F1", "3B1"], got["ranks"][3]
    assert got["makespan"] == 33 and abs(got["bubble_of_total"] - 3 / 11) < 1e-12 and abs(got["bubble_over_ideal"] - 3 / 8) < 1e-12
    assert got["stage_span"] == [33, 30, 27, 24] and got["longest_stage_span"] == 33, got["stage_span"]
    assert got["peak_in_flight"] == [4, 3, 2, 1]
    assert got["pairs"] == [] and got["weight_copies"] == 1 and got["transfers"] == 2 * 3 * 8
    assert len(got["events"]) == 2 * 4 * 8 and set(got["events"][0]) == {"rank", "op", "stage", "micro_batch", "start", "end"}


def test_schedule_json_has_every_key_for_every_kind_and_its_events_are_its_order():
    for kind in KINDS:
        got = schedule_json("--kind", kind)
        assert {"kind", "stages", "micro_batches", "chunks", "ranks", "makespan", "bubble_over_ideal", "bubble_of_total", "peak_in_flight", "events"} <= set(got), kind
        assert got["kind"] == kind and len(got["ranks"]) == len(got["peak_in_flight"]) == got["stages"] == 4
        events = [[] for _ in got["ranks"]]
        for e in got["events"]:
            events[e["rank"]].append(f"{e['stage']}{e['op']}{e['micro_batch']}")
            assert 0 <= e["start"] <= e["end"] <= got["makespan"]
        assert events == got["ranks"], kind
        assert got["weight_copies"] == (2 if kind == "dualpipe" else 1)
        assert (len(got["pairs"]) > 0) == kind.startswith("dualpipe"), (kind, got["pairs"])


def test_schedule_kind_all_has_every_kind_and_says_why_one_does_not_suit():
    rows = schedule_json("--kind", "all", "--stages", 4, "--micro-batches", 8)["schedules"]
    assert [row["kind"] for row in rows] == KINDS, rows
    assert all(row["makespan"] > 0 and "events" not in row for row in rows)
    refused = {row["kind"]: row["refused"] for row in schedule_json("--kind", "all", "--micro-batches", 6)["schedules"] if "refused" in row}
    assert set(refused) == {"dualpipe", "dualpipev"} and all("use 8" in why for why in refused.values()), refused
    out = schedule("--kind", "all").exits(0).out
    for name in ("GPipe", "1F1B", "ZB-H1", "V-min", "DualPipeV"):
        assert name in out, out


def test_schedule_reads_an_order_of_ones_own_from_a_file_or_standard_input():
    text = "0F0 0F1&0B0 0B1\n1F0 1B0 1F1 1B1\n"
    got = schedule_json("--order", "-", text=text)
    assert got["kind"] == "own" and got["makespan"] == 12 and got["pairs"] == [[0, 1]], got
    assert got["stages"] == 2 and got["micro_batches"] == 2 and got["chunks"] == 1
    with folder() as where:
        path = written(where, "order.txt", text)
        assert schedule_json("--order", path)["ranks"] == got["ranks"]
        schedule("--order", path).exits(0)
        assert path.read_text() == text


def test_schedule_reads_back_what_it_prints_of_every_kind():
    for kind in KINDS:
        chunks = 2 if kind in ("interleaved", "zb-v", "v-half", "v-min", "dualpipev") else 1
        printed = schedule("--kind", kind, "--chunks", chunks, "--json").exits(0).out
        got, back = json.loads(printed), schedule_json("--order", "-", "--forward", 1 / chunks, "--backward-input", 1 / chunks, "--backward-weight", 1 / chunks, text=printed)
        for key in ("ranks", "pairs", "makespan", "peak_in_flight", "transfers", "micro_batches"):
            assert got[key] == back[key], (kind, key)


def test_schedule_refuses_an_order_that_cannot_run_and_names_the_operation():
    schedule("--order", "-", text="0F0 0B0\n1F0 1X0\n").exits(2).mentions("line 2: ", "“1X0”")
    schedule("--order", "-", text="0F0 0B0 0F1 0B1\n1F1 1B1 1F0 1B0\n").exits(2).mentions("rank 0: 0B0 waits for 1B0")
    schedule("--order", "-", text="0F0\n1B0\n").exits(2).mentions("1B0")
    schedule("--order", "-", text="").exits(2).mentions("no operation")
    schedule("--order", "-", text="{").exits(2).mentions("JSON")
    schedule("--order", "-", text="0F0 1000000F1000000").exits(2).mentions("too large")
    schedule("--order", "/nowhere/order.txt").exits(2).mentions("/nowhere/order.txt")
    schedule("--order", "-", "--stage-weights", "1,2", text="0F0 0B0\n").exits(2).mentions("2 weights for 1", "give 1")


def test_schedule_refuses_an_order_that_leaves_work_out_or_does_it_twice():
    for text, fault in (("0F0 0F1\n1F0 1F1 1B0\n", "rank 0: 0B0 is missing, 0F0 is there"), ("0F0 0B0 0W0\n", "0W0 does again what 0B0 does"),
                        ("0F0 1B0\n1F0 0B0\n", "rank 1: 0B0 runs here, but 0F0 on rank 0"), ("0F0 0I0\n", "0W0 is missing"),
                        ("0F0\n", "0B0 is missing"), ("0F2 0B2\n", "micro-batch 0 has no operation")):
        outcome = schedule("--order", "-", text=text).exits(2).mentions(fault)
        assert outcome.out == "", outcome.out


def test_schedule_counts_beside_an_order_must_agree_with_it():
    text = "0F0 0F1 0B0 0B1\n1F0 1B0 1F1 1B1\n"
    schedule("--order", "-", "--stages", 2, "--micro-batches", 2, "--chunks", 1, text=text).exits(0)
    schedule("--order", "-", "--stages", 4, text=text).exits(2).mentions("--stages: is 4, the order in - has 2 ranks", "use 2 or leave it out")
    schedule("--order", "-", "--micro-batches", 8, text=text).exits(2).mentions("--micro-batches: is 8, ", "use 2 or leave it out")
    schedule("--order", "-", "--kind", "gpipe", text=text).exits(2).mentions("--kind: gpipe cannot be given with --order")


def test_schedule_refuses_files_it_would_not_write_and_chunks_of_none():
    with folder() as where:
        for option in ("--svg", "--chrome-trace"):
            path = pathlib.Path(where) / "x"
            schedule("--kind", "all", option, path).exits(2).mentions(f"{option}: shows one schedule", "--kind")
            assert not path.exists()
            schedule(option, "").exits(2).mentions(f"{option}: is empty")
    schedule("--order", "").exits(2).mentions("--order: is empty")
    schedule("--chunks", 0).exits(2).mentions("--chunks: 0 is out of range", "use 1 to")


def test_schedule_weighs_stages_as_asked():
    # The last stage twice as slow: three units of forwards, eight times six, three times two of backwards.
    got = schedule_json("--kind", "1f1b", "--stages", 4, "--micro-batches", 8, "--stage-weights", "1,1,1,2")
    assert got["makespan"] == 57, got["makespan"]
    plain = schedule_json("--kind", "gpipe", "--stage-weights", "1,1,1,1")
    assert plain["makespan"] == schedule_json("--kind", "gpipe")["makespan"]
    # With two chunks there are eight.
    schedule_json("--kind", "interleaved", "--stage-weights", "1,1,1,1,1,1,1,2")
    schedule("--kind", "interleaved", "--stage-weights", "1,1,1,1").exits(2).mentions("--stage-weights: 4 weights for 8 virtual stages (give 8)")


def test_schedule_takes_transfers_recomputation_and_pairs_into_account():
    # GPipe, two stages, two micro-batches, transfer 1, by hand: 11 units overlapped, 13 blocking.
    small = ["--kind", "gpipe", "--stages", 2, "--micro-batches", 2, "--transfer", 1]
    assert schedule_json(*small)["makespan"] == 11
    assert schedule_json(*small, "--blocking")["makespan"] == 13
    # Eleven times a forward and a backward that is one unit longer.
    assert schedule_json("--kind", "1f1b", "--stages", 4, "--micro-batches", 8, "--recompute", 1)["makespan"] == 44
    order = "0F0 0F1&0B0 0B1\n1F0 1B0 1F1 1B1\n"
    assert schedule_json("--order", "-", "--pair", 0.5, text=order)["makespan"] == 10.5
    assert schedule_json("--kind", "dualpipev", "--pair", 0.75)["makespan"] < schedule_json("--kind", "dualpipev")["makespan"]


def test_schedule_writes_a_picture_and_a_trace():
    with folder() as where:
        svg, trace = pathlib.Path(where) / "s.svg", pathlib.Path(where) / "t.json"
        for kind, operations in (("interleaved", 2 * 4 * 8 * 2), ("zb-h1", 3 * 4 * 8)):
            schedule("--kind", kind, "--svg", svg, "--chrome-trace", trace).exits(0)
            assert xml.etree.ElementTree.parse(svg).getroot().tag.endswith("svg")
            events = json.loads(trace.read_text())["traceEvents"]
            assert sum(e["ph"] == "X" for e in events) == operations and all(e["dur"] > 0 for e in events if e["ph"] == "X")


def test_schedule_refuses_what_cannot_run_and_says_what_would():
    schedule("--kind", "1f2b", "--stages", 0).exits(2).says("--kind: there is no schedule “1f2b” (did you mean 1f1b?)").mentions("--stages: 0 ", "use 1 ")
    schedule("--kind", "interleaved", "--stages", 4, "--micro-batches", 9, "--chunks", 2).exits(2).says(
        "--micro-batches: 9 micro-batches do not make 2 equal rounds over 4 stages (use 8 or 10)")
    schedule("--kind", "dualpipe", "--stages", 3).exits(2).mentions("--stages: ", "use 2 or 4")
    schedule("--kind", "dualpipev", "--micro-batches", 7).exits(2).mentions("--micro-batches: ", "use 8 or more")
    schedule("--kind", "gpipe", "--chunks", 2).exits(2).mentions("--chunks: ", "use 1")
    schedule("--kind", "v-half", "--chunks", 3).exits(2).mentions("--chunks: ", "use 2")
    for option, value in (("--forward", "nan"), ("--forward", 0), ("--backward-input", -1), ("--backward-weight", "inf"), ("--transfer", -1), ("--recompute", "nan"), ("--pair", 0),
                          ("--pair", 1.5), ("--stages", -3), ("--micro-batches", 0), ("--chunks", -1), ("--stage-weights", "1,-1,1,1")):
        schedule(option, value).exits(2).mentions(f"{option}: ", "use ")
    schedule("--micro-batches", 10000000).exits(2).mentions("--micro-batches: ", "at most")
    schedule("--micro-batches", 100000000).exits(2).mentions("--micro-batches: ", "use 1 to")
    schedule("--svg", "/nowhere/else/s.svg" if os.getuid() else "/proc/s.svg").exits(2)


def test_bench_schedule_says_how_long_64_stages_and_1024_micro_batches_take():
    outcome = Outcome("bench", "schedule", "--json", timeout=800).exits(0)
    got = json.loads(outcome.out)
    assert 0 < got["p64_m1024_ms"] < 60000, got
    assert set(got["kinds"]) == set(KINDS), got
    assert all(kind["order_ms"] >= 0 and kind["simulation_ms"] >= 0 for kind in got["kinds"].values())


def sample_assets(where):
    """The shipped presets with the sample questions of the tests."""
    assets = pathlib.Path(where) / "assets"
    shutil.copytree(SOURCE / "assets", assets, ignore=shutil.ignore_patterns("questions"))
    shutil.copytree(SOURCE / "tests/data/questions", assets / "questions")
    return assets


def test_question_list_has_a_row_for_every_variant():
    with folder() as where:
        rows = json.loads(Outcome("--assets", sample_assets(where), "question", "list", "--json").exits(0).out)["families"]
    assert len(rows) == 14, rows
    assert {"id", "family", "topic", "concept", "kind", "difficulty", "sources"} <= set(rows[0]), rows[0]
    assert {row["kind"] for row in rows} == {"numeric", "recall", "comparison", "ordering", "diagnosis", "design"}
    assert [row["id"] for row in rows][:2] == ["state/easy", "state/inverse"]


def test_a_question_is_the_same_for_the_same_seed_and_its_scenario_can_be_evaluated():
    with folder() as where:
        assets = sample_assets(where)
        show = ("--assets", assets, "question", "show", "fullest", "--seed", 7, "--json")
        first, second = Outcome(*show).exits(0).out, Outcome(*show).exits(0).out
        assert first == second
        question = json.loads(first)
        assert {"id", "family", "topic", "kind", "difficulty", "seed", "stem", "parameters", "answer", "hints", "solution",
                "mistakes", "sources", "show_me"} <= set(question), question.keys()
        assert question["answer"].keys() >= {"value", "unit", "tolerance"} and question["seed"] == 7
        assert question["show_me"]["view"] == "memory" and len(question["hints"]) == 3
        scenario = json.dumps(question["show_me"]["scenario"])
        report = json.loads(Outcome("evaluate", "-", "--json", text=scenario).out)
        moments = report["metrics"]["memory.momentum_bytes"] + report["metrics"]["memory.variance_bytes"]
        assert abs(moments / question["answer"]["value"] - 1) < 1e-9, (moments, question["answer"])


def test_percentages_of_questions_are_in_percent():
    question = json.loads(Outcome("question", "show", "pipeline-bubble/of-total", "--json").exits(0).out)
    answer = question["answer"]
    assert answer["unit"] == "%" and abs(answer["value"] - float(answer["text"].rstrip("%"))) < 0.01 * answer["value"], answer
    assert all(mistake["value"] > 1 for mistake in question["mistakes"]), question["mistakes"]
    again = json.loads(Outcome("question", "answer", "pipeline-bubble/of-total", f"{answer['value']:.4g}%", "--json").exits(0).out)
    assert again["correct"] is True and again["read_as"].endswith("%"), again


def test_answers_are_graded_with_the_slip_and_the_exit_status():
    with folder() as where:
        assets = sample_assets(where)
        value = json.loads(Outcome("--assets", assets, "question", "show", "state", "--json").out)["answer"]["value"]

        def answered(text, code, *more):
            return Outcome("--assets", assets, "question", "answer", "state", text, "--json", *more).exits(code)

        right = json.loads(answered(f"{value / 1e9} GB", 0).out)
        assert right["correct"] is True and right["grade"] == 3 and right["mistake"] is None, right
        assert json.loads(answered(f"{value}", 0, "--seconds", 5).out)["grade"] == 4
        assert json.loads(answered(f"{value}", 0, "--hints", 1).out)["grade"] == 2
        slip = json.loads(answered(f"{value / 4e9}GB", 1).out)
        assert slip["correct"] is False and slip["grade"] == 1 and slip["mistake"] == "no-optimizer", slip
        assert set(right) >= {"correct", "grade", "mistake", "message"}
        answered("12 s", 2).mentions("is a time, and this asks for an amount of data")
        Outcome("--assets", assets, "question", "answer", "stats", "1").exits(2).mentions('there is no question "stats"', 'did you mean "state"?')
        assert Outcome("--assets", assets, "question", "answer", "spoken", "all").exits(0).out != ""


def test_a_strangers_file_says_nothing_to_the_terminal():
    model = {"name": "\x1b]0;pwn\x07x\x9b", "layers": 2, "hidden": 128, "heads": 2, "vocab": 1000}
    scenario = {"model": model, "cluster": {"gpus": 8}, "training": {"global_batch": 8}}
    for more in ((), ("--markdown",)):
        out = Outcome("evaluate", "-", *more, text=json.dumps(scenario)).exits(0).out
        assert "\\x1b]0;pwn\\x07x\\x9b" in out and not controls(out), repr(out)
    fault = Outcome("evaluate", "-", text=json.dumps({"model": "\x1b[2J", "\x1b[1A": 1})).exits(2).err
    assert "\\x1b[2J" in fault and "\\x1b[1A" in fault and not controls(fault), repr(fault)
    with folder() as where:
        assets = sample_assets(where)
        path = assets / "questions/sample.json"
        document = json.loads(path.read_text())
        document["families"][0]["stem"] += " \x1b[31m"
        path.write_text(json.dumps(document))
        out = Outcome("--assets", assets, "question", "show", "state").exits(0).out
        assert "\\x1b[31m" in out and not controls(out), repr(out)
        lessons = pathlib.Path(where) / "lessons"
        shutil.copytree(SOURCE / "lessons", lessons)
        first = lessons / "memory/memory.json"
        first.write_text(json.dumps({**json.loads(first.read_text(encoding="utf-8")), "title": "Me\x1bmory"}))
        for command in (("list",), ("show", "memory")):
            out = Outcome("--assets", assets, "lesson", *command).exits(0).out
            assert "Me\\x1bmory" in out and not controls(out), repr(out)


def controls(text):
    return [c for c in text if c not in "\n\t" and (c < " " or "\x7f" <= c < "\xa0")]


def test_faults_of_every_file_name_it():
    with folder() as where:
        bad = written(where, "bad.json", '{"schema": "else"}')
        broken = written(where, "broken.json", "root:x:0:0")
        picture = pathlib.Path(where) / "x.png"
        for option, path, fault in (("--script", broken, "not JSON: "), ("--script", bad, ""), ("--measured", bad, "schema: "), ("--progress", bad, "schema: "),
                                    ("--scenario", bad, "schema: ")):
            outcome = Outcome("picture", "--view", "memory", option, path, "-o", picture).exits(2)
            assert outcome.err.startswith(f"{path}: {fault}") and all(line.startswith(f"{path}: ") for line in outcome.err.splitlines()), outcome.err
        order = written(where, "order.txt", "0F0 0B0 0F1 0B1\n1F1 1B1 1F0 1B0\n")
        schedule("--order", order).exits(2).mentions(f"{order}: rank 0: 0B0 waits for 1B0")
        schedule("--order", broken).exits(2).mentions(f"{broken}: line 1: ")
        Outcome("calibrate", "--scenario", bad, DEFAULT).exits(2).mentions(f"{bad}: schema: ")
        demo = '{"schema": "ringside.demo/1", "title": "T", "scenes": [{"title": "A", "view": "memroy"}]}'
        Outcome("check", "--seeds", "1", "-", text=demo).exits(1).mentions("-: scenes[0].view")


def test_what_is_too_large_or_empty_is_not_called_a_scenario():
    with folder() as where:
        large = pathlib.Path(where) / "large.json"
        with open(large, "wb") as file:
            file.truncate(100_000_000)
        empty = written(where, "empty.json", "")
        for outcome in (Outcome("import", "hf", large), Outcome("import", "hf", empty), Outcome("train", "--data", large), Outcome("schedule", "--order", large)):
            outcome.exits(2).mentions(where)
            assert "a scenario" not in outcome.err, outcome.err


def test_a_file_named_minus_is_standard_output_and_nothing_else_goes_there():
    svg = schedule("--svg", "-").exits(0).out
    assert xml.etree.ElementTree.fromstring(svg).tag.endswith("svg")
    assert json.loads(schedule("--chrome-trace", "-").exits(0).out)["traceEvents"]
    schedule("--svg", "-", "--chrome-trace", "-").exits(2).mentions("--svg: - is standard output")
    schedule("--chrome-trace", "-", "--json").exits(2).mentions("--chrome-trace: - is standard output")
    text = (HF / "mixtral-8x7b.json").read_text(encoding="utf-8")
    model = json.loads(Outcome("import", "hf", "-", "--name", "My Mixtral", "-o", "-", text=text).exits(0).out)
    assert model["schema"] == "ringside.model/1" and model["id"] == "my-mixtral", model
    Outcome("import", "hf", "-", "-o", "-", "--json", text=text).exits(2).mentions("--output: - is standard output")
    Outcome("train", "--steps", 1, "--save", "-").exits(2).mentions("--save: - is standard output")
    assert not pathlib.Path("-").exists()


def test_a_full_device_is_a_fault_and_stays():
    if not os.path.exists("/dev/full"):
        return
    with folder() as where:
        link = pathlib.Path(where) / "full"
        link.symlink_to("/dev/full")
        schedule("--svg", link).exits(2).mentions(f"{link}: could not be saved: No space left")
        assert link.is_symlink() and link.is_char_device()
        with open("/dev/full", "wb") as full:
            done = subprocess.run([RINGSIDE, "schedule", "--svg", "-"], stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and "-: could not be written to standard output" in done.stderr, done.stderr


def test_check_names_the_faults_of_questions_and_ends_with_the_coverage():
    with folder() as where:
        assets = sample_assets(where)
        words = Outcome("--assets", assets, "check", "--seeds", "1").exits(0).out
        assert not re.search(r"\b00\d\b", words), f"names a document that nobody else has: {words}"
        assert words.splitlines()[-1] == "0 of 42 concepts complete", words
        path = assets / "questions/sample.json"
        document = json.loads(path.read_text())
        document["families"][0]["key"] = "17*P"
        document["families"][1]["stemm"] = "?"
        path.write_text(json.dumps(document))
        outcome = Outcome("--assets", assets, "check", "--seeds", 3).exits(1)
        outcome.mentions("questions/sample.json: state/easy.solution[1]: ends at", 'questions/sample.json: ring/time.stemm: unknown field (did you mean "stem"?)')
        path.write_text("{")
        Outcome("--assets", assets, "check", "--seeds", "1").exits(1).mentions("questions/sample.json: not JSON")


def test_every_shipped_question_can_be_listed_and_shown():
    rows = json.loads(Outcome("question", "list", "--json").exits(0).out)["families"]
    for row in rows[::40]:
        question = json.loads(Outcome("question", "show", row["id"], "--seed", 3, "--json").exits(0).out)
        assert question["id"] == row["id"] and question["sources"] == row["sources"]
        words = Outcome("question", "show", row["id"], "--seed", 3).exits(0).out
        assert not re.search(r"\b00\d-", words), f"names a document that nobody else has: {words}"


def test_train_trains_and_goes_on_where_it_was_saved():
    with folder() as where:
        saved = pathlib.Path(where) / "run.checkpoint"
        small = ("train", "--layers", 1, "--width", 32, "--context", 16, "--batch", 4, "--device", "cpu", "--json-lines")
        whole = Outcome(*small, "--steps", 6).exits(0).out.splitlines()
        first = Outcome(*small, "--steps", 4, "--save", saved).exits(0).out.splitlines()
        second = Outcome("train", "--resume", saved, "--steps", 2, "--device", "cpu", "--json-lines").exits(0).out.splitlines()
        losses = [json.loads(line)["loss"] for line in whole]
        assert [json.loads(line)["loss"] for line in first + second] == losses
        assert [json.loads(line)["step"] for line in first + second] == [1, 2, 3, 4, 5, 6]
        line = json.loads(whole[-1])
        for key in ("gradient_norm", "noise_scale_tokens", "learning_rate", "tokens_per_s", "step_s", "memory", "ranks"):
            assert key in line, line
        assert line["memory"]["weights_bytes"] == line["memory"]["momentum_bytes"] > 0
        assert line["noise_scale_tokens"] is None
        parts = Outcome(*small, "--accumulation", 4, "--steps", 60).exits(0).out.splitlines()
        scales = [json.loads(line)["noise_scale_tokens"] for line in parts]
        assert scales[:19] == [None] * 19 and scales[-1] > 0, scales


def test_train_on_several_ranks_comes_to_what_one_rank_comes_to():
    with folder() as where:
        start = pathlib.Path(where) / "start"
        small = ("--layers", 4, "--width", 64, "--heads", 4, "--context", 16, "--batch", 2, "--accumulation", 4, "--data", "copy", "--symbols", 15, "--set", "model.tied_embeddings=false")
        Outcome("train", *small, "--steps", 0, "--save", start, "--device", "cpu").exits(0)
        alone = Outcome("train", "--resume", start, "--steps", 4, "--device", "cpu", "--json-lines").exits(0).out.splitlines()
        last = json.loads(alone[-1])
        for strategy, ranks in (("ddp", 4), ("zero3", 2), ("sp", 2), ("pp", 2), ("dp2-tp2", 4)):
            saved = pathlib.Path(where) / strategy
            lines = Outcome("train", "--resume", start, "--ranks", ranks, "--strategy", strategy, "--steps", 4, "--json-lines", "--save", saved).exits(0).out.splitlines()
            step = json.loads(lines[-1])
            assert len(lines) == 4 and step["step"] == last["step"] == 4, strategy
            assert abs(step["loss"] - last["loss"]) < 1e-4, (strategy, step["loss"], last["loss"])
            assert len(step["ranks"]) == ranks and all(r["bytes_sent"] > 0 for r in step["ranks"]), strategy
            Outcome("train", "--resume", saved, "--steps", 1, "--device", "cpu").exits(0)
        words = Outcome("train", "--resume", start, "--ranks", 2, "--steps", 2).exits(0)
        assert "sent per step" in words.out and "data" in words.out, words.out


def test_train_with_experts_says_where_tokens_go_and_shares_them_out():
    small = ("--layers", 2, "--width", 32, "--heads", 2, "--context", 16, "--batch", 2, "--accumulation", 4, "--data", "copy", "--symbols", 15, "--experts", 4, "--expert-width", 32, "--capacity", 1, "--steps", 3)
    alone = Outcome("train", *small, "--device", "cpu", "--json-lines").exits(0).out.splitlines()
    shared = Outcome("train", *small, "--ranks", 4, "--strategy", "dp2-ep2", "--json-lines").exits(0).out.splitlines()
    for one, other in zip(map(json.loads, alone), map(json.loads, shared), strict=True):
        assert abs(one["loss"] - other["loss"]) < 1e-4, (one["loss"], other["loss"])
        experts = one["experts"]
        assert len(experts["wanted"]) == len(experts["balance"]) == 2 and all(len(layer) == 4 for layer in experts["taken"]), experts
        for wanted, taken, dropped in zip(experts["wanted"], experts["taken"], experts["dropped"]):
            assert abs(sum(wanted) - 1) < 1e-6 and abs(sum(wanted) - sum(taken) - dropped) < 1e-6, experts
        assert all(rank["by_axis"]["expert"] > 0 for rank in other["ranks"]), other["ranks"]
    assert json.loads(alone[0])["experts"]["wanted"] == json.loads(shared[0])["experts"]["wanted"]
    words = Outcome("train", *small, "--device", "cpu").exits(0).out
    assert "dropped" in words and "busiest expert" in words, words


def test_train_reads_a_text_and_draws_from_the_model():
    with folder() as where:
        text = written(where, "text.txt", "to be or not to be, that is the question. " * 20)
        done = Outcome("train", "--data", text, "--steps", 3, "--width", 32, "--context", 16, "--sample", 20, "--device", "cpu").exits(0)
        assert "text.txt" in done.out and "measured" in done.out
        Outcome("train", "--data", written(where, "short.txt", "abc"), "--steps", 1, "--device", "cpu").exits(2).mentions("data: 3 characters")
        Outcome("train", "--data", where, "--device", "cpu").exits(2).mentions("is a folder")


def test_train_records_the_last_steps_of_several_ranks():
    with folder() as place:
        file = pathlib.Path(place) / "ddp.jsonl"
        Outcome("train", "--ranks", 2, "--strategy", "ddp", "--steps", 6, "--record", file).exits(0)
        steps = [json.loads(line) for line in file.read_text().splitlines()]
        assert [s["step"] for s in steps] == [3, 4, 5, 6], steps
        assert all(s["schema"] == "ringside.live/1" and len(s["trace"]["ranks"]) == 2 for s in steps)
        Outcome("train", "--ranks", 2, "--steps", 0, "--record", file).exits(0).mentions("nothing was recorded")
        assert len(file.read_text().splitlines()) == 4
    Outcome("train", "--steps", 1, "--record", "x.jsonl").exits(2).mentions("--record", "use --ranks 4")


def test_train_names_what_it_cannot_do():
    Outcome("train", "--ranks", 4, "--strategy", "faster").exits(2).mentions("--strategy", "is not a strategy", "dp2-tp2-pp2")
    Outcome("train", "--ranks", 4, "--strategy", "ep").exits(2).mentions("parallel.expert", "has no experts")
    Outcome("train", "--ranks", 3, "--strategy", "dp2-tp2").exits(2).mentions("--ranks: 3 ranks", "use --ranks 4")
    Outcome("train", "--ranks", 2, "--sample", 10, "--probe").exits(2).mentions("--sample", "--probe", "--ranks 1")
    Outcome("train", "--device", "abacus").exits(2).mentions("use auto, cpu or cuda")
    Outcome("train", "--precision", "int4").exits(2).mentions("--precision: ", "use fp32, bf16, fp16 or fp8")
    Outcome("train", "--set", "recipe.clap=1").exits(2).mentions("recipe.clap", "did you mean \"clip\"?")
    Outcome("train", "--experts", 4, "--experts-per-token", 3).exits(2).mentions("--experts-per-token: 3 is out of range (use 1 to 2)")
    Outcome("train", "--experts", 6, "--ranks", 4, "--strategy", "ep").exits(2).mentions("parallel.expert: 4 does not divide 6 experts")
    Outcome("train", "--experts", 4, "--ranks", 4, "--strategy", "dp2-tp2").exits(2).mentions("parallel.tensor", "use 1")
    with folder() as where:
        broken = written(where, "broken", "ringside.checkpoint/1\nnothing")
        Outcome("train", "--resume", broken).exits(2).mentions("checkpoint:")
        Outcome("train", "--resume", pathlib.Path(where) / "none").exits(2).mentions("could not be read")


def test_bench_frame_measures_every_view_beside_the_demo_window():
    bench = json.loads(Outcome("bench", "frame", "--json", timeout=800).exits(0).out)
    assert set(bench) >= {"first_frame_ms", "idle_cpu_percent", "demo_window_frame_ms", "memory_mb", "views"}, bench
    views = {view["id"] for view in json.loads(Outcome("picture", "--list", "--json").exits(0).out)["views"]}
    assert set(bench["views"]) == views
    for name, view in bench["views"].items():
        assert set(view) >= {"build_ms_p50", "build_ms_p99", "frame_ms_p50", "over_demo_window"}, name
        assert 0 < view["build_ms_p50"] <= view["build_ms_p99"] and view["frame_ms_p50"] > 0, (name, view)


def test_train_refuses_a_number_out_of_range_under_the_option_that_was_typed():
    for option, value, hint in (("--ranks", 0, "1 to 64"), ("--width", 0, "8 to 2048"), ("--width", 7, "8 to 2048"), ("--layers", 1000000, "1 to 96"),
                                ("--batch", 0, "1 to 4096"), ("--accumulation", 0, "1 to 65,536"), ("--accumulation", -3, "1 to 65,536"),
                                ("--temperature", "nan", "0 to 100"), ("--temperature", -1, "0 to 100"), ("--sample", -1, "0 to 1,000,000"),
                                ("--top-k", -1, "0 to 65,536"), ("--every", -1, "0 to 1,000,000,000,000"),
                                ("--learning-rate", -1, "0 to 100"), ("--layers", 10 ** 20, "1 to 96"),
                                ("--seed", -1, "0 to 9,223,372,036,854,775,807")):
        outcome = Outcome("train", "--steps", 0, option, value).exits(2)
        outcome.says(f"{option}: {value} is out of range (use {hint})")
        assert outcome.out == "", outcome.out
    Outcome("train", "--data", "addition", "--symbols", 200).exits(2).says("--symbols: 200 is out of range (use 2 to 97)")
    Outcome("train", "--optimizer", "muon").exits(2).says("--optimizer: muon cannot be trained here (use adamw or sgd-momentum)")
    Outcome("train", "--set", "model.hidden=0").exits(2).says("model.hidden: 0 is out of range (use 8 to 2048)")
    Outcome("train", "--ranks", 4, "--strategy", "dp2-dp2-dp4").exits(2).mentions("--strategy: \u201cdp2\u201d in \u201cdp2-dp2-dp4\u201d repeats")


def test_seeds_and_how_many_are_refused_beyond_their_range():
    for count in (-1, 0, 1000001, 10 ** 23):
        Outcome("check", "--seeds", count, timeout=60).exits(2).says(f"--seeds: {count} is out of range (use 1 to 1,000,000)")
    for seed in (-1, 2 ** 63, 10 ** 23):
        for command in (("question", "show", "model-state"), ("question", "answer", "model-state", "1"), ("picture",)):
            Outcome(*command, "--seed", seed).exits(2).mentions(f"--seed: {seed} is out of range (use 0 to 9,223")
    assert json.loads(Outcome("question", "show", "model-state", "--seed", 2 ** 63 - 1, "--json").exits(0).out)["seed"] == 2 ** 63 - 1


def test_train_says_overflow_and_never_nan_or_inf():
    tiny = ("train", "--data", "copy", "--layers", 1, "--width", 32, "--context", 16, "--batch", 2, "--set")
    half = (*tiny, "recipe.loss_scale=1e9", "--precision", "fp16", "--steps", 3)
    diverging = (*tiny, "recipe.clip=0", "--learning-rate", 100, "--optimizer", "sgd-momentum", "--steps", 40)
    for arguments in (half, (*half, "--ranks", 2), diverging):
        words = [line for line in Outcome(*arguments).exits(0).out.splitlines() if " norm " in line]
        assert any("norm overflow" in line for line in words), words
        assert not any(word.strip("-") in ("nan", "inf") for line in words for word in line.split()), words

        def unknown(name):
            raise AssertionError(f"{name} is not JSON")
        steps = [json.loads(line, parse_constant=unknown) for line in Outcome(*arguments, "--json-lines").exits(0).out.splitlines()]
        assert any(step["gradient_norm"] is None for step in steps), steps


def test_train_knows_before_the_first_step_that_it_could_not_save():
    for ranks in (1, 2):
        outcome = Outcome("train", "--steps", 10 ** 9, "--save", "/proc/x", "--ranks", ranks, timeout=60).exits(2).mentions("/proc/x: could not be saved")
        assert outcome.out == "", outcome.out
    with folder() as where:
        kept = written(where, "kept", "as it was")
        Outcome("train", "--precision", "int4", "--save", kept).exits(2)
        Outcome("train", "--precision", "int4", "--save", pathlib.Path(where) / "deep/er").exits(2)
        Outcome("train", "--steps", 0, "--save", where).exits(2).mentions("is a folder")
        assert kept.read_text() == "as it was" and [path.name for path in pathlib.Path(where).iterdir()] == ["kept"]


def test_train_does_not_read_on_in_what_is_no_checkpoint():
    for endless in ("/dev/zero", "/dev/urandom"):
        Outcome("train", "--resume", endless, timeout=60).exits(2).mentions(f"{endless}: does not begin with \u201cringside.checkpoint/\u201d", "train --save")


def test_bench_train_compares_with_the_matrix_product():
    bench = json.loads(Outcome("bench", "train", "--json").exits(0).out)
    assert set(bench) >= {"device", "tokens_per_s", "gflops", "sgemm_gflops", "ratio", "step_s", "predicted_step_s"}, bench
    assert bench["step_s"] > 0 and bench["predicted_step_s"] > 0
    assert bench["ratio"] > 0 and bench["tokens_per_s"] > 0
    kernels = {kernel["name"]: kernel["seconds"] for kernel in bench["kernels"]}
    assert max(kernels, key=kernels.get) == "product" and "attention backward" in kernels, kernels


def commands():
    """Every command with a help of its own: its words."""
    def below(words):
        text = Outcome(*words, "--help").out
        names = [line.split()[0].rstrip(",") for line in text.split("Subcommands:")[1].splitlines() if line.startswith("  ")] if "Subcommands:" in text else []
        for name in names:
            yield from below([*words, name])
        if not names:
            yield words
    return list(below([]))


def options_of(words):
    """Names of the options of a command that take a value."""
    for line in Outcome(*words, "--help").out.splitlines():
        names = line.split()[0] if line.startswith("  -") else ""
        if names and any(kind in line for kind in (" TEXT", " INT", " UINT", " FLOAT", " PATH=VALUE", " WxH", " NAME,")):
            yield names.split(",")[-1]


def test_text_that_could_not_be_written_is_said_and_the_status_is_not_0():
    modes = (["evaluate", DEFAULT], ["evaluate", DEFAULT, "--csv"], ["search", DEFAULT, "--top", "1"], ["collective"], ["schedule", "--stages", "2"],
             ["scaling", "--compute", "1e21"], ["question", "list"], ["lesson", "list"], ["picture", "--list"], ["train", "--steps", "1", "--json-lines"])
    for mode in modes:
        full = subprocess.run([RINGSIDE, *map(str, mode)], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE, text=True)
        assert full.returncode == 2 and "standard output" in full.stderr, (mode, full)
        closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", RINGSIDE, *map(str, mode)], capture_output=True, text=True)
        assert closed.returncode == 2 and "standard output" in closed.stderr, (mode, closed)


def test_bad_input_exits_2_with_stderr_closed_or_full():
    for where in (">&-", ">/dev/full"):
        done = subprocess.run(["sh", "-c", f'"$@" 2{where}', "sh", RINGSIDE, "evaluate", "nowhere.json"], capture_output=True, text=True)
        assert done.returncode == 2, (where, done)


def test_an_empty_value_is_refused_under_its_name_by_every_option():
    for words in commands():
        for option in options_of(words):
            for arguments in ([option, ""], [f"{option}="]):
                outcome = Outcome(*words, *arguments).exits(2)
                assert f"{option}: is empty" in outcome.err, (words, arguments, outcome.err)
    Outcome("evaluate", "").exits(2).mentions("FILE: is empty")


def test_a_long_argument_is_not_repeated_whole():
    long = "x" * 100_000
    for arguments in (["evaluate", long], ["evaluate", DEFAULT, "--set", f"{long}=1"], ["question", "show", long], ["collective", "--kind", long],
                      ["collective", "--bytes", long], [long], ["evaluate", f"--{long}"], ["schedule", "--kind", long], ["--assets", long, "check"],
                      ["picture", "--view", long, "-o", "x.png"], ["lesson", "show", long], ["search", DEFAULT, "--forbid", long]):
        outcome = Outcome(*arguments).exits(2)
        assert 0 < len(outcome.err) < 5000, (arguments[0], len(outcome.err))


def test_every_misuse_has_a_hint():
    for arguments in (["question", "answer", "model-state", "1", "--hints", "7"], ["evaluate", DEFAULT, "--set"], ["evaluate", DEFAULT, "--json", "--csv"],
                      ["evaluate"], ["train", "--no-feedback"], ["export", DEFAULT, "--to", "megaton"], ["bench", "sleep"], ["collective", "--bytes", "1,5"],
                      ["picture", "--view", "memory", "--answer", "3", "-o", "x.png"], ["picture", "--view", "memory", "--step", "2", "-o", "x.png"],
                      ["question", "list", "--topic", "nope"], ["evaluate", DEFAULT, "--convention", "mine"]):
        outcome = Outcome(*arguments).exits(2)
        assert all("(" in line and ": " in line for line in outcome.err.splitlines()), (arguments, outcome.err)
        assert outcome.err and "Run with --help" not in outcome.err, (arguments, outcome.err)


def test_assets_named_by_the_environment_must_be_there():
    done = subprocess.run([RINGSIDE, "evaluate", str(DEFAULT)], capture_output=True, text=True, env={**os.environ, "RINGSIDE_ASSETS": "/nope"})
    assert done.returncode == 2 and "RINGSIDE_ASSETS: /nope" in done.stderr, done


def test_set_takes_several_values():
    several = json.loads(Outcome("evaluate", "--set", "parallel.tensor=4", "parallel.zero=0", DEFAULT, "--json", "--set", "training.micro_batch=2").out)
    single = json.loads(Outcome("evaluate", DEFAULT, "--json", "--set", "parallel.tensor=4", "--set", "parallel.zero=0", "--set=training.micro_batch=2").out)
    assert several["metrics"] == single["metrics"]


def test_search_takes_set_and_needs_no_layout_that_suits():
    outcome = Outcome("search", DEFAULT, "--set", "cluster.gpus=24", "--top", "3", "--json").exits(0)
    layouts = json.loads(outcome.out)["layouts"]
    assert layouts and all(layout["gpus"] == 24 for layout in layouts)
    current = json.loads(Outcome("search", DEFAULT, "--set", "parallel.tensor=7", "--top", "1", "--json").exits(0).out)["current"]
    assert not current["valid"] and any(fault["path"] == "parallel.tensor" for fault in current["faults"])
    assert current["layout"]["parallel"]["tensor"] < 7 and "parallel.tensor=" in current["set"]
    Outcome("search", DEFAULT, "--set", "cluster.gpsu=24").exits(2).mentions("gpsu", "unknown field")


def trained_until(stop, *arguments):
    """Trains for a long time, ends it by stop(process) after its first line; the step that was saved."""
    with folder() as where:
        kept = pathlib.Path(where) / "kept"
        command = [RINGSIDE, "train", "--layers", "1", "--width", "32", "--context", "16", "--batch", "2", "--accumulation", "4", "--data", "copy", "--steps", "1000000", "--json-lines", "--save",
                   str(kept), *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        json.loads(process.stdout.readline())
        stop(process)
        process.stdout.close()
        assert process.wait(60) != 0
        resumed = Outcome("train", "--resume", kept, "--steps", "1", "--json-lines").exits(0)
        return json.loads(resumed.out)["step"]


def test_a_training_is_saved_by_any_end():
    for ranks in ([], ["--ranks", "2"]):
        assert trained_until(lambda process: process.terminate(), *ranks) > 1
        assert trained_until(lambda process: process.send_signal(signal.SIGINT), *ranks) > 1
        assert trained_until(lambda process: None, *ranks) > 1  # nobody reads on


def test_assets_are_plain_files_of_bounded_length():
    with folder() as where:
        assets = pathlib.Path(where) / "assets"
        shutil.copytree(SOURCE / "assets", assets)
        (assets / "models/z.json").symlink_to("/dev/zero")
        os.mkfifo(assets / "gpus/y.json")
        outcome = Outcome("--assets", assets, "evaluate", DEFAULT, timeout=60).exits(0)
        outcome.mentions("models/z.json", "gpus/y.json")


def test_very_many_faults_are_counted_and_not_all_printed():
    with folder() as where:
        reviews = ",".join('{"card": 7}' for _ in range(200_000))
        progress = written(where, "progress.json", f'{{"schema": "ringside.progress/1", "reviews": [{reviews}]}}')
        outcome = Outcome("picture", "--view", "study", "--progress", progress, "-o", pathlib.Path(where) / "x.png").exits(2)
        assert len(outcome.err) < 10_000 and "more" in outcome.err.splitlines()[-1]


def test_check_names_words_and_signs_that_no_line_can_show():
    with folder() as where:
        lesson = json.loads(next((SOURCE / "lessons/memory").glob("*.json")).read_text())
        lesson["about"] = "w" * 1_000_000
        lesson["steps"][0]["heading"] = "a bell \a rings"
        path = written(where, "lesson.json", json.dumps(lesson))
        outcome = Outcome("check", path, "--seeds", "1")
        assert outcome.code == 1, outcome.err[:2000]
        outcome.mentions("about: has a word of 1,000,000 bytes", "steps[0].heading: has a control character")
        assert len(outcome.err) < 20_000


def test_reasons_are_the_right_ones():
    with folder() as where:
        done = subprocess.run(["sh", "-c", '"$1" evaluate - <"$2"', "sh", RINGSIDE, where], capture_output=True, text=True)
        assert done.returncode == 2 and "s a directory" in done.stderr, done
        done = subprocess.run(["sh", "-c", '"$1" evaluate - <&-', "sh", RINGSIDE], capture_output=True, text=True)
        assert done.returncode == 2 and "could not be read" in done.stderr, done
        file = written(where, "file", "x")
        Outcome("export", DEFAULT, "--to", "megatron", "-o", file / "below").exits(2).mentions("Not a directory")
        Outcome("schedule", "--svg", ".").exits(2).mentions("is a folder")
        Outcome("picture", "--view", "ranks", "--watch", "-", "-o", pathlib.Path(where) / "x.png").exits(2).mentions("standard input, which does not change")
        for watched in ("-", "/dev/null", written(where, "empty", "")):
            outcome = Outcome("picture", "--view", "ranks", "--watch", watched, "-o", pathlib.Path(where) / "x.png").exits(2)
            assert len(outcome.err) > len("--watch: \n") + 10, outcome.err


def test_help_is_on_every_command():
    assert "evaluate" in Outcome("--help").exits(0).out
    for command in ("evaluate", "validate", "calibrate", "check", "schedule", "collective", "picture", "bench"):
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
        for arguments in (["evaluate", copy], ["evaluate", copy, "--set", "parallel.tensor=4"], ["check", "--seeds", 1, copy], ["validate", copy]):
            Outcome(*arguments)
        assert copy.read_bytes() == before
        assert [entry.name for entry in pathlib.Path(where).iterdir()] == ["copy.json"]


def test_lesson_list_has_every_lesson_in_order_and_show_has_the_engines_numbers():
    lessons = json.loads(Outcome("lesson", "list", "--json").exits(0).out)["lessons"]
    assert [l["number"] for l in lessons] == sorted(l["number"] for l in lessons) and len(lessons) >= 12
    assert all({"id", "title", "minutes", "concepts", "track"} <= set(l) for l in lessons)
    shown = json.loads(Outcome("lesson", "show", "memory", "--json").exits(0).out)
    truths = [step["predict"]["truth"] for step in shown["steps"] if "predict" in step]
    assert "16 bytes" in truths and "{" not in json.dumps([s["text"] for s in shown["steps"]])
    assert "16 bytes" in Outcome("lesson", "show", "memory").exits(0).out
    track = json.loads(Outcome("lesson", "list", "--track", "class", "--json").exits(0).out)
    assert track["minutes"] <= 90 and sum(p["minutes"] for p in track["parts"]) == track["minutes"]
    assert set(l for p in track["parts"] for l in p["lessons"]) <= set(l["id"] for l in lessons)
    assert "What fills a GPU" in Outcome("lesson", "list", "--track", "class").exits(0).out
    Outcome("lesson", "list", "--track", "clas").exits(2).mentions("--track", "clas", "week")
    Outcome("lesson", "show", "memry").exits(2).mentions("memry", "did you mean memory?")


def test_check_names_the_fault_of_a_lesson_with_file_and_path():
    with folder() as where:
        where = pathlib.Path(where)
        shutil.copytree(SOURCE / "assets", where / "assets")
        shutil.copytree(SOURCE / "lessons", where / "lessons")
        Outcome("--assets", where / "assets", "check", "--seeds", "1").exits(0)
        path = where / "lessons/memory/memory.json"
        lesson = json.loads(path.read_text(encoding="utf-8"))
        lesson["steps"][2]["predict"]["to"] = 10
        lesson["steps"][0]["highligt"] = "x"
        written(where, "lessons/memory/memory.json", json.dumps(lesson))
        Outcome("--assets", where / "assets", "check", "--seeds", "1").exits(1).mentions("lessons/memory/memory.json: steps[0].highligt: unknown field")
        del lesson["steps"][0]["highligt"]
        written(where, "lessons/memory/memory.json", json.dumps(lesson))
        Outcome("--assets", where / "assets", "check", "--seeds", "1").exits(1).mentions("lessons/memory/memory.json: steps[2].predict.truth: is 16.0 here, off the slider")


def test_an_unknown_lesson_is_bad_input_for_the_window_and_for_a_picture():
    with folder() as where:
        Outcome("picture", "--lesson", "bubbel", "-o", pathlib.Path(where) / "x.png").exits(2).mentions("did you mean bubble?")
        Outcome("picture", "--lesson", "bubble", "--step", "99", "-o", pathlib.Path(where) / "x.png").exits(2).mentions("use 1 to")


def test_check_reads_demonstrations_and_lessons_by_their_schema():
    with folder() as where:
        good = written(where, "good.json", '{"schema": "ringside.demo/1", "title": "T", "scenes": [{"title": "A", "view": "memory"}]}')
        Outcome("check", "--seeds", "1", good).exits(0)
        bad = written(where, "bad.json", '{"schema": "ringside.demo/1", "title": "T", "scenes": [{"title": "A", "view": "memroy"}]}')
        Outcome("check", "--seeds", "1", bad).exits(1).mentions("scenes[0].view", 'did you mean "memory"?')
        lesson = written(where, "x.json", '{"schema": "ringside.lesson/1", "id": "x"}')
        Outcome("check", "--seeds", "1", lesson).exits(1).mentions("steps: is missing")


def test_a_scene_is_drawn_and_an_unknown_demonstration_names_those_there_are():
    with folder() as where:
        picture = pathlib.Path(where) / "scene.png"
        Outcome("picture", "--script", "first-class", "--step", "2", "-o", picture).exits(0)
        assert picture.stat().st_size > 10_000
        Outcome("picture", "--script", "last-class", "-o", picture).exits(2).mentions("first-class")


HF = SOURCE / "tests/data/hf"
SHIPPED = ("default", "deepseek-v3-2048", "mixtral-8x7b-64", "gpt-13b-8", "llama-8b-8", "mpt-30b-512")


def exported(tool, scenario, *more):
    outcome = Outcome("export", SOURCE / f"assets/scenarios/{scenario}.json", "--to", tool, "--json", *more).exits(0)
    return json.loads(outcome.out)


def file_of(document, name):
    return next(entry["text"] for entry in document["files"] if entry["name"] == name)


def test_import_hf_counts_a_released_model_and_finds_its_preset():
    document = json.loads(Outcome("import", "hf", HF / "llama-3.1-8b.json", "--json").exits(0).out)
    assert document["parameters"] == 8030261248, document["parameters"]
    assert document["preset"] == "llama-3.1-8b" and document["notes"] == []
    assert document["model"]["kv_heads"] == 8 and document["model"]["ffn"] == 14336
    outcome = Outcome("import", "hf", HF / "deepseek-v3.json").exits(0)
    assert "671,026,419,200 parameters" in outcome.out, outcome.out
    outcome.mentions(f"warning: {HF / 'deepseek-v3.json'}: quantization_config: fp8 weights on the hub", "multi-token prediction")


def test_import_hf_writes_a_model_that_check_accepts():
    with folder() as where:
        where = pathlib.Path(where)
        shutil.copytree(SOURCE / "assets", where / "assets")
        shutil.copytree(SOURCE / "lessons", where / "lessons")
        model = where / "assets/models/my-mixtral.json"
        text = (HF / "mixtral-8x7b.json").read_text(encoding="utf-8")
        Outcome("import", "hf", "-", "--name", "My Mixtral", "-o", model, text=text).exits(0)
        assert json.loads(model.read_text(encoding="utf-8"))["id"] == "my-mixtral"
        Outcome("--assets", where / "assets", "check", "--seeds", "1").exits(0)
        scenario = '{"model": "my-mixtral", "cluster": {"gpus": 64}, "parallel": {"expert": 8, "zero": 1}, "training": {"global_batch": 64}}'
        report = json.loads(Outcome("--assets", where / "assets", "evaluate", "-", "--json", text=scenario).out)
        assert report["model"]["parameters"] == 46702792704


def test_a_model_file_is_named_wherever_a_preset_is():
    with folder() as where:
        where = pathlib.Path(where)
        shutil.copy(HF / "glm-5.json", where / "glm.json")
        document = {"model": "glm.json", "cluster": {"gpus": 512}, "parallel": {"expert": 64, "zero": 1}, "training": {"global_batch": 512}}
        scenario = written(where, "scenario.json", json.dumps(document))
        report = json.loads(Outcome("evaluate", scenario, "--json").out)
        assert report["model"]["parameters"] == 743911218432, report["model"]
        written(where, "part.json", json.dumps({**document, "model": {"preset": "glm.json", "layers": 40}}))
        assert json.loads(Outcome("evaluate", where / "part.json", "--json").out)["model"]["parameters"] < 500e9
        # Given on the command line, and what import hf writes.
        Outcome("import", "hf", HF / "qwen3-0.6b.json", "-o", where / "small.json").exits(0)
        for name in (HF / "qwen3-0.6b.json", where / "small.json"):
            small = json.loads(Outcome("evaluate", DEFAULT, "--set", f"model={name}", "parallel.tensor=1", "parallel.pipeline=1", "training.global_batch=256", "--json").out)
            assert small["model"]["parameters"] == 596049920, small["model"]
        params = written(where, "params.json", json.dumps({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256, "multiple_of": 1024, "ffn_dim_multiplier": 1.3}))
        for name, parameters in ((where / "small.json", 596049920), (params, 8030261248), ("llama-3.1-8b", 8030261248)):
            outcome = Outcome("evaluate", SOURCE / "assets/scenarios/llama-8b-8.json", "--model", name, "--json")
            assert json.loads(outcome.out)["model"]["parameters"] == parameters, outcome.err
        fewer = Outcome("evaluate", SOURCE / "assets/scenarios/llama-8b-8.json", "--set", "model.layers=16", "--model", params, "--json")
        assert json.loads(fewer.out)["model"]["parameters"] < 5e9  # a field that is set changes the file's
        assert json.loads(Outcome("evaluate", where / "small.json", "--json").out)["model"]["parameters"] == 596049920
        written(where, "lost.json", json.dumps({"model": "nowhere.json"}))
        Outcome("evaluate", where / "lost.json").exits(2).mentions("model: nowhere.json: ")


def test_import_hf_refuses_with_path_value_and_what_works():
    outcome = Outcome("import", "hf", "-", text='{"model_type": "llama", "hidden_size": "wide", "num_hidden_layers": -1}').exits(2)
    assert outcome.out == ""
    outcome.says('-: hidden_size: "wide" is not a whole number (use 1 to 1048576)')
    outcome.says("-: num_hidden_layers: -1 is out of range (use 1 to 10000)")
    Outcome("import", "hf", "-", text='{"model_type": "bert"}').exits(2).mentions("known are gpt2, gpt_neox, llama")
    Outcome("import", "hf", "-", text='{"model_type": "llama", "num_local_experts": 8}').exits(0).mentions("num_local_experts: is not part of llama")
    Outcome("import", "hf", "/nowhere/config.json").exits(2)
    Outcome("import", "hf", HF / "llama-3.1-8b.json", "--name", "\udcff", "--json").exits(2).mentions("--name: ", "is not UTF-8")
    Outcome("import", "hf", HF / "llama-3.1-8b.json", "-o", "\udcff.json").exits(2).mentions("--output: ", "is not UTF-8")
    Outcome("import", "hf", "-", text="[" * 100000).exits(2)
    with folder() as where:
        Outcome("import", "hf", "-", "-o", pathlib.Path(where) / "m.json", text="{}").exits(2)
        assert list(pathlib.Path(where).iterdir()) == []


def test_export_to_megatron_is_a_script_that_bash_can_read():
    for scenario in SHIPPED:
        document = exported("megatron", scenario)
        script = file_of(document, "launch.sh")
        assert subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True).stderr == ""
        shown = subprocess.run(["bash"], input="torchrun() { printf '%s\\n' \"$@\"; }\nNODE_RANK=0 MASTER_ADDR=a\n" + script, text=True, capture_output=True)
        words = shown.stdout.splitlines()
        for flag in document["flags"]:
            assert flag["flag"] in words, (scenario, flag["flag"], shown.stderr)
            value = flag["value"].strip("'")
            assert value == "" or words[words.index(flag["flag"]) + 1] == value, (scenario, flag)
    document = exported("megatron", "default", "--set", "parallel.tensor=4")
    assert {"flag": "--tensor-model-parallel-size", "value": "4", "explains": "GPUs that share each matrix", "field": "parallel.tensor"} in document["flags"]


def test_export_to_deepspeed_is_json_whose_batch_adds_up():
    for scenario in SHIPPED:
        config = json.loads(file_of(exported("deepspeed", scenario), "ds_config.json"))
        document = json.loads((SOURCE / f"assets/scenarios/{scenario}.json").read_text(encoding="utf-8"))
        parallel = document["parallel"]
        data = document["cluster"]["gpus"] // (parallel.get("tensor", 1) * parallel.get("pipeline", 1) * parallel.get("context", 1))
        assert config["train_batch_size"] == config["train_micro_batch_size_per_gpu"] * config["gradient_accumulation_steps"] * data, scenario
        assert config["zero_optimization"]["stage"] == parallel["zero"], scenario


def test_export_to_torchtitan_is_toml_with_every_gpu_in_one_place():
    import tomllib
    for scenario in SHIPPED:
        config = tomllib.loads(file_of(exported("torchtitan", scenario, "--for", "v0.2.2"), "train.toml"))
        p = config["parallelism"]
        gpus = p["data_parallel_replicate_degree"] * p["data_parallel_shard_degree"] * p["tensor_parallel_degree"] * p["pipeline_parallel_degree"] * p["context_parallel_degree"]
        document = json.loads((SOURCE / f"assets/scenarios/{scenario}.json").read_text(encoding="utf-8"))
        assert gpus == document["cluster"]["gpus"], scenario
        assert config["training"]["seq_len"] == document["training"]["sequence_length"]


def flat(text):
    """The settings of YAML that is nothing but nested mappings, as dotted paths."""
    path, found = [], {}
    for line in text.splitlines():
        line = line.split("  #")[0].rstrip()
        if not line or line.startswith("#"):
            continue
        depth, body = (len(line) - len(line.lstrip())) // 2, line.strip()
        key, colon, value = body.partition(":")
        assert colon and depth <= len(path), line
        path = path[:depth] + [key]
        if value.strip():
            assert ".".join(path) not in found, line
            found[".".join(path)] = value.strip()
    return found


def test_export_to_nanotron_is_yaml_with_every_gpu_in_one_place():
    for scenario in SHIPPED:
        document = exported("nanotron", scenario)
        text = file_of(document, "config.yaml")
        settings = flat(text)
        assert settings == {flag["flag"]: flag["value"] for flag in document["flags"]}, scenario
        gpus = json.loads((SOURCE / f"assets/scenarios/{scenario}.json").read_text(encoding="utf-8"))["cluster"]["gpus"]
        of = lambda name: int(settings["parallelism." + name])
        assert of("dp") * of("pp") * of("tp") * of("context_parallel_size") == gpus, scenario


def test_export_says_what_a_framework_cannot():
    document = exported("nanotron", "default", "--set", "training.schedule=zb-h1")
    assert {"field": "training.schedule", "value": "zb-h1", "says": "there are 1F1B and all forwards before all backwards; 1F1B written"} in document["not_expressed"]
    assert all(entry["says"] for entry in document["not_expressed"]) and document["version"]
    shown = Outcome("export", DEFAULT, "--to", "megatron").exits(0).out
    assert "==> launch.sh <==" in shown and "Megatron-LM supports every setting" in shown


def test_export_warns_of_what_does_not_fit_and_refuses_what_cannot_be():
    Outcome("export", "-", "--to", "megatron", text=TOO_LARGE).exits(0).mentions("warning: -: memory: does not fit")
    Outcome("export", DEFAULT, "--to", "megatron", "--set", "parallel.tensor=7").exits(2).mentions("parallel.tensor: 7 does not divide 64 heads")
    Outcome("export", DEFAULT, "--to", "horovod").exits(2)
    with folder() as where:
        Outcome("export", DEFAULT, "--to", "torchtitan", "--for", "v0.2.2", "-o", where).exits(0)
        assert sorted(path.name for path in pathlib.Path(where).iterdir()) == ["launch.sbatch", "launch.sh", "train.toml"]
    Outcome("export", DEFAULT, "--to", "torchtitan", "--for", "v0.1").exits(2).mentions("v0.1 is no version of torchtitan (use one of 2026-08-21, v0.2.2)")


def test_frameworks_and_software_have_the_names_and_versions_that_others_rely_on():
    for name in ("megatron", "torchtitan", "deepspeed", "nanotron", "nemo", "axolotl", "maxtext", "accelerate"):
        Outcome("export", DEFAULT, "--to", name, "--json").exits(0)
    older = json.loads(Outcome("export", DEFAULT, "--to", "torchtitan@v0.2.2", "--json").exits(0).out)
    assert older == json.loads(Outcome("export", DEFAULT, "--to", "torchtitan", "--for", "v0.2.2", "--json").exits(0).out)
    assert older["version"] == "v0.2.2", older["version"]
    assert "is no version of torchtitan" in Outcome("export", DEFAULT, "--to", "torchtitan@v9").exits(2).err
    for name in ("megatron-core-2023", "megatron-core-2024", "megatron-core-2025", "megatron-core-2026", "torchtitan-2024",
                 "torchtitan-2026", "nanotron", "automodel", "hf-trainer", "compiled-single-node", "maxtext", "deepseek"):
        Outcome("evaluate", DEFAULT, "--set", f"software={name}", "--json").exits(0)


def test_export_to_todays_torchtitan_is_options_and_python_that_parse():
    import ast
    for scenario in SHIPPED:
        document = exported("torchtitan", scenario)
        script = file_of(document, "launch.sh")
        assert subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True).stderr == ""
        assert "-m torchtitan.train --module " in script and ".toml" not in script
        for entry in document["files"]:
            if entry["name"].endswith(".py"):
                ast.parse(entry["text"])


def test_scaling_splits_a_compute_budget_by_every_published_law():
    out = json.loads(Outcome("scaling", "--compute", "5.76e23", "--json").exits(0).out)
    laws = {row["law"]: row for row in out["optimum"]}
    assert set(laws) == {"20-tokens", "kaplan", "approach-1", "approach-2", "printed", "unrounded", "refit"}
    # sqrt(5.76e23 / 120), and Table 3 of Hoffmann et al. for Gopher's budget.
    assert abs(laws["20-tokens"]["parameters"] / 6.9282e10 - 1) < 1e-4 and abs(laws["20-tokens"]["tokens_per_parameter"] - 20) < 1e-9
    assert abs(laws["approach-1"]["parameters"] / 67e9 - 1) < 1e-9
    for row in laws.values():
        assert abs(row["tokens"] / row["parameters"] / row["tokens_per_parameter"] - 1) < 1e-9 and "arXiv" in row["source"], row
        if row["law"] != "kaplan":  # whose N and D are fitted apart
            assert abs(row["flops"] / 5.76e23 - 1) < 1e-9, row
    # No split of the same budget beats a fit's own optimum.
    for fit in ("printed", "unrounded", "refit"):
        assert min(laws.values(), key=lambda row: row["loss"][fit] + (row["law"] == "kaplan"))["law"] == fit
    assert out["budget"] is None and not out["point"]["given"]


def test_scaling_gives_loss_days_and_cost_of_a_model_and_its_tokens():
    out = json.loads(Outcome("scaling", "--parameters", "70B", "--tokens", "1.4T", "--gpus", "1024", "--gpu", "h100-sxm-80gb", "--mfu", "40%",
                             "--price", "2.5", "--json").exits(0).out)
    losses = {row["law"]: row["value"] for row in out["loss"]}
    assert abs(losses["printed"] - (1.69 + 406.4 / 70e9**0.34 + 410.7 / 1.4e12**0.28)) < 1e-12
    assert abs(losses["refit"] - (1.8172 + 482.01 / 70e9**0.3478 + 2085.43 / 1.4e12**0.3658)) < 1e-12
    assert out["compute_flops"] == 5.88e23 and out["point"]["tokens_per_parameter"] == 20
    # 5.88e23 / (989e12 x 0.4) seconds of one GPU.
    budget = out["budget"]
    assert abs(budget["gpu_hours"] / 412_875 - 1) < 1e-4 and abs(budget["days"] / 16.80 - 1) < 1e-3
    assert abs(budget["cost_usd"] / (2.5 * budget["gpu_hours"]) - 1) < 1e-12
    assert all(ratio >= 1 for ratio in out["point"]["compute_over_optimum"].values())
    text = Outcome("scaling", "--parameters", "70B", "--tokens", "1.4T", "--gpus", "1024", "--price", "2.5").exits(0)
    assert text.err == "" and "16.8 days" in text.out and "Kaplan" in text.out and "arXiv 2404.10102" in text.out


def test_scaling_counts_repeats_and_serving():
    out = json.loads(Outcome("scaling", "--parameters", "8B", "--compute", "7.2e23", "--unique", "3T", "--serve", "20T", "--json").exits(0).out)
    assert out["point"]["tokens"] == 1.5e13 and out["data"]["passes"] == 5
    assert 3e12 < out["data"]["effective_tokens"] < 1.5e13
    life = out["lifetime"]
    assert life["serving_flops"] == 2 * 8e9 * 20e12
    for row in life["cheapest"]:
        assert row["training_flops"] + row["serving_flops"] <= life["training_flops"] + life["serving_flops"], row


def test_scaling_names_every_bad_field():
    Outcome("scaling").exits(2).mentions("--compute: nothing was given to compute with", "--parameters N and --tokens D")
    Outcome("scaling", "--parameters", "70B").exits(2).mentions("--tokens: ")
    Outcome("scaling", "--tokens", "1T").exits(2).mentions("--parameters: ")
    Outcome("scaling", "--compute", "1e23", "--parameters", "7B", "--tokens", "1T").exits(2).mentions("--compute: ", "leave one of the three out")
    bad = Outcome("scaling", "--compute", "much", "--mfu", "140%", "--gpu", "h100-sxm", "--gpus", "0", "--price", "nan", "--unique", "-1", "--serve", "1e40").exits(2)
    bad.mentions("--compute: \u201cmuch\u201d is not a number", "--mfu: 140% is out of range", "--gpu: there is no", "--gpus: 0 is out of range", "--price: ", "--unique: ", "--serve: ")
    assert bad.out == ""


def test_evaluate_writes_markdown_and_csv():
    metrics = json.loads(Outcome("evaluate", DEFAULT, "--json").exits(0).out)
    rows = list(csv.DictReader(io.StringIO(Outcome("evaluate", DEFAULT, "--csv").exits(0).out)))
    whole = {row["metric"]: row for row in rows if row["stage"] == ""}
    assert set(whole) == set(metrics["metrics"])
    for name, value in metrics["metrics"].items():
        assert float(whole[name]["value"]) == float(value), name
    assert whole["step.time_s"]["unit"] == "s" and whole["memory.total_bytes"]["unit"] == "B"
    for stage in metrics["memory"]["stages"]:
        of = {row["metric"]: float(row["value"]) for row in rows if row["stage"] == str(stage["stage"])}
        parts = [value for name, value in of.items() if name.startswith("memory.") and name not in ("memory.total_bytes", "memory.allocated_bytes", "memory.card_bytes")]
        assert of["memory.total_bytes"] == sum(parts) == stage["total_bytes"]
    markdown = Outcome("evaluate", DEFAULT, "--markdown").exits(0).out
    for table in markdown.split("\n\n"):
        if table.startswith("|"):
            assert len({line.count("|") for line in table.strip().splitlines()}) == 1, table
    assert markdown.startswith("# ") and "| step.mfu |" in markdown and "## Memory per GPU [GB]" in markdown
    Outcome("evaluate", "-", "--csv", text=TOO_LARGE).exits(1)
    Outcome("evaluate", DEFAULT, "--csv", "--json").exits(2)


def test_search_writes_csv():
    rows = list(csv.DictReader(io.StringIO(Outcome("search", "-", "--csv", "--top", "3", text=FITS).exits(0).out)))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    assert all(int(row["tensor"]) * int(row["context"]) * int(row["pipeline"]) * int(row["data"]) == int(row["gpus"]) for row in rows)
    assert [float(row["step_time_s"]) for row in rows] == sorted(float(row["step_time_s"]) for row in rows)
    Outcome("search", "-", "--csv", "--json", text=FITS).exits(2)


def commands_in_help(*words):
    lines = Outcome(*words, "--help").exits(0).out.splitlines()
    return [line.split()[0] for line in lines[lines.index("Subcommands:") + 1:] if re.match("  [a-z]", line)] if "Subcommands:" in lines else []


def test_the_manual_page_and_completions_have_every_command_and_option():
    commands = commands_in_help()
    assert "evaluate" in commands and "mcp" in commands, commands
    pages = {form: Outcome("describe", form).exits(0).out for form in ("man", "bash", "zsh", "fish")}
    for command in commands:
        options = re.findall(r"^  (?:-\w,)?--([a-z-]+)", Outcome(command, "--help").exits(0).out, re.M)
        assert f".SS ringside {command}\n".replace("-", "\\-") in pages["man"], command
        for option in options:
            assert "\\-\\-" + option.replace("-", "\\-") in pages["man"] or option == "help", (command, option)
            assert all(f"--{option}" in pages[form] for form in ("bash", "zsh")) and f"-l {option} " in pages["fish"], (command, option)
    for form in ("bash", "zsh"):
        if shutil.which(form):
            subprocess.run([form, "-n"], input=pages[form], text=True, check=True)
    for words, expected in (("ringside eva", "evaluate"), ("ringside question s", "show"), ("ringside search --ob", "--objective"), ("ringside question show --se", "--seed")):
        line = " ".join(f"'{word}'" for word in words.split())
        script = pages["bash"] + f"COMP_WORDS=({line}); COMP_CWORD={len(words.split()) - 1}; _ringside; echo ${{COMPREPLY[@]}}"
        assert subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.strip() == expected, words


def test_all_that_commands_print_can_be_captured_by_a_server():
    for path in (SOURCE / "app").rglob("*.cpp"):
        text = path.read_text(encoding="utf-8")
        for way in ("fmt::print(", "std::cout", "std::cerr", "std::printf(", "std::puts("):
            assert way not in text, f"{path}: {way} passes put() and warn() by"


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
