"""The window as a user has it: the real program on a display of its own, driven with mouse and keyboard.

usage: window_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
Exit status 77: Xvfb, xdotool or ImageMagick is missing, so nothing was tested.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from script import run_tests

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
# Graphics drivers keep memory until the process ends; what the program itself leaks, the other tests see.
os.environ["ASAN_OPTIONS"] = "detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")
PATIENCE = 60  # [s] for anything to happen; far more than it takes


def until(what, condition, patience=PATIENCE):
    begin = time.monotonic()
    while time.monotonic() - begin < patience:
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f"waited {patience} s for {what}")


def end(process):
    if process is None or process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


class Display:
    """An X server nobody sees, with a number nobody else has."""

    def __enter__(self):
        readable, writable = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writable), "-screen", "0", "1920x1200x24", "-noreset", "-nolisten", "tcp"],
                                       pass_fds=[writable], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writable)
        with os.fdopen(readable) as numbers:
            self.number = numbers.readline().strip()
        if not self.number:
            end(self.server)
            raise AssertionError("Xvfb did not start")
        return self

    def __exit__(self, *_):
        end(self.server)


class Ringside:
    def __init__(self, display, home, *arguments, started_in=None, tour=False):
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_") and name != "WAYLAND_DISPLAY"}
        self.environment |= {"DISPLAY": f":{display.number}", "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home), "LIBGL_ALWAYS_SOFTWARE": "1"}
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([RINGSIDE, *(() if tour else ("--no-tour",)), *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors, cwd=started_in)

    def __enter__(self):
        try:
            self.id = until("the window", self.find)
            time.sleep(0.5)  # its first frames
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        end(self.process)

    def find(self):
        assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.said()}"
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "^Ringside$"], env=self.environment, capture_output=True, text=True, timeout=PATIENCE).stdout.split()
        return found[0] if found else None

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def do(self, *arguments):
        subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, check=True, timeout=PATIENCE, capture_output=True)

    def key(self, key):
        self.do("windowfocus", self.id)
        self.do("key", key)
        time.sleep(0.4)

    def move(self, x, y):
        self.do("mousemove", "--window", self.id, round(x), round(y))

    def drag(self, x1, x2, y):
        self.move(x1, y)
        time.sleep(0.2)
        self.do("mousedown", 1)
        for step in range(1, 9):
            time.sleep(0.05)
            self.move(x1 + (x2 - x1) * step / 8, y)
        time.sleep(0.1)
        self.do("mouseup", 1)
        time.sleep(0.6)

    def size(self):
        words = subprocess.run(["xdotool", "getwindowgeometry", "--shell", self.id], env=self.environment, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
        found = dict(line.split("=") for line in words.split())
        return int(found["WIDTH"]), int(found["HEIGHT"])

    def pixels(self):
        """Rows of red, green and blue, as shown on the display."""
        data = subprocess.run(["import", "-window", self.id, "-depth", "8", "rgb:-"], env=self.environment, check=True, capture_output=True, timeout=PATIENCE).stdout
        width, height = self.size()
        assert len(data) == width * height * 3, (len(data), width, height)
        return data

    def seconds_of_processor(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def leaves(self):
        """Ctrl+Q ends it, in order, within seconds."""
        self.key("ctrl+q")
        until("the program to end", lambda: self.process.poll() is not None)
        assert self.process.returncode == 0, (self.process.returncode, self.said())
        assert self.said() == "", self.said()


def colours(pixels):
    return len({pixels[i:i + 3] for i in range(0, len(pixels), 3)})


def share_changed(a, b):
    assert len(a) == len(b)
    return sum(a[i] != b[i] for i in range(0, len(a), 3)) / (len(a) / 3)


def folder():
    return tempfile.TemporaryDirectory(prefix="ringside-test-")


def kept(home, name):
    path = pathlib.Path(home) / "ringside" / name
    return json.loads(path.read_text()) if path.exists() else None


def test_the_window_opens_draws_and_ends_with_ctrl_q():
    with folder() as home, Display() as display, Ringside(display, home, "--view", "memory") as ringside:
        assert ringside.size() == (1280, 800)
        until("a drawn window", lambda: colours(ringside.pixels()) > 100)
        ringside.leaves()


def test_the_tour_comes_at_the_very_first_start_and_never_again():
    with folder() as home, Display() as display:
        with Ringside(display, home, tour=True) as ringside:
            until("a drawn window", lambda: colours(ringside.pixels()) > 100)
            assert kept(home, "settings.json") is None, "kept before the tour was left"
            ringside.key("Return")
            ringside.key("Escape")
            until("the settings", lambda: kept(home, "settings.json"))
            ringside.leaves()
        with Ringside(display, home, "--no-tour") as plain:
            plain.key("space")  # whatever moves rests
            plain.key("Home")
            without = plain.pixels()
            plain.leaves()
        with Ringside(display, home, tour=True) as again:
            again.key("space")
            again.key("Home")
            assert share_changed(without, again.pixels()) < 0.01, "the tour came again"
            again.leaves()


def test_dragging_a_slider_and_a_key_change_the_picture_and_both_are_remembered():
    with folder() as home, Display() as display:
        with Ringside(display, home, "--view", "memory") as ringside:
            ringside.move(640, 20)
            time.sleep(0.5)
            before = ringside.pixels()
            # The track of "Model size": the second control of the panel at the right.
            ringside.drag(1180, 1080, 16 + 32 + 8 + 36 + 12 + 28)
            after = ringside.pixels()
            assert share_changed(before, after) > 0.005, share_changed(before, after)
            ringside.key("bracketright")
            assert share_changed(after, ringside.pixels()) > 0.02
            ringside.leaves()
        assert kept(home, "settings.json")["view"] == "zero", kept(home, "settings.json")
        scenario = kept(home, "last-scenario.json")
        assert scenario and scenario["model"] != "llama-3.1-70b", scenario
        with Ringside(display, home) as ringside:
            until("a drawn window", lambda: colours(ringside.pixels()) > 100)
            ringside.leaves()
        assert kept(home, "settings.json")["view"] == "zero"
        assert kept(home, "last-scenario.json") == scenario


def test_the_size_of_the_window_is_remembered():
    with folder() as home, Display() as display:
        with Ringside(display, home, "--view", "ring") as ringside:
            ringside.do("windowsize", "--sync", ringside.id, 1000, 700)
            until("the new size", lambda: ringside.size() == (1000, 700))
            until("a drawn window", lambda: colours(ringside.pixels()) > 100)
            ringside.leaves()
        assert (kept(home, "settings.json")["width"], kept(home, "settings.json")["height"]) == (1000, 700)
        with Ringside(display, home) as ringside:
            assert ringside.size() == (1000, 700)
            ringside.leaves()


def test_the_overview_moves_by_itself_and_rests_when_space_is_pressed():
    with folder() as home, Display() as display, Ringside(display, home, "--view", "overview") as ringside:
        first = ringside.pixels()
        until("the picture to move", lambda: share_changed(first, ringside.pixels()) > 0.001)
        ringside.key("space")
        ringside.move(640, 20)
        time.sleep(1)
        assert share_changed(ringside.pixels(), ringside.pixels()) == 0
        ringside.leaves()


def test_at_rest_the_window_sleeps():
    with folder() as home, Display() as display, Ringside(display, home, "--view", "memory") as ringside:
        ringside.move(640, 20)
        time.sleep(2)
        begin, used = time.monotonic(), ringside.seconds_of_processor()
        time.sleep(3)
        share = (ringside.seconds_of_processor() - used) / (time.monotonic() - begin)
        assert share < 0.2, f"{share:.1%} of a core"
        ringside.leaves()


def test_ctrl_s_saves_the_picture_where_it_was_started_and_says_so():
    with folder() as home, folder() as started_in, Display() as display:
        with Ringside(display, home, "--view", "pipelines", started_in=started_in) as ringside:
            ringside.move(640, 20)
            until("a drawn window", lambda: colours(ringside.pixels()) > 100)
            time.sleep(0.5)
            before = ringside.pixels()
            pictures = pathlib.Path(started_in)
            for number, name in enumerate(("ringside-pipelines.png", "ringside-pipelines-2.png"), 1):
                ringside.key("ctrl+s")
                until(name, lambda: (pictures / name).exists())
                assert len(list(pictures.iterdir())) == number, list(pictures.iterdir())
            time.sleep(0.5)
            after = ringside.pixels()
            saved = subprocess.run(["convert", str(pictures / "ringside-pipelines.png"), "-depth", "8", "rgb:-"], check=True, capture_output=True, timeout=PATIENCE).stdout
            # What was on the display, the right way up; rounding may differ by a little.
            assert len(saved) == len(before)
            assert share_changed(saved, before) < 0.02, share_changed(saved, before)
            # The notice stands in the status strip, the lowest 48 rows; nothing else has changed.
            width, height = ringside.size()
            above = 3 * width * (height - 48)
            assert share_changed(before[above:], after[above:]) > 0.01, share_changed(before[above:], after[above:])
            assert share_changed(before[:above], after[:above]) < 0.001, share_changed(before[:above], after[:above])
            ringside.leaves()
        assert kept(home, "settings.json")["view"] == "pipelines"


def test_ctrl_shift_s_saves_the_animation_while_the_window_goes_on():
    with folder() as home, folder() as started_in, Display() as display:
        with Ringside(display, home, "--view", "zero", started_in=started_in) as ringside:
            until("a drawn window", lambda: colours(ringside.pixels()) > 100)
            ringside.key("ctrl+shift+s")
            begun = until("a file that is being written", lambda: list(pathlib.Path(started_in).iterdir()))
            before = ringside.pixels()
            ringside.key("t")  # the window answers meanwhile
            until("the other theme", lambda: share_changed(before, ringside.pixels()) > 0.2)
            final = "ringside-zero.mp4" if shutil.which("ffmpeg") else "ringside-zero-frames"
            until("the animation", lambda: [entry.name for entry in pathlib.Path(started_in).iterdir()] == [final], 4 * PATIENCE)
            assert begun[0].name.startswith(final) and begun[0].name != final, begun
            # Once more, stopped on the way: nothing stays.
            ringside.key("ctrl+shift+s")
            until("another that is being written", lambda: len(list(pathlib.Path(started_in).iterdir())) == 2)
            ringside.key("ctrl+shift+s")
            until("nothing of it", lambda: [entry.name for entry in pathlib.Path(started_in).iterdir()] == [final])
            # A view that does not move says so and writes nothing.
            ringside.key("bracketleft")
            ringside.key("ctrl+shift+s")
            time.sleep(1)
            assert [entry.name for entry in pathlib.Path(started_in).iterdir()] == [final]
            ringside.leaves()


def test_a_short_drill_by_keyboard_is_kept():
    with folder() as home, Display() as display:
        with Ringside(display, home, "--view", "drill") as ringside:
            ringside.move(640, 20)
            until("a drawn window", lambda: colours(ringside.pixels()) > 100)
            start = ringside.pixels()
            ringside.key("2")  # what is computed
            until("a question", lambda: share_changed(start, ringside.pixels()) > 0.02)
            ringside.do("type", "--delay", "80", "1 B")
            for _ in range(3):  # three tries are over, or it was right and the grade is taken
                ringside.key("Return")
            ringside.key("1")
            until("the review on disk", lambda: (kept(home, "progress.json") or {}).get("reviews"))
            ringside.key("Escape")
            time.sleep(0.5)
            ringside.leaves()
        reviews = kept(home, "progress.json")["reviews"]
        assert len(reviews) >= 1 and reviews[0]["card"], reviews
        assert kept(home, "settings.json")["view"] == "study", kept(home, "settings.json")
        with Ringside(display, home) as ringside:
            until("a drawn window", lambda: colours(ringside.pixels()) > 100)
            ringside.leaves()
        assert kept(home, "progress.json")["reviews"] == reviews


def test_a_mock_by_keyboard_is_judged_and_kept():
    with folder() as home, Display() as display, Ringside(display, home, "--view", "mock") as ringside:
        ringside.move(640, 20)
        until("a drawn window", lambda: colours(ringside.pixels()) > 100)
        start = ringside.pixels()
        ringside.key("1")  # five minutes
        until("a question", lambda: share_changed(start, ringside.pixels()) > 0.02)
        ringside.do("type", "--delay", "80", "1")  # a number, the first choice, or nothing
        ringside.key("Return")
        for _ in range(2):
            ringside.key("Tab")
        ringside.key("alt+f")
        for _ in range(12):  # each is looked at, what was said is ticked
            ringside.key("space")
            ringside.key("Return")
            if (kept(home, "progress.json") or {}).get("reviews"):
                break
        until("the reviews on disk", lambda: (kept(home, "progress.json") or {}).get("reviews"))
        ringside.leaves()


def test_a_lesson_is_taken_by_keyboard_to_its_end():
    with folder() as home, Display() as display, Ringside(display, home, "--lesson", "memory") as ringside:
        ringside.move(640, 20)
        until("a drawn window", lambda: colours(ringside.pixels()) > 100)
        for _ in range(20):
            ringside.key("Right")  # a guess
            ringside.key("Return")  # locked in
            ringside.key("s")  # the solution of a task
            ringside.key("alt+s")  # or of what is typed
            ringside.key("Next")
            if (kept(home, "lessons.json") or {}).get("finished"):
                break
        assert (kept(home, "lessons.json") or {}).get("finished", [""])[0] == "memory", kept(home, "lessons.json")
        ringside.leaves()


def test_ctrl_s_where_nothing_may_be_written_leaves_no_file_and_a_window_that_goes_on():
    with folder() as home, Display() as display, Ringside(display, home, "--view", "frontier", started_in="/proc") as ringside:
        time.sleep(1)
        before = ringside.pixels()
        ringside.key("ctrl+s")
        time.sleep(0.5)
        assert share_changed(before, ringside.pixels()) > 0  # it says why not
        ringside.leaves()


def test_broken_settings_do_not_keep_the_window_from_opening():
    with folder() as home, Display() as display:
        place = pathlib.Path(home) / "ringside"
        place.mkdir()
        (place / "settings.json").write_text("{")
        (place / "last-scenario.json").write_text("[]")
        with Ringside(display, home, "--view", "memory") as ringside:
            until("a drawn window", lambda: colours(ringside.pixels()) > 100)
            ringside.key("ctrl+q")
            until("the program to end", lambda: ringside.process.poll() is not None)
            assert ringside.process.returncode == 0
            assert "settings.json.bad" in ringside.said() and "last-scenario.json" in ringside.said(), ringside.said()
        assert (place / "settings.json.bad").read_text() == "{"


def test_closing_the_window_by_its_manager_ends_the_program_in_order():
    with folder() as home, Display() as display, Ringside(display, home, "--view", "memory") as ringside:
        # What a window manager sends when its cross is pressed.
        ringside.do("windowclose" if not supports("windowquit") else "windowquit", ringside.id)
        until("the program to end", lambda: ringside.process.poll() is not None)
        if supports("windowquit"):
            assert ringside.process.returncode == 0, (ringside.process.returncode, ringside.said())


def random_input(draw, width, height, views):
    """A handful of things a hand can do, as xdotool's words; nothing that closes the window or saves a film."""
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    keys = letters + [str(digit) for digit in range(10)] + [f"F{number}" for number in range(1, 13)]
    keys += ["space", "Tab", "Return", "Escape", "Left", "Right", "Up", "Down", "Home", "End", "Prior", "Next", "BackSpace", "Delete", "slash", "comma", "period", "question"]
    keys += ["ctrl+z", "ctrl+y", "ctrl+plus", "ctrl+minus", "ctrl+0", "shift+Tab"]

    def point():
        x, y = draw.randrange(width), draw.randrange(height)
        # Not where the search is opened: it would find the word that leaves.
        return [x, y] if x > width // 6 or y < height // 2 else [width // 2, y]

    words = []
    for _ in range(10):
        match draw.randrange(8):
            case 0 | 1:
                words += ["key", draw.choice(keys)]
            case 2 | 3 | 4:
                words += ["mousemove", *point(), "click", draw.choice([1, 1, 1, 3])]
            case 5:
                words += ["mousemove", *point(), "mousedown", 1, "mousemove", *point(), "mouseup", 1]
            case 6:
                words += ["mousemove", *point(), "click", "--repeat", 5, draw.choice([4, 5])]
            case 7:
                words += ["key", "Escape", "ctrl+k", "sleep", 0.3, "type", "--args", 1, draw.choice(views)]
                words += ["sleep", 0.2, "key", "Return", "sleep", 0.2, "key", "Escape"]
    return words


