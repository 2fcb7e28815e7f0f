"""`ringside mcp` against what others have written for the protocol: npm's conformance suite, and its SDK's client.

usage: mcp_peers_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)

Neither is in Debian, so both are skipped but where they are:
    npm install --prefix DIR @modelcontextprotocol/conformance@0.1.9 @modelcontextprotocol/sdk@1.32.2
    RINGSIDE_NODE_MODULES=DIR/node_modules ./run test
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from served import environment  # noqa: E402
from script import SKIPPED, run_tests  # noqa: E402

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
MODULES = os.environ.get("RINGSIDE_NODE_MODULES")
# Those that need no tool, resource or prompt of the suite's own (test_simple_text, test://static-text), nor what the
# server does not claim to have (logging, completions, subscriptions).
SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"]
# Arguments with which each tool has something to say.
ARGUMENTS = {
    "evaluate": {"scenario": {"model": "llama-3.1-8b"}}, "explain": {"scenario": {"model": "llama-3.1-8b"}}, "scaling": {"parameters": "7e9", "tokens": "1.4e11"},
    "search": {"scenario": {"model": "llama-3.1-8b", "cluster": {"gpus": 8}}, "top": 1}, "rent": {"scenario": {"model": "llama-3.1-8b"}, "most_gpus": 64},
    "import": {"action": "launch", "files": ["torchrun --nproc_per_node 8 pretrain_gpt.py \\\n --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
                                             "--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --bf16\n"]},
    "schedule": {"stages": 4}, "collective": {"ranks": 8}, "question": {"action": "show", "id": "problem-4-link"}, "picture": {"view": "memory", "format": "svg"},
    "export": {"scenario": {"model": "llama-3.1-8b"}, "to": "torchtitan"}}
CLIENT = """
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const [program, given] = process.argv.slice(1);
const client = new Client({ name: 'test', version: '1' });
await client.connect(new StdioClientTransport({ command: program, args: ['mcp'] }));
const { tools } = await client.listTools();
const calls = {};
for (const { name } of tools) {
    calls[name] = await client.callTool({ name, arguments: JSON.parse(given)[name] ?? {} });
}
const { resources } = await client.listResources();
const read = [];
for (const { uri } of resources) { read.push((await client.readResource({ uri })).contents[0].text.length); }
const { prompts } = await client.listPrompts();
await client.close();
console.log(JSON.stringify({ calls, read, prompts: prompts.length }));
"""


def missing():
    if not MODULES or not shutil.which("node"):
        print("skipped: RINGSIDE_NODE_MODULES names no folder with npm's @modelcontextprotocol/conformance and sdk")
        return True
    return False


def test_the_conformance_suite_passes_over_http():
    if missing():
        return SKIPPED
    server = subprocess.Popen([RINGSIDE, "mcp", "--http", "0"], stdout=subprocess.PIPE, env=environment())
    try:
        port = re.search(r"127\.0\.0\.1:(\d+)/mcp", server.stdout.readline().decode()).group(1)
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as where:
            for scenario in SCENARIOS:
                done = subprocess.run(["node", f"{MODULES}/@modelcontextprotocol/conformance/dist/index.js", "server", "--url", f"http://127.0.0.1:{port}/mcp", "--scenario", scenario],
                                      capture_output=True, text=True, cwd=where, timeout=120)
                assert done.returncode == 0 and re.search(r"Passed: (\d+)/\1, 0 failed, 0 warnings", done.stdout), (scenario, done.stdout, done.stderr)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)
        server.stdout.close()


def test_the_sdk_client_lists_and_calls_every_tool():
    if missing():
        return SKIPPED
    done = subprocess.run(["node", "--input-type=module", "-e", CLIENT, RINGSIDE, json.dumps(ARGUMENTS)], capture_output=True, text=True, cwd=pathlib.Path(MODULES).parent,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found["calls"]) == set(ARGUMENTS), found["calls"].keys()
    for tool, result in found["calls"].items():
        assert not result.get("isError") and result["content"], (tool, result)
    assert len(found["read"]) == 6 and min(found["read"]) > 100 and found["prompts"] == 3, found["read"]


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
