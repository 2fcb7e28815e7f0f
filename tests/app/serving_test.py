"""Serving on the command line: a trace replayed, measured rows, the search for a layout, an engine's command.

usage: serving_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

from script import run_tests

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SERVED = {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8, "gpus_per_node": 8},
          "serving": {"engine": "vllm", "traffic": {"prompt": 1024, "output": 128, "concurrency": 16}}}
MOE = {"model": "qwen3-30b-a3b", "cluster": {"gpu": "h200-sxm", "gpus": 8, "gpus_per_node": 8},
       "serving": {"engine": "sglang", "weights": "fp8", "kv_cache": "fp8", "data": 8, "expert": 8, "two_batch": True, "redundant_experts": 16,
                   "cuda_graphs": False, "speculative": {"tokens": 2}, "traffic": {"rate": 4}}}
# Two prompts of three and two blocks of 512 tokens; the second shares its first block.
TRACE = """{"timestamp": 0, "input_length": 1400, "output_length": 5, "hash_ids": [1, 2, 3]}
{"timestamp": 2000, "input_length": 1000, "output_length": 3, "hash_ids": [1, 9]}
"""


def ran(*arguments, code=0, scenario=None):
    text = json.dumps(scenario) if scenario is not None else None
    done = subprocess.run([RINGSIDE, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=600)
    assert done.returncode == code, f"exit status {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    return done


def replayed(*arguments, scenario=SERVED, trace=TRACE, code=0):
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as where:
        path = pathlib.Path(where) / "trace.jsonl"
        path.write_text(trace, encoding="utf-8")
        return ran("replay", "-", path, *arguments, scenario=scenario, code=code)


def test_replay_gives_every_request_of_a_trace_its_times_as_csv():
    rows = list(csv.DictReader(io.StringIO(replayed("--csv").stdout)))
    assert [int(r["prompt"]) for r in rows] == [1400, 1000]
    assert [int(r["cached"]) for r in rows] == [0, 512], rows
    for row in rows:
        assert float(row["arrival_s"]) <= float(row["start_s"]) < float(row["first_token_s"]) < float(row["end_s"])
        assert abs(float(row["ttft_s"]) - (float(row["first_token_s"]) - float(row["arrival_s"]))) < 2e-6


def test_replay_says_what_the_prefix_cache_finds_and_how_sure_its_figures_are():
    answer = json.loads(replayed("--json").stdout)
    assert answer["requests"] == 2
    assert abs(answer["prefix_hit"] - 512 / 2400) < 1e-9, answer
    metrics = answer["metrics"]
    assert metrics["serving.ttft_low_s"] < metrics["serving.ttft_mean_s"] < metrics["serving.ttft_high_s"]
    assert "each left out of the fit" in answer["evidence"]
    # A prompt's last blocks are forgotten first, so one block that fits is the first, which both share.
    assert json.loads(replayed("--json", "--cache-blocks", 1).stdout)["prefix_hit"] == answer["prefix_hit"]


def test_replay_of_the_first_requests_only_and_at_another_speed():
    one = json.loads(replayed("--json", "--first", 1).stdout)
    assert one["requests"] == 1
    slow = list(csv.DictReader(io.StringIO(replayed("--csv", "--speed", 0.5).stdout)))
    assert float(slow[1]["arrival_s"]) == 4


def test_replay_refuses_what_is_no_trace_and_a_scenario_without_serving():
    done = replayed(trace="hello\n", code=2)
    assert "trace" in done.stderr and not done.stdout, done.stderr
    done = replayed(scenario={"model": "llama-3.1-8b"}, code=2)
    assert "serving: is not in the scenario" in done.stderr, done.stderr


def test_a_trace_named_in_the_traffic_is_what_evaluate_serves():
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as where:
        path = pathlib.Path(where) / "trace.jsonl"
        path.write_text(TRACE, encoding="utf-8")
        scenario = json.loads(json.dumps(SERVED))
        scenario["serving"]["traffic"] = {"trace": str(path)}
        evaluated = json.loads(ran("evaluate", "-", "--json", scenario=scenario).stdout)["metrics"]
        replay = json.loads(ran("replay", "-", path, "--json", scenario=SERVED).stdout)["metrics"]
        assert evaluated["serving.ttft_mean_s"] == replay["serving.ttft_mean_s"]
        scenario["serving"]["traffic"] = {"trace": str(path) + ".gone"}
        assert "trace.jsonl.gone" in ran("evaluate", "-", scenario=scenario, code=2).stderr


def test_bench_serving_holds_what_is_computed_against_the_measured_rows():
    bench = json.loads(ran("bench", "serving", "--json").stdout)
    assert len(bench["rows"]) == 504
    assert all(len(row["measured"]) == len(row["ratio"]) == len(row["left_out"]) == 3 for row in bench["rows"])
    for measure in ("tpot", "ttft", "rate"):
        band = bench["bands"][measure]
        assert band["low"] < 1 < band["high"], band
        assert 0.75 <= band["coverage"] <= 0.9, band
    text = ran("bench", "serving").stdout
    assert "measured over computed" in text and "furthest off" in text


def test_search_serving_ranks_layouts_by_the_rate_that_holds_the_objective():
    answer = json.loads(ran("search", "-", "--serving", "--ttft", 2, "--tpot", 0.02, "--json", scenario=SERVED).stdout)
    layouts = answer["layouts"]
    goodput = [layout["goodput_requests_per_s"] for layout in layouts]
    assert answer["fit"] == len(layouts) > 2 and goodput == sorted(goodput, reverse=True) and goodput[0] > 0
    for layout in layouts:
        assert layout["tensor"] * layout["pipeline"] * layout["data"] * layout["replicas"] <= 8
        if layout["goodput_requests_per_s"] > 0:
            assert layout["tpot_p90_s"] <= 0.02 and layout["ttft_p90_s"] <= 2, layout
            assert layout["goodput_low_requests_per_s"] < layout["goodput_requests_per_s"] < layout["goodput_high_requests_per_s"]
    assert "80% range" in ran("search", "-", "--serving", "--top", 2, scenario=SERVED).stdout
    ran("search", "-", "--serving", "--tpot", 1e-6, scenario=SERVED, code=1)
    assert "--serving" in ran("search", "-", "--tpot", 1, scenario=SERVED, code=2).stderr


def test_export_writes_the_command_of_a_serving_engine_and_lists_what_it_cannot_say():
    flags = {tool: json.loads(ran("export", "-", "--to", tool, "--json", scenario=MOE).stdout) for tool in ("vllm", "sglang", "trtllm")}
    said = {tool: {f["flag"]: f["value"] for f in document["flags"]} for tool, document in flags.items()}
    assert said["vllm"]["--data-parallel-size"] == "8" and said["vllm"]["--tensor-parallel-size"] == "1"
    assert "--enable-expert-parallel" in said["vllm"] and "--enforce-eager" in said["vllm"]
    assert said["sglang"]["--tp-size"] == "8" and said["sglang"]["--dp-size"] == "8" and said["sglang"]["--ep-size"] == "8"
    assert said["sglang"]["--kv-cache-dtype"] == "fp8_e4m3" and said["sglang"]["--ep-num-redundant-experts"] == "16"
    assert said["trtllm"]["--tp_size"] == "8" and said["trtllm"]["enable_attention_dp"] == "true"
    missed = {tool: {m["field"] for m in document["not_expressed"]} for tool, document in flags.items()}
    assert "serving.engine" in missed["vllm"] and "serving.engine" not in missed["sglang"]
    assert {"serving.two_batch", "serving.redundant_experts", "serving.weights"} <= missed["trtllm"]
    assert all({"serving.traffic", "serving.objective"} <= fields for fields in missed.values())
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as where:
        ran("export", "-", "--to", "trtllm", "-o", where, scenario=MOE)
        script = (pathlib.Path(where) / "serve.sh").read_text(encoding="utf-8")
        assert script.startswith("#!/bin/sh\ntrtllm-serve $MODEL \\\n") and "--extra_llm_api_options serve-options.yaml" in script
        assert not script.rstrip().endswith("\\"), script
        assert "cuda_graph_config: null" in (pathlib.Path(where) / "serve-options.yaml").read_text(encoding="utf-8")
    assert "serving: is not in the scenario" in ran("export", "-", "--to", "vllm", scenario={"model": "llama-3.1-8b"}, code=2).stderr


def test_import_serving_reads_back_what_export_wrote():
    balanced = json.loads(json.dumps(MOE))
    balanced["serving"] |= {"engine": {"preset": "tensorrt-llm", "balance_iters": 60}, "weights": "fp8", "two_batch": False, "redundant_experts": 0}
    for tool, scenario in (("vllm", SERVED), ("sglang", MOE), ("trtllm", balanced)):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as where:
            base = pathlib.Path(where) / "base.json"
            base.write_text(json.dumps(scenario), encoding="utf-8")
            ran("export", base, "--to", tool, "-o", where)
            options = pathlib.Path(where) / "serve-options.yaml"
            read = ran("import", "serving", pathlib.Path(where) / "serve.sh", *(["--options", options] if options.exists() else []), "--scenario", base)
            assert not read.stderr, read.stderr
            again = ran("evaluate", "-", "--json", scenario=json.loads(read.stdout)).stdout
            assert again == ran("evaluate", base, "--json").stdout, tool
    assert "starts no serving engine" in ran("import", "serving", "-", scenario={}, code=2).stderr


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
