"""Files of training runs, read by the real program.

usage: runs_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)

RINGSIDE_TRACE_BYTES: how large a trace is generated for the test of memory, 5e7 without it; docs/measurements.md has 1e9.
RINGSIDE_RUN_SAMPLES: a folder of public files with an expected.json of their answers. It is not part of this repository,
so without it that test is skipped. Counts, bytes and culprits are exact, times within 0.5%.
"""
import json
import os
import pathlib
import pickle
import resource
import subprocess
import sys
import tempfile

from script import SKIPPED, run_tests

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
EXAMPLES = SOURCE / "tests/data/runs"
TIMES = {"total_s": "total_ms", "computing_s": "computation_ms", "communication_s": "communication_ms", "memcpy_s": "memcpy_ms",
         "exposed_communication_s": "exposed_communication_ms", "memcpy_exposed_s": "exposed_memcpy_ms", "busy_s": "busy_ms", "idle_s": "idle_ms"}
COUNTS = {"kernels_computing": "kernels_computing", "kernels_communication": "kernels_communication", "memcpys": "memcpy", "memsets": "memset"}


def read(*files, expected=(0,), text=None):
    done = subprocess.run([RINGSIDE, "import", "run", *map(str, files), "--json"], input=text, capture_output=True, text=True, timeout=600)
    assert done.returncode in expected, f"exit status {done.returncode}: {done.stderr}"
    return json.loads(done.stdout) if done.stdout else done.stderr


def near(got, expected, unit=1.0):
    return got is not None and abs(got - expected * unit) <= 0.005 * abs(expected * unit) + 2e-4 * unit


def timeline_faults(got, expected):
    for key, name in TIMES.items():
        if name in expected and not near(got.get(key), expected[name], 1e-3):
            yield f"{name} is {got.get(key)}, not {expected[name]} ms"
    for key, name in COUNTS.items():
        if name in expected and got.get(key) != expected[name]:
            yield f"{name} is {got.get(key)}, not {expected[name]}"


def same(pairs):
    yield from (f"{name} is {got!r}, not {want!r}" for name, got, want in pairs if got != want)


def trace_faults(answer, expected):
    trace = answer["traces"][0]
    yield from same((k, trace.get(k), expected[k]) for k in ("gpu_events_in_file", "gpu_events_counted", "rank", "world_size", "device") if k in expected)
    if expected["figures"]:
        yield from timeline_faults(trace.get("timeline_without_symmetric_memory", trace["timeline"]), expected["figures"])
    yield from timeline_faults(trace.get("timeline", {}), expected.get("figures_with_symmetric_memory_kernels_as_communication", {}))
    steps = expected.get("steps", [])
    yield from same([("steps", [s["step"] for s in trace["steps"]], [s["step"] for s in steps])])
    for got, want in zip(trace["steps"], steps):
        yield from timeline_faults(got["timeline"], want) if want.get("gpu", 1) else same([("timeline", "timeline" in got, False)])
    calls = {(c["kind"], c["ranks"], c["dtype"]): c for c in trace["collectives"]}
    for want in expected.get("collectives", []):
        got = calls.get((want["name"], want["group_size"], want["dtype"]), {})
        yield from same((k, got.get(k), want[k]) for k in ("count", "in_bytes", "out_bytes"))


def hang_faults(answer, expected):
    hang = answer["hang"]
    yield from same([("culprits", hang["culprits"], expected["culprits"])])
    groups = {g["group"]: g for g in hang["groups"]}
    for want in expected["groups"]:
        got = groups.get(want["group"], {})
        yield from same([("culprits", got.get("culprits"), want["culprits"]), ("sequence", got.get("sequence"), want["others_first_outstanding"]["sequence"]),
                         ("collective", got.get("collective"), want["others_first_outstanding"]["collective"])])


def snapshot_faults(answer, expected):
    memory, trace = answer["memory"], expected["trace"][0]
    names = {"live_bytes": "live_bytes", "reserved_bytes": "reserved_bytes", "requested_bytes": "requested_bytes_of_live",
             "inactive_bytes": "inactive_in_active_segments_bytes", "empty_segments_bytes": "empty_segments_bytes"}
    yield from same((k, memory[k], expected[name]) for k, name in names.items())
    yield from same([("peak", memory["peak_bytes"], trace["peak_live_requested_bytes"]), ("peak reserved", memory["peak_reserved_bytes"], trace["peak_reserved_bytes"])])


def log_faults(answer, expected):
    step = answer["step"]
    if "steps_found" in expected:
        yield from same([("steps", step["count"], expected["steps_found"])])
    for key, name in (("median_s", "median"), ("p90_s", "p90")):
        if isinstance(expected.get("step_ms"), dict) and not near(step.get(key), expected["step_ms"][name], 1e-3):
            yield f"{name} is {step.get(key)}, not {expected['step_ms'][name]} ms"
    for key, name in (("tokens_per_s_per_gpu", "tokens_per_s_gpu"), ("tflops_per_gpu", "tflops"), ("samples_per_s", "samples_per_s")):
        if isinstance(expected.get(name), dict) and not near(step.get(key, {}).get("median"), expected[name]["median"]):
            yield f"{name} is {step.get(key)}, not {expected[name]}"
    spikes = expected.get("spikes_over_1_5_median", step["spikes"])
    spikes = spikes["count"] if isinstance(spikes, dict) else len(spikes) if isinstance(spikes, list) else spikes
    yield from same([("spikes", step["spikes"], spikes), ("skipped", step["skipped"], expected.get("skipped_iterations_sum", step["skipped"]))])


