"""Launch files of frameworks, read by the real program.

usage: launch_files_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)

RINGSIDE_LAUNCH_DOCUMENTS: a folder of ringside.expect/1 documents, each beside the file it is about; a file of another
repository is looked for in its folder `sources/OWNER/NAME/PATH`. RINGSIDE_LAUNCH_FOLDER: any launch files, none of
which may be a fault. Neither is part of this repository, so without them those tests are skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from script import SKIPPED, run_tests

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
EXAMPLES = SOURCE / "tests/data/launch_files"


def read(*arguments, text=None, expected=(0, 1)):
    done = subprocess.run([RINGSIDE, "import", *map(str, arguments), "--json"], input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode in expected, f"exit status {done.returncode}: {done.stderr}"
    return json.loads(done.stdout) if done.stdout else done.stderr


def same(expected, got):
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        return abs(expected - got) <= 1e-9 * abs(expected)
    return expected == got


def covers(pattern, path):
    return path.startswith(pattern[:-1]) if pattern.endswith("*") else path == pattern


def faults_of(document, answer):
    """What is wrong with an answer to an expectation, a line each."""
    fields = answer["fields"]
    for path, value in document.get("expect", {}).items():
        got = fields.get(path, {}).get("value")
        if not same(value, got):
            yield f"{path} is {got!r}, not {value!r}"
        elif fields[path]["from"] == "guessed":
            yield f"{path} is stated, not guessed"
    for path, value in document.get("follows", {}).items():
        got = fields.get(path, {"from": "nobody", "value": None})
        if not isinstance(value, str) or value in ("none", "bf16", "fp32", "fp16", "adamw", "1f1b", "mha", "gqa", "mla"):
            if not same(value, got["value"]) and got["from"] != "guessed":
                yield f"{path} follows as {value!r}, is {got['value']!r}"
    for path, values in document.get("either", {}).items():
        got = fields.get(path, {}).get("value")
        if not any(same(value, got) for value in values):
            yield f"{path} is {got!r}, none of {values!r}"
    for pattern in document.get("guessed", []):
        for path, field in fields.items():
            if covers(pattern, path) and field["from"] == "stated":
                yield f"{path} is a guess, but stated as {field['value']!r} by {field['by']}"
    for setting in document.get("unsayable", {}):
        if setting not in answer["unsayable"]:
            yield f"{setting} is not listed as unsayable"
    said = "\n".join(answer["messages"])
    for words in document.get("must_say", []):
        if words not in said:
            yield f"does not say: {words}"


def files_of(document, where, root):
    source = document["source"]
    beside = where / document["input"]
    paths = [beside if beside.is_file() else root / "sources" / source["repo"] / source["path"].split(",")[0]]
    return paths + [where / name for name in document.get("beside", [])]


def arguments_of(document):
    line = document.get("launch") or document.get("command")
    given = ["--arguments", *document["arguments"]] if document.get("arguments") else []
    return given + (["--command", line] if line else [])


def check_documents(root):
    wrong = []
    for path in sorted(root.rglob("*.json")):
        document = json.loads(path.read_text())
        if not isinstance(document, dict) or document.get("schema") != "ringside.expect/1":
            continue
        files = files_of(document, path.parent, root)
        if all(file.is_file() for file in files):
            answer = read(*files, *arguments_of(document))
            wrong += [f"{path.name}: {fault}" for fault in faults_of(document, answer)]
        else:
            print(f"skipped: {files[0]} is not here")
    assert not wrong, "\n".join(wrong)


def test_small_launch_files_come_out_as_they_state():
    check_documents(EXAMPLES)


def test_published_launch_files_come_out_as_they_state():
    folder = os.environ.get("RINGSIDE_LAUNCH_DOCUMENTS")
    if not folder:
        print("skipped: RINGSIDE_LAUNCH_DOCUMENTS names no folder of documents")
        return SKIPPED
    return check_documents(pathlib.Path(folder))


def test_no_launch_file_of_a_folder_is_a_fault():
    folder = os.environ.get("RINGSIDE_LAUNCH_FOLDER")
    if not folder:
        print("skipped: RINGSIDE_LAUNCH_FOLDER names no folder of launch files")
        return SKIPPED
    files = sorted(f for f in pathlib.Path(folder).rglob("*") if f.suffix in (".yaml", ".yml", ".sh", ".toml"))
    answers = [read(file, expected=(0, 1, 2)) for file in files]
    faults = [a for a in answers if isinstance(a, str) and "is no launch file" not in a]
    assert not faults, "\n".join(faults)
    print(f"{sum(isinstance(a, dict) for a in answers)} of {len(files)} files are launch files, and read")
    return None


def test_a_launch_file_can_be_evaluated_as_it_is():
    done = subprocess.run([RINGSIDE, "evaluate", EXAMPLES / "mixtral.sh", "--json"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["metrics"]["model.parameters"] == 46702792704
    assert "guessed" in done.stderr, done.stderr


def test_other_commands_say_what_a_launch_file_is():
    done = subprocess.run([RINGSIDE, "validate", EXAMPLES / "mixtral.sh"], capture_output=True, text=True)
    assert done.returncode == 2 and "ringside import FILE reads it" in done.stderr, done.stderr


def test_a_fault_names_file_line_and_setting():
    text = "torchrun --nproc-per-node 8 pretrain_gpt.py \\\n  --num-layers many --hidden-size 512 --num-attention-heads 8\n"
    said = read("-", text=text, expected=(2,))
    assert "2:3" in said and "layers" in said and "many" in said, said


def test_a_launch_that_does_not_fit_fails_its_check_with_reason_and_changes():
    done = subprocess.run([RINGSIDE, "check-launch", EXAMPLES / "mixtral.sh", "--gpus", "32", "--json"], capture_output=True, text=True)
    verdict = json.loads(done.stdout)
    assert verdict["starts"] and done.returncode == (0 if verdict["fits"] else 1), verdict
    small = subprocess.run([RINGSIDE, "check-launch", EXAMPLES / "mixtral.sh", "--gpus", "32", "--gpu", "l4", "--json"], capture_output=True, text=True)
    verdict = json.loads(small.stdout)
    assert small.returncode == 1 and verdict["reasons"] and not verdict["fits"], verdict


FITS = "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 \\\n  --micro-batch-size 1 --global-batch-size 64 --bf16\n"
TOO_LARGE = FITS.replace("--num-layers 12 --hidden-size 768", "--num-layers 96 --hidden-size 12288").replace("heads 12", "heads 96")


def example_of_guide(after, language):
    """The first block of this language behind a heading of docs/check-launch.md."""
    text = (SOURCE / "docs/check-launch.md").read_text()
    return text.split(after, 1)[1].split("```" + language + "\n", 1)[1].split("```", 1)[0]


def run_in_gate(folder, script, *arguments):
    """Runs a script of the guide where sbatch, scontrol and scancel only note what they are asked for."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    (tools / "ringside").write_text(f'#!/bin/sh\nexec "{pathlib.Path(RINGSIDE).resolve()}" "$@"\n')
    (tools / "sbatch").write_text(f'#!/bin/sh\necho "sbatch $*" >> "{folder}/asked"\n')
    (tools / "scancel").write_text(f'#!/bin/sh\necho "scancel $*" >> "{folder}/asked"\n')
    (tools / "scontrol").write_text(f'#!/bin/sh\ncp "{folder}/job.sh" "$4"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    asked = folder / "asked"
    asked.unlink(missing_ok=True)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "SLURM_JOB_ID": "7"}
    done = subprocess.run(["bash", "-e", "-c", script, "gate", *map(str, arguments)], env=environment, cwd=folder, capture_output=True, text=True)
    return done, asked.read_text() if asked.exists() else ""


