"""Assignments and mock interviews, from a student's side to the end, by the real program.

usage: assignment_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from script import run_tests

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
ASSIGNMENTS = SOURCE / "assets/assignments"
STUDENT = "ada@example.edu"


def ringside(*arguments, text=None, code=0):
    done = subprocess.run([RINGSIDE, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=600)
    assert done.returncode == code, f"exit status {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    return done


def folder():
    return tempfile.TemporaryDirectory(prefix="ringside-test-")


def references(name, student=STUDENT):
    """What the check prints: an answer to each task, by its id."""
    document = json.loads(ringside("assignment", "check", ASSIGNMENTS / f"{name}.json", "--student", student, "--students", 3, "--json").stdout)
    assert document["faults"] == [], document["faults"]
    return {task["id"]: task["reference"] for task in document["tasks"]}


def walk(where, name):
    """A student opens the assignment, answers every task, and hands the file in."""
    assignment, answers = ASSIGNMENTS / f"{name}.json", pathlib.Path(where) / "answers.json"
    tasks = json.loads(ringside("assignment", "open", assignment, "--student", STUDENT, "-o", answers, "--json").stdout)["tasks"]
    right = references(name)
    for task in tasks:
        assert task["text"].startswith("## "), task
        assert task["link"].startswith("ringside:#") or task["kind"] in ("schedule", "essay"), task
        ringside("assignment", "answer", assignment, answers, task["id"], "-", text=right[task["id"]] or "Because of the bytes.")
    results, grades = pathlib.Path(where) / "results.json", pathlib.Path(where) / "grades.csv"
    ringside("assignment", "grade", assignment, answers, "--gradescope", results, "--csv", grades)
    return json.loads(results.read_text()), list(csv.DictReader(io.StringIO(grades.read_text()))), answers


def check_full_points(name):
    with folder() as where:
        results, rows, _ = walk(where, name)
        graded = [test for test in results["tests"] if "max_score" in test]
        assert all(test["status"] == "passed" for test in graded), graded
        assert abs(results["score"] - sum(test["max_score"] for test in graded)) < 1e-9
        assert rows[0]["student"] == STUDENT and float(rows[0]["score"]) == float(rows[0]["points"]), rows
        return results


def test_the_memory_of_a_run_is_walked_to_the_end():
    check_full_points("memory-of-a-run")


def test_a_pipeline_by_hand_is_walked_to_the_end():
    check_full_points("pipeline-by-hand")


def test_the_fastest_layout_is_walked_to_the_end_and_has_a_leaderboard():
    results = check_full_points("fastest-layout")
    assert results["leaderboard"][0]["order"] == "asc" and results["leaderboard"][0]["value"] > 0, results


def test_wrong_answers_get_no_points_and_attempts_run_out():
    with folder() as where:
        assignment, answers = ASSIGNMENTS / "pipeline-by-hand.json", pathlib.Path(where) / "answers.json"
        ringside("assignment", "open", assignment, "--student", STUDENT, "-o", answers)
        for _ in range(3):
            ringside("assignment", "answer", assignment, answers, "kept", "999")
        refused = ringside("assignment", "answer", assignment, answers, "kept", "4", code=2)
        assert "has its 3 answers already" in refused.stderr, refused.stderr
        unread = ringside("assignment", "answer", assignment, answers, "bubble", "quite a lot", code=2)
        assert "nothing was handed in for it" in unread.stderr, unread.stderr
        graded = json.loads(ringside("assignment", "grade", assignment, answers, "--json").stdout)
        assert graded[0]["score"] == 0, graded


def test_a_changed_file_and_another_ones_file_are_found():
    with folder() as where:
        _, _, answers = walk(where, "pipeline-by-hand")
        assignment, document = ASSIGNMENTS / "pipeline-by-hand.json", json.loads(answers.read_text())
        document["log"][0]["answer"] += " "
        answers.write_text(json.dumps(document))
        odd = ringside("assignment", "grade", assignment, answers, code=1)
        assert "changed outside of Ringside" in odd.stdout, odd.stdout
        document["log"] = [{"task": "bubble", "time_ms": "soon", "answer": "1"}]
        answers.write_text(json.dumps(document))
        bad = ringside("assignment", "grade", assignment, answers, code=2)
        assert "log[0].time_ms" in bad.stderr, bad.stderr


def test_the_autograder_runs_in_the_folders_that_gradescope_makes():
    with folder() as where:
        root = pathlib.Path(where) / "autograder"
        ringside("assignment", "autograder", ASSIGNMENTS / "pipeline-by-hand.json", "-o", root / "source")
        _, _, answers = walk(where, "pipeline-by-hand")
        (root / "submission").mkdir()
        answers.rename(root / "submission/answers.json")
        (root / "submission_metadata.json").write_text(json.dumps({"users": [{"email": STUDENT, "id": 7}]}))
        environment = {"PATH": os.environ["PATH"], "AUTOGRADER_ROOT": str(root)}

        def grade():
            for script in ("setup.sh", "run_autograder"):
                subprocess.run([root / "source" / script], cwd=root, env=environment, check=True, capture_output=True, timeout=600)
            return json.loads((root / "results/results.json").read_text())

        results = grade()
        assert results["score"] > 0 and all(test.get("status") != "failed" for test in results["tests"]), results
        assert results["extra_data"]["oddities"] == [], results
        (root / "submission_metadata.json").write_text(json.dumps({"users": [{"email": "eve@example.edu", "id": 8}]}))
        assert "handed in by" in grade()["extra_data"]["oddities"][0]
        (root / "submission/answers.json").write_text("{}")
        assert grade()["score"] == 0


def test_a_mock_interview_has_a_chain_and_fills_its_time_for_every_role_and_level():
    for role in ("training-infrastructure", "inference", "research-engineer", "rl-systems", "gpu-kernels"):
        for level in ("junior", "mid", "senior"):
            plan = json.loads(ringside("mock", "--minutes", 30, "--role", role, "--level", level, "--seed", 3, "--key", "--json").stdout)
            assert plan["filled"] >= 0.95, plan["filled"]
            chains = [item for item in plan["items"] if "chain" in item]
            assert chains and all(5 <= len(chain["links"]) <= 8 for chain in chains), plan
            assert all(link["key"] for chain in chains for link in chain["links"]), plan


def test_a_mock_interview_is_held_on_standard_input():
    plan = json.loads(ringside("mock", "--minutes", 12, "--role", "inference", "--seed", 5, "--key", "--json").stdout)
    keys = [link["key"] for item in plan["items"] if "chain" in item for link in item["links"]]
    held = ringside("mock", "--minutes", 12, "--role", "inference", "--seed", 5, "--ask", text="\n".join(keys) + "\n")
    assert held.stdout.count("Right.") >= len(keys), held.stdout
    assert "unknown" not in held.stderr, held.stderr


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
