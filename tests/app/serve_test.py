"""`ringside serve --stdio`: the answers of the command line, from one process.

usage: serve_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from served import Server, drawn_calls, drawn_scenario, environment  # noqa: E402
from script import run_tests  # noqa: E402

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SCENARIO = {"model": "llama-3.1-8b", "cluster": {"gpus": 8}, "parallel": {"tensor": 8}, "training": {"global_batch": 8}}


def serve():
    return Server(RINGSIDE, "serve", "--stdio")


def on_command_line(words, stdin):
    text = stdin if isinstance(stdin, str) else json.dumps(stdin)
    done = subprocess.run([RINGSIDE, *words, "--json"], input=text.encode(), capture_output=True, env=environment(), timeout=300)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_answers_are_those_of_the_command_line_byte_for_byte():
    with serve() as server:
        for number, (words, stdin) in enumerate(drawn_calls(40)):
            status, out, errors = on_command_line(words, stdin)
            server.send(json.dumps({"id": number, "command": words, "stdin": stdin}))
            line = server.line()
            document = re.sub(r"\n *", "", out) if out.startswith("{") else json.dumps(out)
            head = f'{{"id":{number},"status":{status},"stdout":{document},"stderr":'
            assert line.startswith(head), f"{words} {stdin}\n{line}\n{head}"
            assert json.loads(line)["stderr"] == errors, (words, line, errors)


def test_a_bad_line_is_answered_and_the_next_one_served():
    bad = ["", "{", "[]", "7", '{"id":3}', '{"id":4,"command":"evaluate"}', '{"id":5,"command":[]}', '{"id":6,"command":["no-such"]}',
           '{"id":7,"command":["evaluate","-"],"stdin":{"modle":1}}', '{"id":8,"command":["serve","--stdio"]}', '{"id":9,"command":["evaluate","-"],"extra":1}',
           b'{"id":10,"command":["\xff"]}', "[" * 100_000]
    with serve() as server:
        for line in bad[1:]:
            answer = server.ask(line)
            if line == "[]":
                assert answer == []
                continue
            assert answer["status"] == 2 and answer["stderr"], (line[:60], answer)
        server.send("")  # an empty line is no request
        answer = server.ask({"id": "last", "command": ["evaluate", "-"], "stdin": SCENARIO})
        assert answer["id"] == "last" and answer["status"] == 0 and answer["stdout"]["metrics"]["memory.fits"] is True, answer


def test_a_line_that_is_too_long_costs_itself_alone():
    with serve() as server:
        answer = server.ask('{"id":1,"stdin":"' + "x" * (17 << 20) + '"}')
        assert answer["id"] is None and "16.0 MiB" in answer["stderr"], answer
        assert server.ask({"id": 2, "command": ["schedule"]})["status"] == 0


def test_a_list_of_requests_is_one_line_of_answers_in_their_order():
    with serve() as server:
        answers = server.ask([{"id": i, "command": ["evaluate", "-"], "stdin": {**SCENARIO, "training": {"global_batch": 8, "micro_batch": i}}} for i in (1, 2, 4)] + [{"id": "bad"}])
        assert [a["id"] for a in answers] == [1, 2, 4, "bad"]
        memory = [a["stdout"]["memory"]["activations_bytes"] for a in answers[:3]]
        assert memory == sorted(memory) and memory[0] < memory[2], memory
        assert answers[3]["status"] == 2


def test_text_help_and_files_come_as_text():
    with serve() as server, tempfile.TemporaryDirectory(prefix="ringside-test-") as where:
        assert server.ask({"id": 1, "command": ["evaluate", "-", "--csv"], "stdin": SCENARIO})["stdout"].startswith("metric,stage,value,unit\n")
        assert "Usage: ringside search" in server.ask({"id": 2, "command": ["search", "--help"]})["stdout"]
        svg = server.ask({"id": 3, "command": ["picture", "--view", "memory", "--svg", "-o", "-"]})["stdout"]
        assert svg.startswith("<svg"), svg[:80]
        path = pathlib.Path(where) / "s.json"
        path.write_text(json.dumps(SCENARIO), encoding="utf-8")
        assert server.ask({"id": 4, "command": ["evaluate", str(path)]})["status"] == 0


def test_a_request_leaves_nothing_to_the_next():
    with serve() as server:
        first = server.ask({"id": 1, "command": ["evaluate", "-"], "stdin": SCENARIO})
        for words in (["evaluate", "-"], ["evaluate", "no-such-file"], ["search", "-", "--top"], ["question", "list"]):
            server.ask({"id": 0, "command": words})
        assert server.ask({"id": 1, "command": ["evaluate", "-"], "stdin": SCENARIO}) == first
        assert server.ask({"id": 2, "command": ["evaluate", "-"]})["stderr"] == "-: the file is empty (JSON starts with { and ends with })\n"


def test_batches_of_evaluations_take_little_of_the_processor():
    """Of its time, not the clock's: other tests run beside this one."""
    random_ = random.Random(7)
    scenarios = [{**drawn_scenario(random_), "model": "llama-3.1-70b"} for _ in range(1000)]
    lines = [json.dumps([{"id": i, "command": ["evaluate", "-"], "stdin": s} for i, s in enumerate(scenarios[k:k + 100])]) for k in range(0, 1000, 100)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with serve() as server:
        answers = [answer for line in lines for answer in server.ask(line)]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{len(answers) / took:.0f} evaluations per second of processor time")
    assert sum(answer["status"] < 2 for answer in answers) > 500
    assert len(answers) / took > 400, took


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