def test_the_pre_commit_hook_of_the_guide_checks_every_changed_file():
    entry = example_of_guide("## pre-commit", "yaml").split("entry: ", 1)[1].splitlines()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "fits.sh").write_text(FITS)
        (folder / "large.sh").write_text(TOO_LARGE)
        done, _ = run_in_gate(folder, entry + " fits.sh")
        assert done.returncode == 0 and "starts and fits" in done.stdout, done
        done, _ = run_in_gate(folder, entry + " large.sh fits.sh")
        assert done.returncode == 1 and "does not fit" in done.stdout and "starts and fits" in done.stdout, done


def test_the_function_round_sbatch_of_the_guide_submits_only_what_fits():
    function = example_of_guide("## SLURM", "bash")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "job.sh").write_text(FITS)
        done, asked = run_in_gate(folder, function + "sbatch --nodes 1 job.sh")
        assert done.returncode == 0 and asked == "sbatch --nodes 1 job.sh\n", (done, asked)
        (folder / "job.sh").write_text(TOO_LARGE)
        done, asked = run_in_gate(folder, function + "sbatch --nodes 1 job.sh")
        assert done.returncode == 1 and not asked and "not submitted: job.sh" in done.stderr, (done, asked)


def test_the_prolog_of_the_guide_cancels_what_cannot_run_and_never_drains_a_node():
    prolog = example_of_guide("Or as a prolog", "bash")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        assert "/var/log/slurm/" in prolog
        prolog = prolog.replace("/var/log/slurm/", f"{folder}/")
        for script, wanted in ((FITS, ""), (TOO_LARGE, "scancel 7\n"), ("#!/bin/sh\nhostname\n", "")):
            (folder / "job.sh").write_text(script)
            (folder / "prolog.sh").write_text(prolog)
            done, asked = run_in_gate(folder, "bash prolog.sh")
            assert done.returncode == 0 and asked == wanted, (script, done, asked)
        assert (folder / "check-launch.7").exists()


def test_the_step_of_the_guide_fails_an_action_with_the_verdict_kept():
    if not shutil.which("jq"):
        print("skipped: jq is not installed")
        return SKIPPED
    block = example_of_guide("## GitHub action", "yaml").split("- run: |\n", 1)[1]
    step = "\n".join(line.strip() for line in block.splitlines())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "launch").mkdir()
        (folder / "launch/a.sh").write_text(FITS)
        done, _ = run_in_gate(folder, step)
        assert done.returncode == 0, done
        (folder / "launch/b.sh").write_text(TOO_LARGE)
        done, _ = run_in_gate(folder, step)
        assert done.returncode == 1, done
        assert '"fits": false' in (folder / "verdicts.json").read_text()
    return None


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