def join_faults(answer, expected):
    yield from same([("straggler", answer["ranks"]["straggler"], expected["straggler"])])
    for rank in answer["ranks"]["ranks"]:
        if not near(rank["waited_s"], expected["waiting_ms"][str(rank["rank"])], 1e-3):
            yield f"rank {rank['rank']} waited {rank['waited_s']} s"


def faults_of(name, answer, expected):
    if "straggler" in expected:
        return join_faults(answer, expected)
    for part, check in (("traces/", trace_faults), ("flight-recorder/", hang_faults), ("snapshots/", snapshot_faults), ("logs/", log_faults)):
        if name.startswith(part):
            return check(answer, expected)
    if name.startswith("nsys/"):
        return (fault for t in answer["traces"] for fault in timeline_faults(t["timeline"], expected["devices"][t["device"]]))
    return same([("rows", len(answer["nccl_tests"]["rows"]), expected["rows"]), ("ranks", answer["nccl_tests"]["ranks"], expected["ranks_by_that_ratio"])])


def test_published_files_give_their_known_answers():
    folder = os.environ.get("RINGSIDE_RUN_SAMPLES")
    if not folder:
        print("skipped: RINGSIDE_RUN_SAMPLES names no folder of samples")
        return SKIPPED
    folder = pathlib.Path(folder)
    wrong = []
    for name, expected in json.loads((folder / "expected.json").read_text()).items():
        if not name.startswith(("tables/", "nccl/nccl-info")):
            wrong += [f"{name}: {fault}" for fault in faults_of(name, read(folder / name), expected)]
    assert not wrong, "\n".join(wrong)
    return None


def test_a_run_beside_a_scenario_is_compared_with_it():
    answer = read(EXAMPLES / "megatron.log", "--scenario", SOURCE / "assets/scenarios/gpt-13b-8.json")
    time = answer["compared"]["step.time_s"]
    assert time["measured"] == 0.5025 and time["predicted"] > 0, time
    parts = answer["difference"]
    assert [p["part"] for p in parts if p["measured_s"] is not None] == ["unexplained"], "a log tells no parts apart: " + str(parts)
    assert abs(sum(p["predicted_s"] if p["measured_s"] is None else p["measured_s"] for p in parts) - 0.5025) < 1e-9, parts


def test_other_commands_say_what_a_file_of_a_run_is():
    for name, what in (("megatron.log", "a log"), ("trace-rank0.json.gz", "a trace"), ("snapshot.pickle", "a pickle")):
        for command in (["validate"], ["evaluate"], ["import"]):
            done = subprocess.run([RINGSIDE, *command, EXAMPLES / name], capture_output=True, text=True)
            assert done.returncode == 2 and what in done.stderr and "ringside import run FILE reads it" in done.stderr, (command, name, done.stderr)


def test_a_log_comes_from_standard_input_and_a_folder_is_read_whole():
    assert read("-", text=(EXAMPLES / "nemo.log").read_text())["software"] == "nemo"
    assert read(EXAMPLES / "hang")["hang"]["culprits"] == [2]


def test_the_predicted_step_is_a_trace_that_reads_back():
    scenario = SOURCE / "assets/scenarios/llama-8b-8.json"
    text = subprocess.run([RINGSIDE, "export", scenario, "--to", "kineto"], capture_output=True, text=True, check=True).stdout
    answer = read("-", "--scenario", scenario, text=text)
    assert answer["kind"] == "trace" and answer["traces"][0]["world_size"] == 8, answer["kind"]
    assert abs(answer["compared"]["step.time_s"]["error"]) < 0.01, answer["compared"]
    unexplained = sum(p["measured_s"] for p in answer["difference"] if p["part"] == "unexplained")
    assert unexplained < 0.05 * answer["compared"]["step.time_s"]["measured"], answer["difference"]


KERNELS = ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", "void flash_fwd_kernel<Flash_fwd_kernel_traits>(Flash_fwd_params)",
           "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)", "triton_red_fused_mean_mul_pow_rsqrt_7")


