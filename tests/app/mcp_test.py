"""`ringside mcp`: the Model Context Protocol, over standard streams and over HTTP.

usage: mcp_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import base64
import http.client
import json
import pathlib
import random
import re
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from served import Server, drawn_calls, environment  # noqa: E402
from script import run_tests, shared  # noqa: E402

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
TOOLS = ["evaluate", "search", "rent", "import", "explain", "schedule", "collective", "question", "picture"]
VERSION, STATELESS = "2025-11-25", "2026-07-28"
DEFAULT = json.loads((SOURCE / "assets/scenarios/default.json").read_text(encoding="utf-8"))
META = {"io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {}}


class Client(Server):
    def __init__(self):
        super().__init__(RINGSIDE, "mcp")
        self.number = 0

    def request(self, method, **params):
        self.number += 1
        answer = self.ask({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        assert answer["jsonrpc"] == "2.0" and answer["id"] == self.number, answer
        return answer

    def result(self, method, **params):
        answer = self.request(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def code(self, method, **params):
        return self.request(method, **params)["error"]["code"]

    def begin(self):
        result = self.result("initialize", protocolVersion=VERSION, capabilities={}, clientInfo={"name": "test", "version": "1"})
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        return result

    def call(self, tool, **arguments):
        return self.result("tools/call", name=tool, arguments=arguments)

    def text(self, tool, **arguments):
        result = self.call(tool, **arguments)
        assert not result["isError"], result
        return result["content"][0]["text"]

    def document(self, tool, **arguments):
        return json.loads(self.text(tool, **arguments))


def test_a_session_begins_with_the_version_that_both_speak():
    with Client() as client:
        result = client.begin()
        assert result["protocolVersion"] == VERSION and set(result["capabilities"]) == {"tools", "resources", "prompts"}, result
        assert result["serverInfo"]["name"] == "ringside" and re.match(r"\d+\.\d+", result["serverInfo"]["version"])
        for asked, given in (("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("1999-01-01", VERSION), (STATELESS, VERSION)):
            assert client.result("initialize", protocolVersion=asked, capabilities={}, clientInfo={})["protocolVersion"] == given
        assert client.code("initialize") == -32602
        assert client.result("ping") == {}


def test_requests_that_name_their_version_need_no_session():
    with Client() as client:
        found = client.result("server/discover", _meta=META)
        assert found["supportedVersions"][0] == STATELESS and found["resultType"] == "complete" and found["ttlMs"] > 0, found
        tools = client.result("tools/list", _meta=META)
        assert tools["cacheScope"] == "public" and tools["tools"] == client.result("tools/list")["tools"]
        refused = client.request("tools/list", _meta={"io.modelcontextprotocol/protocolVersion": "1900-01-01"})["error"]
        assert refused["code"] == -32022 and refused["data"]["requested"] == "1900-01-01" and VERSION in refused["data"]["supported"]
        assert client.code("resources/read", uri="ringside://none", _meta=META) == -32602


def test_every_tool_has_a_schema_that_says_what_each_argument_is():
    with Client() as client:
        tools = {tool["name"]: tool for tool in client.result("tools/list")["tools"]}
        assert set(TOOLS) <= set(tools), tools.keys()
        for name, tool in tools.items():
            schema = tool["inputSchema"]
            assert schema["type"] == "object" and schema["additionalProperties"] is False and tool["description"], name
            assert set(schema.get("required", [])) <= set(schema["properties"]), name
            for argument, about in schema["properties"].items():
                assert about["description"] and about["type"], (name, argument)
                assert re.fullmatch("[a-z][a-z0-9_]*", argument), (name, argument)
        assert tools["evaluate"]["inputSchema"]["required"] == ["scenario"]
        assert tools["schedule"]["inputSchema"]["properties"]["stages"] == {"type": "integer", "default": 4, "description": "pipeline stages (ranks)"}
        assert tools["question"]["inputSchema"]["properties"]["action"]["enum"] == ["list", "show", "answer"]
        assert client.code("tools/list", cursor="x") == -32602


def as_arguments(words, stdin):
    """A command line of drawn_calls() as the arguments of its tool."""
    command, *rest = words
    arguments = {}
    if command == "question":
        arguments["action"], arguments["id"], *rest = rest
        if not rest[0].startswith("--"):
            arguments["text"] = rest.pop(0)
    for option, value in zip(rest[::2], rest[1::2]):
        if option.startswith("--"):
            arguments[option[2:].replace("-", "_")] = [value] if option == "--set" else value
    return command, {**arguments, "scenario": stdin} if stdin != "" else arguments


def test_three_hundred_drawn_calls_are_answered_as_commands_are():
    with Client() as client, Server(RINGSIDE, "serve", "--stdio") as served:
        client.begin()
        errors = 0
        calls = shared(list(drawn_calls(300, seed=2)))
        for words, stdin in calls:
            tool, arguments = as_arguments(words, stdin)
            result = client.call(tool, **arguments)
            expected = served.ask({"id": 1, "command": words, "stdin": stdin})
            texts = [content["text"] for content in result["content"]]
            assert result["isError"] == (expected["status"] == 2), (words, stdin, result, expected)
            errors += result["isError"]
            if result["isError"]:
                assert texts == [expected["stderr"]], (words, texts, expected)
            else:
                document = json.dumps(expected["stdout"], ensure_ascii=False)
                assert json.dumps(json.loads(texts[0]), ensure_ascii=False) == document, words
                assert texts[1:] == ([expected["stderr"]] if expected["stderr"] else []), (words, texts[1:], expected["stderr"])
        assert len(calls) / 15 < errors < len(calls) / 2, errors


def test_a_tools_text_is_the_command_lines_byte_for_byte():
    with Client() as client:
        client.begin()
        for words, stdin in drawn_calls(12, seed=3):
            tool, arguments = as_arguments(words, stdin)
            done = subprocess.run([RINGSIDE, *words, "--json"], input=(stdin if isinstance(stdin, str) else json.dumps(stdin)).encode(), capture_output=True,
                                  env=environment(), timeout=300)
            result = client.call(tool, **arguments)
            assert result["content"][0]["text"] == (done.stderr if done.returncode == 2 else done.stdout).decode(), words


def test_wrong_arguments_are_an_error_that_the_model_can_mend():
    with Client() as client:
        client.begin()
        for tool, arguments, says in (("evaluate", {}, "scenario: is missing"), ("evaluate", {"scenari": {}}, "did you mean scenario?"),
                                      ("evaluate", {"scenario": {"parallel": {"tensr": 8}}}, 'did you mean "tensor"?'),
                                      ("schedule", {"stages": "many"}, "not a whole number"), ("schedule", {"stages": {}}, "stages: is no integer"),
                                      ("question", {"action": "shout"}, "use one of list, show, answer"), ("search", {"scenario": {}, "changes": 3}, "neither true nor false"),
                                      ("evaluate", {"scenario": "-"}, "names no file"), ("evaluate", {"scenario": "--help"}, "--help: could not be read"),
                                      ("import", {"action": "launch", "files": ["a\nb", "c\nd"]}, "second text")):
            result = client.call(tool, **arguments)
            assert result["isError"] and says in result["content"][0]["text"], (tool, arguments, result)
        assert client.code("tools/call", name="launch-missiles") == -32602
        assert client.call("evaluate", scenario={"model": "llama-3.1-405b", "cluster": {"gpus": 1}, "training": {"global_batch": 1}})["isError"] is False


def test_hostile_lines_are_answered_with_the_codes_of_json_rpc():
    with Client() as client:
        for line, code in (("{", -32700), ("[" * 50_000, -32700), (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700), ("x" * (17 << 20), -32700), ("[]", -32600), ("1", -32600),
                           ('{"id":1,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":1,"method":7}', -32600),
                           ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601),
                           ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', -32602), ('{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
                           ('{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"none"}}', -32602),
                           ('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}', -32002)):
            assert client.ask(line)["error"]["code"] == code, line[:80]
        for silent in ('{"jsonrpc":"2.0","method":"notifications/initialized"}', '{"jsonrpc":"2.0","method":"no/such"}', '{"jsonrpc":"2.0","id":9,"result":{}}', "",
                       '{"jsonrpc":"2.0","method":"notifications/cancelled"}', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}'):
            client.send(silent)
        assert client.result("ping") == {}
        both = client.ask([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "x"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}])
        assert [answer["id"] for answer in both] == [1, 2]


def test_what_is_cancelled_is_not_answered():
    with Client() as client:
        client.begin()
        for number in range(100, 104):  # the first works while the others wait
            client.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "search", "arguments": {"scenario": DEFAULT, "free": ["batch", "sequence", "gpus"]}}}))
        for number in range(100, 104):
            client.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}))
        assert client.result("ping") == {}


def test_resources_are_what_ships_and_nothing_else():
    with Client() as client:
        client.begin()
        listed = {resource["name"]: resource["uri"] for resource in client.result("resources/list")["resources"]}
        assert set(listed) == {"models", "accelerators", "clusters", "software", "glossary", "lessons"}
        assert len(client.result("resources/templates/list")["resourceTemplates"]) == 6
        for name, uri in listed.items():
            rows = json.loads(client.result("resources/read", uri=uri)["contents"][0]["text"])[name]
            assert len(rows) > 3, name
            one = client.result("resources/read", uri=f"{uri}/{rows[0]['id']}")["contents"][0]
            assert one["mimeType"] == "application/json" and isinstance(json.loads(one["text"]), dict)
        model = json.loads(client.result("resources/read", uri="ringside://models/llama-3.1-70b")["contents"][0]["text"])
        assert model["source"], model
        for bad in ("ringside://models/../gpus/b200", "ringside://models/llama", "ringside://", "file:///etc/passwd", "ringside://models/%2e%2e", "ringside://lessons/--help"):
            assert client.code("resources/read", uri=bad) == -32002, bad


def test_prompts_say_what_to_ask_the_engine():
    with Client() as client:
        client.begin()
        prompts = {prompt["title"]: prompt for prompt in client.result("prompts/list")["prompts"]}
        assert set(prompts) == {"Plan a run", "Why is my MFU low?", "Interview me"}
        for name in ("plan-a-run", "plan a run"):
            message = client.result("prompts/get", name=name, arguments={"goal": "8B {goal} on 64 GPUs"})["messages"][0]
            assert message["role"] == "user" and "8B {goal} on 64 GPUs" in message["content"]["text"]
        assert "any topic" in client.result("prompts/get", name="interview-me")["messages"][0]["content"]["text"]
        assert client.code("prompts/get", name="plan-a-run") == -32602


def metrics(client, scenario):
    return client.document("evaluate", scenario=scenario)["metrics"]


def test_twelve_planning_tasks_have_their_known_answers():
    with Client() as client:
        client.begin()
        # 1. Parameters of Llama 3.1 8B, as its weights' index counts them.
        assert metrics(client, {"model": "llama-3.1-8b"})["model.parameters"] == 8_030_261_248
        # 2. The bubble of 1F1B over ideal is (p - 1) / m.
        assert abs(client.document("schedule", kind="1f1b", stages=4, micro_batches=8)["bubble_over_ideal"] - 3 / 8) < 1e-12
        # 3. A ring's rank sends 2 (n - 1) / n of the message.
        ring = client.document("collective", kind="all-reduce", algorithm="ring", ranks=8, bytes=1e9)
        assert abs(ring["cost"]["sent_per_rank_bytes"] - 1.75e9) < 10, ring
        # 4. 405B does not fit on one GPU: its weights alone are 810 GB in bf16.
        alone = metrics(client, {"model": "llama-3.1-405b", "cluster": {"gpus": 1}, "training": {"global_batch": 1}})
        assert alone["memory.fits"] is False and alone["memory.weights_bytes"] > 800e9
        # 5. What is the largest micro-batch of the default scenario? 2 fits, 4 does not.
        fits = [metrics(client, {**DEFAULT, "training": {**DEFAULT["training"], "micro_batch": b}})["memory.fits"] for b in (1, 2, 4)]
        assert fits == [True, True, False]
        # 6. Each stage of ZeRO needs less memory than the one before.
        memory = [metrics(client, {**DEFAULT, "parallel": {**DEFAULT["parallel"], "pipeline": 1, "zero": zero}})["memory.allocated_bytes"] for zero in range(4)]
        assert memory == sorted(memory, reverse=True) and len(set(memory)) == 4, memory
        # 7. Chinchilla: 70B parameters and 1.4T tokens take 6 N D = 5.88e23 FLOPs.
        assert "5.88e+23" in client.text("scaling", parameters="70e9", tokens="1.4e12") or 5.88e23 in numbers(client.document("scaling", parameters="70e9", tokens="1.4e12"))
        # 8. The best layout fits and is no slower than the scenario's own.
        best = client.document("search", scenario=DEFAULT, top=1)["layouts"][0]
        assert best["metrics"]["step.time_s"] <= metrics(client, DEFAULT)["step.time_s"]
        # 9. What is rented for a year is done within it.
        assert client.document("rent", scenario={"model": "llama-3.1-8b"}, deadline_days=365, most_gpus=256)["cheapest"]["run.wall_days"] <= 365
        # 10. What a launch line states is in the scenario.
        launch = "torchrun --nproc_per_node 8 --nnodes 4 pretrain_gpt.py \\\n --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 " \
                 "--micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 8 --bf16\n"
        read = client.document("import", action="launch", files=[launch])
        assert read["scenario"]["parallel"]["tensor"] == 8 and read["kind"] == "megatron", read
        # 11. A link of G bit/s carries G / 8 bytes per second.
        asked = client.document("question", action="show", id="problem-4-link", seed=5)
        verdict = client.document("question", action="answer", id="problem-4-link", seed=5, text=f"{asked['parameters']['G'] / 8 / 1e9:g} GB/s")
        assert verdict["correct"] is True, (asked, verdict)
        # 12. The parts of a step add up to it, and every figure has unit and evidence.
        explained = client.document("explain", scenario=DEFAULT)
        step = next(f for f in explained["figures"] if f["metric"] == "step.time_s")
        assert abs(sum(part["value"] for part in explained["waterfall"]) - step["value"]) < 1e-9
        assert step["low"] < step["value"] < step["high"] and all(f["evidence"] for f in explained["figures"])


def numbers(document):
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        return [number for one in document for number in numbers(one)]
    return [document] if isinstance(document, (int, float)) else []


def test_pictures_come_as_png_and_svg():
    with Client() as client:
        client.begin()
        image = client.call("picture", view="memory", scenario=DEFAULT, size="640x400")["content"][0]
        assert image["type"] == "image" and base64.b64decode(image["data"]).startswith(b"\x89PNG"), image["type"]
        svg = client.call("picture", view="pipelines", format="svg")["content"][0]
        assert svg["resource"]["mimeType"] == "image/svg+xml" and svg["resource"]["text"].startswith("<svg"), svg


class Web:
    """The server over HTTP, and requests to it."""

    def __enter__(self):
        self.process = subprocess.Popen([RINGSIDE, "mcp", "--http", "0"], stdout=subprocess.PIPE, env=environment())
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)/mcp", self.process.stdout.readline().decode()).group(1))
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=30) == 0
        self.process.stdout.close()

    def ask(self, body, method="POST", path="/mcp", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        connection.request(method, path, body if isinstance(body, (bytes, type(None))) else json.dumps(body), {**sent, **{k.replace("_", "-"): v for k, v in headers.items()}})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text) if text else None


def rpc(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def test_over_http_the_answers_are_the_same():
    with Web() as web, Client() as client:
        assert web.ask(rpc("initialize", protocolVersion=VERSION, capabilities={}, clientInfo={}))[1]["result"]["protocolVersion"] == VERSION
        assert web.ask({"jsonrpc": "2.0", "method": "notifications/initialized"}) == (202, None)
        status, listed = web.ask(rpc("tools/list"), MCP_Protocol_Version=VERSION)
        assert status == 200 and listed["result"] == client.result("tools/list")
        status, called = web.ask(rpc("tools/call", name="evaluate", arguments={"scenario": DEFAULT}))
        assert called["result"] == client.call("evaluate", scenario=DEFAULT)


def test_over_http_others_than_this_computer_are_refused():
    with Web() as web:
        ping = rpc("ping")
        assert web.ask(ping, Origin="http://localhost:6274")[0] == 200
        for origin in ("https://example.com", "null", "http://localhost.example.com", "http://127.0.0.1.example.com:80"):
            assert web.ask(ping, Origin=origin)[0] == 403, origin
        assert web.ask(ping, Host="example.com")[0] == 403
        assert web.ask(None, method="GET")[0] == 405 and web.ask(None, method="DELETE")[0] == 405 and web.ask(ping, path="/other")[0] == 404
        assert web.ask(b"{")[0] == 400
        assert web.ask(ping, MCP_Protocol_Version="1999-01-01")[0] == 400
        assert web.ask(ping)[1]["result"] == {}


def test_over_http_headers_repeat_what_the_message_says():
    with Web() as web:
        listing = rpc("tools/list", _meta=META)
        assert web.ask(listing, MCP_Protocol_Version=STATELESS, Mcp_Method="tools/list")[0] == 200
        status, refused = web.ask(listing, MCP_Protocol_Version=STATELESS, Mcp_Method="tools/call")
        assert status == 400 and refused["error"]["code"] == -32020
        calling = rpc("tools/call", name="schedule", arguments={}, _meta=META)
        assert web.ask(calling, MCP_Protocol_Version=STATELESS, Mcp_Method="tools/call", Mcp_Name="schedule")[1]["result"]["resultType"] == "complete"
        assert web.ask(calling, MCP_Protocol_Version=STATELESS, Mcp_Method="tools/call", Mcp_Name="evaluate")[0] == 400
        assert web.ask(rpc("no/such", _meta=META), MCP_Protocol_Version=STATELESS, Mcp_Method="no/such")[0] == 404


def test_over_http_hostile_bytes_are_refused_and_the_next_is_served():
    import socket

    random_ = random.Random(1)
    with Web() as web:
        for head in (b"\r\n\r\n", b"GET\r\n\r\n", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
                     b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17000000\r\n\r\n", b"POST /mcp HTTP/1.1\r\n: x\r\n\r\n", b"x" * 70_000, random_.randbytes(500) + b"\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", web.port), timeout=30) as connection:
                connection.sendall(head)
                assert re.match(rb"HTTP/1.1 4\d\d ", connection.recv(100)), head[:60]
        assert web.ask(rpc("ping"))[0] == 200


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