def test_random_input_neither_ends_it_nor_lets_it_grow():
    """RINGSIDE_SOAK: how many seconds of it; an hour says most."""
    seconds = int(os.environ.get("RINGSIDE_SOAK", "15"))
    draw = random.Random(int(os.environ.get("RINGSIDE_SEED", "1")))
    views = [view["id"] for view in json.loads(subprocess.run([RINGSIDE, "picture", "--list", "--json"], check=True, capture_output=True, text=True, timeout=PATIENCE).stdout)["views"]]
    with folder() as home, folder() as here, Display() as display, Ringside(display, home, started_in=here) as ringside:
        resident = []  # [MB] each second
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            ringside.do("windowfocus", ringside.id, *random_input(draw, *ringside.size(), views), "sleep", 0.2)
            assert ringside.process.poll() is None, (ringside.process.returncode, ringside.said())
            status = pathlib.Path(f"/proc/{ringside.process.pid}/status").read_text()
            resident.append(int(status.split("VmRSS:")[1].split()[0]) * 1024 / 1e6)
        quarter = max(1, len(resident) // 4)
        quarters = [round(max(resident[i * quarter:(i + 1) * quarter])) for i in range(4)]
        print(f"{len(resident) * 10} actions in {seconds} s; most resident in each quarter: {quarters} MB")
        # In the first quarter it sees its views; what it keeps of them does not grow.
        if seconds >= 600:
            assert quarters[3] < 1.1 * max(quarters[1], quarters[2]), quarters
        assert ringside.said() == "", ringside.said()


def supports(command):
    return command in subprocess.run(["xdotool", "help"], capture_output=True, text=True, timeout=PATIENCE).stdout


def test_without_a_display_it_says_what_to_do_instead():
    with folder() as home:
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        done = subprocess.run([RINGSIDE], env={**environment, "XDG_CONFIG_HOME": home}, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 2, (done.returncode, done.stderr)
        assert "there is no display" in done.stderr and "ringside picture --view overview -o overview.png" in done.stderr, done.stderr
        assert done.stdout == "" and not list(pathlib.Path(home).iterdir())


def test_a_display_that_is_not_there_is_named():
    with folder() as home:
        done = subprocess.run([RINGSIDE], env={**os.environ, "DISPLAY": ":63999", "XDG_CONFIG_HOME": home}, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 2, (done.returncode, done.stderr)
        assert done.stderr.startswith("display: no window could be opened"), done.stderr


def test_an_unknown_view_or_a_faulty_scenario_opens_no_window():
    with folder() as home:
        environment = {**os.environ, "XDG_CONFIG_HOME": home}
        for arguments, words in ((["--view", "memry"], "--view: there is no view"), (["--scenario", "/nowhere.json"], "/nowhere.json: could not be read")):
            done = subprocess.run([RINGSIDE, *arguments], env=environment, capture_output=True, text=True, timeout=PATIENCE)
            assert done.returncode == 2 and words in done.stderr, (done.returncode, done.stderr)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the servers and programs started here end too
    missing = [tool for tool in ("Xvfb", "xdotool", "import") if shutil.which(tool) is None]
    assert not missing, f"these tests need {', '.join(missing)}; on Debian ./run test installs them"
    run_tests(globals(), sys.argv[3:])


main()