def write_trace(path, least_bytes):
    """One rank's trace with the mix of events that real ones have: for a kernel its launch, three events of the host and an arrow."""
    with open(path, "w") as out:
        size = out.write('{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3"}],'
                         '"distributedInfo":{"backend":"nccl","rank":0,"world_size":8},"traceEvents":[\n')
        kernels = 0
        while size < least_bytes:
            kernels += 1
            at, tail = kernels * 30, f'"External id":{kernels},"correlation":{kernels}'
            host = '"ph":"X","pid":1,"tid":1'
            shapes = '"Input Dims":[[8192,4096],[4096,4096],[4096]],"Input type":["float","float","float"],"Input Strides":[[4096,1],[1,4096],[1]]'
            for name in ("aten::linear", "aten::addmm", "torch/nn/modules/linear.py(124): forward"):
                size += out.write(f'{{{host},"cat":"cpu_op","name":"{name}","ts":{at},"dur":12.5,"args":{{"External id":{kernels},{shapes}}}}},\n')
            size += out.write(f'{{{host},"cat":"cuda_runtime","name":"cudaLaunchKernel","ts":{at + 2}.25,"dur":4,"args":{{{tail}}}}},\n')
            size += out.write(f'{{"ph":"s","id":{kernels},"pid":1,"tid":1,"ts":{at + 2},"cat":"ac2g","name":"ac2g"}},\n')
            size += out.write(f'{{"ph":"X","cat":"kernel","name":"{KERNELS[kernels % 4]}","pid":0,"tid":7,"ts":{at + 8},"dur":{5 + kernels % 20}.5,'
                              f'"args":{{"device":0,"stream":7,"registers per thread":168,"grid":[2,66,1],"block":[384,1,1],{tail}}}}},\n')
        out.write('{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0}]}\n')
        return kernels


def test_a_trace_of_any_size_is_read_in_bounded_memory():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rank0.pt.trace.json"
        kernels = write_trace(file, float(os.environ.get("RINGSIDE_TRACE_BYTES", "5e7")))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        trace = read(file)["traces"][0]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert trace["gpu_events_counted"] == kernels, trace["gpu_events_counted"]
    print(f"{kernels} kernels in {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f} s, {after.ru_maxrss / 1000:.0f} MB at the peak")
    assert after.ru_maxrss * 1024 < 200e6, f"{after.ru_maxrss} KiB"


def test_the_predicted_memory_is_a_snapshot_that_reads_back():
    scenario = SOURCE / "assets/scenarios/llama-8b-8.json"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([RINGSIDE, "export", scenario, "--to", "snapshot", "--output", folder], capture_output=True, check=True)
        file = pathlib.Path(folder) / "predicted_snapshot.pickle"
        snapshot = pickle.loads(file.read_bytes())
        answer = read(file, "--scenario", scenario)
    compared = answer["compared"]["memory.allocated_bytes"]
    assert compared["measured"] == compared["predicted"], compared
    assert answer["memory"]["live_bytes"] == sum(b["size"] for s in snapshot["segments"] for b in s["blocks"] if b["state"] == "active_allocated")


def test_a_training_of_ones_own_writes_a_snapshot_that_reads_back():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "memory.pickle"
        scenario = pathlib.Path(folder) / "lab.json"
        train = [RINGSIDE, "train", "--steps", "2", "--layers", "4", "--width", "128", "--context", "64", "--device", "cpu", "--json-lines",
                 "--scenario", scenario, "--snapshot"]
        done = subprocess.run([*train, file], capture_output=True, text=True, check=True)
        last = json.loads(done.stdout.splitlines()[-1])
        snapshot = pickle.loads(file.read_bytes())
        answer = read(file)
        assert answer["memory"]["peak_bytes"] == last["peak_bytes"], (answer["memory"], last)
        log = pathlib.Path(folder) / "train.log"
        log.write_text(done.stdout)
        both = read(log, file, "--scenario", scenario)
        assert both["software"] == "ringside" and len(both["steps"]) == 2, both
        compared = both["compared"]["memory.allocated_bytes"]
        assert abs(compared["error"]) < 0.1, compared
        assert answer["memory"]["live_bytes"] == sum(b["size"] for s in snapshot["segments"] for b in s["blocks"] if b["state"] == "active_allocated")
        trace = pathlib.Path(folder) / "trace.json"
        ranks = subprocess.run([*train, file, "--ranks", "2", "--trace", trace], capture_output=True, text=True, check=True)
        last = json.loads(ranks.stdout.splitlines()[-1])
        for rank in (0, 1):
            answer = read(pathlib.Path(folder) / f"memory-rank{rank}.pickle")
            assert answer["memory"]["peak_bytes"] == last["ranks"][rank]["peak_bytes"], rank
        traces = read(*(pathlib.Path(folder) / f"trace-rank{rank}.json" for rank in (0, 1)))
        for one in traces["traces"]:
            assert 0 < one["timeline"]["total_s"] <= last["step_s"] and one["timeline"]["computing_s"] > 0, one
            assert "all-reduce" in {call["kind"] for call in one["collectives"]}, one["collectives"]
        assert traces["ranks"]["same_calls"], traces["ranks"]


def test_a_log_is_watched_until_it_no_longer_grows():
    command = [RINGSIDE, "import", "run", EXAMPLES / "megatron.log", "--watch", "--idle", "1", "--json",
               "--scenario", SOURCE / "assets/scenarios/gpt-13b-8.json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    line = json.loads(done.stdout)
    assert line["recent_s"] > 0 and line["predicted_s"] > 0 and "predicted" in line["says"], line
    refused = subprocess.run([RINGSIDE, "import", "run", EXAMPLES, "--watch"], capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2 and "--watch" in refused.stderr, refused.stderr


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
