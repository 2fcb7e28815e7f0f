"""Ranks as processes of MPI: ringside-rank under a real mpirun, on this machine.

usage: rank_test.py RINGSIDE_RANK MPIRUN [TEST]   (CMake lists every test_* function as a test of its own)
Exit status 77: the program was built without MPI, or mpirun is missing, so nothing was tested.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from script import SKIPPED, run_tests

RANK, MPIRUN = sys.argv[1], sys.argv[2]


def started(ranks, *arguments):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       HWLOC_COMPONENTS="-gl")  # looks for graphics through any X server it can reach, which may be ending
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, env=environment).stdout
    crowded = ["--oversubscribe"] if "Open MPI" in version or "OpenRTE" in version else []
    return subprocess.Popen([MPIRUN, *crowded, "-n", str(ranks), RANK, *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=environment)


def ended(process, timeout=300):
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"it had not ended after {timeout} s")
    return process.returncode, out, err


# Name, state and parent of a process; of one that is gone, nothing fits.
def looked_up(number):
    try:
        name, rest = pathlib.Path(f"/proc/{number}/stat").read_text().split("(", 1)[1].rsplit(")", 1)
        return name, rest.split()[0], int(rest.split()[1])
    except OSError:
        return "", "Z", 0


def lives(number):
    return looked_up(number)[1] != "Z"


# Processes of ringside-rank that this mpirun has started.
def ranks_of(process):
    numbers = [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")]
    return [n for n in numbers if lives(n) and looked_up(n)[0] == "ringside-rank" and looked_up(n)[2] == process.pid]


# By what they were started with: other tests have ranks too.
def ranks_that_train(start):
    def told(path):
        try:
            return str(start).encode() in (path / "cmdline").read_bytes().split(b"\0")
        except OSError:
            return False

    return [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*") if lives(path.name) and looked_up(path.name)[0] == "ringside-rank" and told(path)]


def test_four_processes_get_the_bits_that_threads_get():
    code, out, err = ended(started(4, "--check-communicator", "--ranks-expected", "4"))
    assert code == 0, err
    assert out.startswith("4 ranks by ") and out.endswith("all with the bits of threads\n"), out


def test_one_and_three_processes_get_them_too():
    for ranks in (1, 3):
        code, out, err = ended(started(ranks, "--check-communicator"))
        assert code == 0 and out.startswith(f"{ranks} ranks by "), out + err


def test_a_rank_that_gives_up_ends_the_others_and_says_why_once():
    code, out, err = ended(started(3, "--check-communicator", "--ranks-expected", "4"))
    assert code != 0 and out == "", out
    assert err.count("3 ranks were started, not 4") == 1, err


def test_no_rank_hangs_when_one_is_killed():
    process = started(4, "--check-communicator", "--rounds", "1000000")
    until = time.monotonic() + 60
    while len(ranks_of(process)) < 4 and time.monotonic() < until:
        time.sleep(0.05)
    ranks = ranks_of(process)
    assert len(ranks) == 4, ended(process, 1)
    time.sleep(1)
    os.kill(ranks[2], signal.SIGKILL)
    code, _, _ = ended(process)
    assert code != 0
    until = time.monotonic() + 30
    while any(lives(rank) for rank in ranks):
        assert time.monotonic() < until, "a rank was left behind"
        time.sleep(0.05)


def test_without_a_task_it_says_what_there_is():
    done = subprocess.run([RANK], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--check-communicator" in done.stderr, done.stderr


def test_misuse_exits_2_with_a_hint():
    for arguments in (["--rounds", "3"], ["--train"], ["--chek"], ["--check-communicator", "--rounds", "0"], ["--train", ""], ["--check-communicator", "more"]):
        done = subprocess.run([RANK, *arguments], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and "(" in done.stderr and "Run with" not in done.stderr, (arguments, done)


def test_a_stopped_rank_is_reported_by_those_that_wait():
    process = started(3, "--check-communicator", "--rounds", "1000000")
    until = time.monotonic() + 60
    while len(ranks_of(process)) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    ranks = ranks_of(process)
    time.sleep(1)
    os.kill(ranks[1], signal.SIGSTOP)
    time.sleep(15)
    for rank in ranks:
        os.kill(rank, signal.SIGKILL)
    code, _, err = ended(process)
    assert code != 0 and "has waited 10 s for rank" in err, err


def test_a_signal_ends_a_training_of_processes_and_saves_it():
    with tempfile.TemporaryDirectory() as where:
        start, kept = pathlib.Path(where) / "start", pathlib.Path(where) / "kept"
        threads("--layers", 1, "--width", 32, "--context", 16, "--batch", 2, "--accumulation", 4, "--data", "copy", "--steps", 0, "--save", start, "--json-lines")
        process = started(2, "--train", str(start), "--steps", "1000000", "--json-lines", "--save", str(kept))
        process.stdout.readline()
        for rank in ranks_of(process):
            os.kill(rank, signal.SIGTERM)
        ended(process)
        assert threads("--resume", kept, "--steps", 1, "--json-lines")[0]["step"] > 1


# The window's program beside ours trains on threads.
def threads(*arguments):
    done = subprocess.run([str(pathlib.Path(RANK).parent / "ringside"), "train", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_processes_train_to_the_bits_that_threads_train_to():
    with tempfile.TemporaryDirectory() as where:
        dense = pathlib.Path(where) / "dense"
        small = ("--layers", 4, "--width", 64, "--heads", 4, "--context", 16, "--batch", 2, "--accumulation", 4,
                 "--data", "copy", "--symbols", 15, "--set", "model.tied_embeddings=false")
        threads(*small, "--steps", 0, "--save", dense, "--json-lines")
        experts = pathlib.Path(where) / "experts"
        threads(*small, "--experts", 4, "--expert-width", 64, "--steps", 0, "--save", experts, "--json-lines")
        ways = [(strategy, ()) for strategy in ("ddp", "zero3", "dp2-tp2-sp", "tp2-pp2", "dp2-cp2", "dp2-ep2", "ep4-zero1")]
        ways += [("ddp", ("--compress", compressor)) for compressor in ("top-k=0.05", "sign", "powersgd=2")]
        for strategy, more in ways:
            by_threads = pathlib.Path(where) / "threads"
            by_mpi = pathlib.Path(where) / "mpi"
            start = experts if "ep" in strategy else dense
            there = threads("--resume", start, "--ranks", 4, "--strategy", strategy, *more, "--steps", 5, "--json-lines", "--save", by_threads)
            code, out, err = ended(started(4, "--train", str(start), "--strategy", strategy, *more, "--steps", "5", "--json-lines", "--save", str(by_mpi)))
            assert code == 0, err
            here = [json.loads(line) for line in out.splitlines()]
            assert [line["loss"] for line in here] == [line["loss"] for line in there], strategy
            assert [line.get("experts") for line in here] == [line.get("experts") for line in there], strategy
            assert [[r["by_axis"] for r in line["ranks"]] for line in here] == [[r["by_axis"] for r in line["ranks"]] for line in there], strategy
            assert [r["memory"] for r in here[-1]["ranks"]] == [r["memory"] for r in there[-1]["ranks"]], strategy
            assert by_mpi.read_bytes() == by_threads.read_bytes(), strategy


def test_processes_write_a_trace_and_a_snapshot_each_that_are_read_as_a_run():
    with tempfile.TemporaryDirectory() as where:
        folder = pathlib.Path(where)
        threads("--layers", 2, "--width", 64, "--context", 32, "--batch", 2, "--accumulation", 2, "--data", "copy", "--steps", 0, "--save", folder / "start", "--json-lines")
        code, out, err = ended(started(2, "--train", str(folder / "start"), "--steps", "3", "--json-lines",
                                       "--trace", str(folder / "trace.json"), "--snapshot", str(folder / "memory.pickle")))
        assert code == 0, err
        last = json.loads(out.splitlines()[-1])

        def read(*files):
            done = subprocess.run([str(pathlib.Path(RANK).parent / "ringside"), "import", "run", "--json", *map(str, files)], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)

        run = read(*(folder / f"trace-rank{rank}.json" for rank in (0, 1)))
        assert [trace["rank"] for trace in run["traces"]] == [0, 1] and run["ranks"]["same_calls"], run
        for trace in run["traces"]:
            assert trace["timeline"]["computing_s"] > 0, trace
            assert "all-reduce" in {call["kind"] for call in trace["collectives"]}, trace["collectives"]
        for rank in (0, 1):
            assert read(folder / f"memory-rank{rank}.pickle")["memory"]["peak_bytes"] == last["ranks"][rank]["peak_bytes"], rank
        code, out, err = ended(started(2, "--train", str(folder / "start"), "--steps", "1", "--trace", str(folder / "start" / "trace.json")))
        assert code == 1 and "start/trace" in err, err


# Two hosts of this machine's own: each with its network, joined by a cable, and a name; None where that is not allowed.
class TwoHosts:
    NET = "10.211.7"

    def __init__(self, where):
        self.names = [f"ringside-{os.getpid()}-{letter}" for letter in "ab"]
        self.agent = where / "agent"  # starts a command on the second, as ssh would
        self.agent.write_text(f'#!/bin/sh\nshift\nexec ip netns exec {self.names[1]} unshare -u sh -c "hostname second; $*"\n')
        self.agent.chmod(0o755)

    def __enter__(self):
        a, b = self.names
        for command in (f"netns add {a}", f"netns add {b}", f"link add end0 netns {a} type veth peer name end0 netns {b}",
                        f"-n {a} addr add {self.NET}.1/24 dev end0", f"-n {b} addr add {self.NET}.2/24 dev end0",
                        *(f"-n {host} link set {device} up" for host in self.names for device in ("lo", "end0"))):
            done = subprocess.run(["ip", *command.split()], capture_output=True, text=True)
            if done.returncode != 0:
                self.__exit__()
                print("skipped: root may not make network namespaces here:", done.stderr.strip())
                sys.exit(SKIPPED)
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def started(self, each, *arguments):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", HWLOC_COMPONENTS="-gl")
        mpirun = [MPIRUN, "--host", f"{self.NET}.1:{each},{self.NET}.2:{each}", "--mca", "plm_rsh_agent", str(self.agent),
                  "--mca", "btl_tcp_if_include", f"{self.NET}.0/24", "--mca", "oob_tcp_if_include", f"{self.NET}.0/24", "-n", str(2 * each)]
        return subprocess.Popen(["ip", "netns", "exec", self.names[0], "unshare", "-u", "sh", "-c", 'hostname first; exec "$@"', "sh",
                                 *mpirun, RANK, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def test_ranks_on_two_hosts_train_to_the_bits_of_threads():
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout
    if os.geteuid() != 0 or not shutil.which("ip") or not ("Open MPI" in version or "OpenRTE" in version):
        print("skipped: two hosts on one machine need root and Open MPI")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as where, TwoHosts(pathlib.Path(where)) as hosts:
        start, by_threads, by_hosts, live = (pathlib.Path(where) / name for name in ("start", "threads", "hosts", "live"))
        threads("--layers", 4, "--width", 64, "--heads", 4, "--context", 16, "--batch", 2, "--accumulation", 4, "--data", "copy",
                "--symbols", 15, "--set", "model.tied_embeddings=false", "--steps", 0, "--save", start, "--json-lines")
        for strategy in ("dp2-tp2", "zero3", "pp"):
            threads("--resume", start, "--ranks", 4, "--strategy", strategy, "--steps", 3, "--json-lines", "--save", by_threads)
            code, out, err = ended(hosts.started(2, "--train", start, "--strategy", strategy, "--steps", 3, "--save", by_hosts, "--live", live))
            assert code == 0, out + err
            assert by_hosts.read_bytes() == by_threads.read_bytes(), strategy
            assert len(json.loads(live.read_text())["trace"]["ranks"]) == 4
        # A host whose rank dies takes the others with it.
        process = hosts.started(2, "--train", start, "--strategy", "ddp", "--steps", 1000000, "--live", live)
        until("steps on both", lambda: json.loads(live.read_text())["state"] == "running" and json.loads(live.read_text())["step"] > 3)
        os.kill(max(ranks_that_train(start)), signal.SIGKILL)
        code, _, _ = ended(process)
        assert code != 0


# A window elsewhere, as a picture of what it shows of a training that goes on.
def watched(live, picture):
    command = [str(pathlib.Path(RANK).parent / "ringside"), "picture", "--view", "ranks", "--watch", str(live), "-o", str(picture)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def until(what, condition, patience=60):
    begin = time.monotonic()
    while time.monotonic() - begin < patience:
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"waited {patience} s for {what}")


def test_a_training_is_watched_while_it_runs_and_when_it_breaks_off():
    with tempfile.TemporaryDirectory() as where:
        start, live, picture = (pathlib.Path(where) / name for name in ("start", "live", "picture.png"))
        threads("--layers", 4, "--width", 64, "--heads", 4, "--context", 32, "--batch", 2, "--accumulation", 4, "--data", "copy",
                "--symbols", 15, "--set", "model.tied_embeddings=false", "--steps", 0, "--save", start, "--json-lines")
        read = lambda: json.loads(live.read_text()) if live.exists() else {}
        # To its end: the last word has every step, and a step of all four ranks.
        code, _, err = ended(started(4, "--train", str(start), "--strategy", "dp2-pp2", "--steps", "30", "--live", str(live)))
        assert code == 0, err
        last = read()
        assert last["state"] == "stopped" and last["step"] == 30 and len(last["losses"]) == 30, last
        assert [len(rank["work"]) > 0 for rank in last["trace"]["ranks"]] == [True] * 4, last["trace"]
        assert all(0 <= w[3] <= w[4] <= last["trace"]["seconds"] * 1.01 for rank in last["trace"]["ranks"] for w in rank["work"]), last["trace"]
        # While it runs it is shown; when a rank dies, that is said.
        process = started(4, "--train", str(start), "--strategy", "ddp", "--steps", "1000000", "--live", str(live))
        until("steps to see", lambda: read().get("state") == "running" and read()["step"] > 5 and read()["trace"])
        done = watched(live, picture)
        assert done.returncode == 0 and picture.stat().st_size > 10000, done.stderr
        seen = read()["step"]
        until("more of them", lambda: read()["step"] > seen)
        os.kill(ranks_of(process)[3], signal.SIGKILL)
        code, _, _ = ended(process)
        assert code != 0
        done = watched(live, picture)  # whatever it could still say
        assert done.returncode == 0, done.stderr
        # What is no such file is refused with the reason.
        done = watched(start, picture)
        assert done.returncode != 0 and "no running training" in done.stderr, done.stderr
        done = watched(live.with_name("none"), picture)
        assert done.returncode != 0 and "could not be read" in done.stderr, done.stderr


def test_a_training_that_cannot_be_cut_says_why_and_ends():
    with tempfile.TemporaryDirectory() as where:
        start = pathlib.Path(where) / "start"
        threads("--layers", 2, "--width", 32, "--heads", 2, "--context", 16, "--batch", 2, "--data", "copy", "--steps", 0, "--save", start, "--json-lines")
        code, out, err = ended(started(4, "--train", str(start), "--strategy", "tp"))
        assert code != 0 and "parallel.tensor" in err and "use a divisor of 2" in err, err
        code, out, err = ended(started(2, "--train", str(pathlib.Path(where) / "none")))
        assert code != 0 and "could not be read" in err, err
        code, out, err = ended(started(2, "--train", str(start), "--save", "-"))
        assert code != 0 and "--save: - is standard output" in err and not out, (out, err)


def main():
    assert pathlib.Path(RANK).is_file(), "ringside-rank was built without MPI; ./run test installs libopenmpi-dev and builds it"
    assert shutil.which(MPIRUN), "mpirun is missing; ./run test installs openmpi-bin"
    run_tests(globals(), sys.argv[3:])


main()
