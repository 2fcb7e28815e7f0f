"""Pictures without a display, as others get them: the real program writes PNG files, which are read back here.

usage: picture_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
import zlib

from script import SKIPPED, run_tests, shared

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
# Graphics drivers keep memory until the process ends; what the program itself leaks, the other tests see.
os.environ["ASAN_OPTIONS"] = "detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")


class Outcome:
    command = "picture"

    def __init__(self, *arguments, text=None, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            environment.pop(name, None)
        environment.update(variables)
        done = subprocess.run([RINGSIDE, self.command, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=800, env=environment)
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def exits(self, code):
        assert self.code == code, f"exit status {self.code}, not {code}\nstdout: {self.out}\nstderr: {self.err}"
        for trace in ("terminate called", "what():", "AddressSanitizer", "runtime error"):
            assert trace not in self.err, self.err
        return self

    def mentions(self, *words):
        for word in words:
            assert word in self.err, f"no {word!r} in:\n{self.err}"
        return self


def folder():
    return tempfile.TemporaryDirectory(prefix="ringside-test-")


class Picture:
    """The pixels of a PNG of 8 bits a channel, not interlaced."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
        chunks, at = {}, 8
        while at < len(data):
            (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
            body = data[at + 8:at + 8 + length]
            (check,) = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
            assert zlib.crc32(kind + body) == check, "a damaged chunk"
            chunks[kind] = chunks.get(kind, b"") + body
            at += 12 + length
        assert b"IEND" in chunks, "no end"
        self.source = chunks.get(b"tEXt", b"")
        self.width, self.height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
        assert (depth, interlaced) == (8, 0), (depth, interlaced)
        self.channels = {2: 3, 6: 4}[colour]
        self.rows = self.unfiltered(zlib.decompress(chunks[b"IDAT"]))

    def unfiltered(self, raw):
        n, stride = self.channels, self.width * self.channels
        rows, above = [], bytearray(stride)
        for y in range(self.height):
            begin = y * (stride + 1)
            method, row = raw[begin], bytearray(raw[begin + 1:begin + 1 + stride])
            if method == 1:
                for i in range(n, stride):
                    row[i] = (row[i] + row[i - n]) & 255
            elif method == 2:
                row = bytearray((a + b) & 255 for a, b in zip(row, above))
            elif method == 3:
                for i in range(stride):
                    row[i] = (row[i] + ((row[i - n] if i >= n else 0) + above[i]) // 2) & 255
            elif method == 4:
                for i in range(stride):
                    a, b, c = (row[i - n] if i >= n else 0), above[i], (above[i - n] if i >= n else 0)
                    p = a + b - c
                    near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                    row[i] = (row[i] + near) & 255
            rows.append(bytes(row))
            above = row
        return rows

    def colours(self):
        n = self.channels
        return {row[i:i + 3] for row in self.rows for i in range(0, len(row), n)}

    def brightness(self):
        n = self.channels
        return sum(sum(row[i::n]) for row in self.rows for i in range(3)) / (3 * self.width * self.height)

    def opaque(self):
        return self.channels == 3 or all(set(row[3::4]) == {255} for row in self.rows)


def drawn(*arguments, **options):
    with folder() as where:
        path = pathlib.Path(where) / "a.png"
        outcome = Outcome(*arguments, "-o", path, **options).exits(0)
        assert outcome.err == "" and outcome.out == "", (outcome.err, outcome.out)
        assert [entry.name for entry in pathlib.Path(where).iterdir()] == ["a.png"]
        return path.read_bytes()


def views():
    return [view["id"] for view in json.loads(Outcome("--list", "--json").exits(0).out)["views"]]


def test_minus_is_standard_output():
    with folder() as where:
        done = subprocess.run([RINGSIDE, "picture", "--view", "memory", "--size", "640x480", "-o", "-"], capture_output=True, cwd=where, timeout=800)
        picture = Picture(done.stdout)
        assert done.returncode == 0 and (picture.width, picture.height) == (640, 480), done.stderr
        assert list(pathlib.Path(where).iterdir()) == []


def test_the_readme_names_every_view_and_how_many_there_are():
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    named = [view for row in re.findall(r"^\|.*: `([a-z -]+)` \|$", text, re.MULTILINE) for view in row.split()]
    assert sorted(named) == sorted(views()), set(named) ^ set(views())
    assert f"lists all {len(named)}." in text


def test_the_list_names_every_view_as_text_and_as_json():
    listed = json.loads(Outcome("--list", "--json").exits(0).out)["views"]
    assert len(listed) >= 5
    text = Outcome("--list").exits(0).out
    for view in listed:
        assert all(view[field] for field in ("id", "title", "description")), view
        for page in view["pages"]:
            assert page.startswith(view["id"] + "/") and page in text, page
        assert view["id"] in text and view["title"] in text and view["description"] in text
    sources = {path.name.removesuffix("_view.cpp").replace("_", "-") for path in (SOURCE / "ui/views").glob("*/*_view.cpp")}
    assert {view["id"] for view in listed} == sources, sources


def test_pages_measured_steps_and_the_guide_each_change_the_picture():
    rate = drawn("--view", "optimizer")
    assert drawn("--view", "optimizer/rate") == rate
    assert len({rate, drawn("--view", "optimizer/clip"), drawn("--view", "optimizer", "--guide")}) == 3
    steps = SOURCE / "tests/data/step/simumax-b200.json"
    assert drawn("--view", "measured") != drawn("--view", "measured", "--measured", steps)
    Outcome("--view", "optimizer/clop", "-o", "x.png").exits(2).mentions("there is no view")
    Outcome("--view", "measured", "--measured", "nowhere.csv", "-o", "x.png").exits(2).mentions("nowhere.csv")
    Outcome("--view", "optimizer", "--press", "y+", "-o", "x.png").exits(2).mentions("--press")


class Gallery(Outcome):
    command = "gallery"


class Guide(Outcome):
    command = "guide"


def test_the_user_guide_has_a_page_with_a_picture_for_every_view_and_no_dead_link():
    with folder() as where:
        Guide(where).exits(0)
        where = pathlib.Path(where)
        index = (where / "README.md").read_text(encoding="utf-8")
        for view in views():
            assert f"({view}.md)" in index, view
            page = (where / f"{view}.md").read_text(encoding="utf-8")
            assert "## How to use it" in page and "**Try this.**" in page, view
            links = re.findall(r"\]\(([^)]+)\)", page)
            assert any(link.startswith("pictures/") for link in links), view
            for link in links:
                assert (where / link).stat().st_size > 0, (view, link)
    Guide("/proc/nowhere").exits(2).mentions("/proc/nowhere")


def test_a_gallery_has_a_picture_and_a_sentence_for_every_link():
    with folder() as where:
        where = pathlib.Path(where)
        Gallery(where / "start").exits(0)
        page = (where / "start/index.html").read_text(encoding="utf-8")
        shipped = (SOURCE / "assets/gallery/start.txt").read_text(encoding="utf-8").splitlines()
        assert page.count("<a href=") == len(shipped) == 12
        assert page.count('href="ringside:#v=') == 12 and "**" not in page and "<p></p>" not in page
        for picture in re.findall(r'src="([^"]+)"', page):
            assert xml.etree.ElementTree.parse(where / "start" / picture).getroot().tag.endswith("svg")
        # Another's links, as they were copied from a page.
        mine = where / "mine.txt"
        mine.write_text("https://example.org/r/#v=memory&s=llama-70b-256 <b>70B</b> & \"more\"\n\n#v=ring\n", encoding="utf-8")
        Gallery(where / "own", "--links", mine, "--title", "Week 3", "--page", "https://example.org/ringside/").exits(0)
        page = (where / "own/index.html").read_text(encoding="utf-8")
        assert "<h1>Week 3</h1>" in page and "&lt;b&gt;70B&lt;/b&gt; &amp; &quot;more&quot;" in page and "<b>" not in page
        assert page.count('href="https://example.org/ringside/#v=') == 2
        for text, said in (("#v=nothing a\n", "line 1"), ("#s=default a\n", "opens no view"), ("", "0 links"), ("#v=ring a\n" * 201, "201 links")):
            mine.write_text(text, encoding="utf-8")
            Gallery(where / "bad", "--links", mine).exits(2).mentions(said, "mine.txt")
            assert not (where / "bad").exists()
    Gallery("/proc/nowhere").exits(2).mentions("/proc/nowhere")


def test_every_view_is_drawn_in_the_size_asked_for_and_is_not_flat():
    for view in shared(views()):
        picture = Picture(drawn("--view", view, "--size", "640x480", "--steps", "8"))
        assert (picture.width, picture.height) == (640, 480), view
        assert len(picture.colours()) > 30, f"{view} has only {len(picture.colours())} colours"
        assert picture.opaque(), view


def test_the_size_is_1280_by_800_when_none_is_given():
    data = drawn("--view", "memory")
    assert struct.unpack(">II", data[16:24]) == (1280, 800)


def test_the_same_picture_drawn_twice_has_the_same_bytes():
    for view in shared(views()):
        if view not in ("lab", "ranks"):  # whose speeds are this machine's, now
            assert drawn("--view", view, "--size", "800x600") == drawn("--view", view, "--size", "800x600"), view


def test_the_curve_of_the_lab_is_the_same_every_time():
    first, second = (Picture(drawn("--view", "lab", "--steps", "16")) for _ in range(2))
    chart = [[row[112 * p.channels:980 * p.channels] for row in p.rows[110:340]] for p in (first, second)]
    assert chart[0] == chart[1]


def test_light_presenter_text_scale_and_time_each_change_the_picture():
    plain = drawn("--view", "ring", "--size", "800x600")
    for change in (["--light"], ["--presenter"], ["--text-scale", "1.5"], ["--time", "0"]):
        assert drawn("--view", "ring", "--size", "800x600", *change) != plain, change


def test_nothing_empty_lies_over_a_view_in_the_smallest_window():
    p = Picture(drawn("--view", "overview", "--size", "640x480", "--text-scale", "2.5"))
    pixels = [[row[i:i + p.channels] for i in range(0, len(row), p.channels)] for row in p.rows[10:340]]
    for row in pixels:
        most = max(set(row), key=row.count)
        assert most == pixels[0][0] or row.count(most) < 0.8 * p.width, "a card as wide as the view"


def test_the_light_theme_is_light_and_the_dark_one_dark():
    dark, light = (Picture(drawn("--view", "memory", "--size", "480x360", *more)).brightness() for more in ([], ["--light"]))
    assert dark < 90 < 165 < light, (dark, light)


def test_a_moment_beyond_the_end_is_the_end():
    assert drawn("--view", "zero", "--time", "3", "--size", "640x480") == drawn("--view", "zero", "--time", "1e9", "--size", "640x480")


def test_a_scenario_from_standard_input_is_drawn_and_one_to_compare_with_shows():
    small = '{"model": "gpt-2-124m", "cluster": {"gpus": 1}, "training": {"global_batch": 1, "sequence_length": 1024}}'
    plain = drawn("--view", "memory", "--size", "800x600")
    assert drawn("--view", "memory", "--size", "800x600", "--scenario", "-", text=small) != plain
    with folder() as where:
        other = pathlib.Path(where) / "a.json"
        other.write_text('{"model": "llama-3.1-8b", "cluster": {"gpus": 256}, "parallel": {"tensor": 8, "pipeline": 4}, "training": {"global_batch": 128}}')
        assert drawn("--view", "memory", "--size", "1280x800", "--compare", other) != drawn("--view", "memory", "--size", "1280x800")


def test_pictures_do_not_depend_on_settings_or_the_last_scenario():
    plain = drawn("--view", "memory", "--size", "640x480")
    with folder() as where:
        kept = pathlib.Path(where) / "ringside"
        kept.mkdir()
        (kept / "settings.json").write_text('{"light": true, "text_scale": 2}')
        (kept / "last-scenario.json").write_text('{"model": "gpt-2-124m", "cluster": {"gpus": 1}, "training": {"global_batch": 1}}')
        assert drawn("--view", "memory", "--size", "640x480", XDG_CONFIG_HOME=where) == plain


def test_an_unknown_view_is_refused_with_the_one_that_was_meant():
    Outcome("--view", "memry", "-o", "/nowhere/a.png").exits(2).mentions("--view: there is no view", "did you mean memory?")
    Outcome("--view", "xyzzyxyzzy", "-o", "/nowhere/a.png").exits(2).mentions("use one of", *views())
    Outcome("-o", "/nowhere/a.png").exits(2).mentions("--view: is missing")


def test_what_lies_over_a_view_brings_one():
    small = ("--size", "640x480")
    assert drawn("--term", "mfu", *small) == drawn("--view", "glossary", "--term", "mfu", *small)
    for over in (("--tour", 3), ("--find", "mfu"), ("--guide",)):
        assert drawn(*over, *small) == drawn("--view", "overview", *over, *small), over


def test_a_wrong_size_is_refused_with_the_range():
    for size in ("0x0", "10x10", "axb", "1280", "1280x", "x800", "1280x800x3", "1280x800 ", "-1280x800", "99999x99999", "1e3x1e3"):
        Outcome("--view", "memory", "--size", size, "-o", "/nowhere/a.png").exits(2).mentions("--size: ", "WIDTHxHEIGHT")
    Outcome("--view", "memory", "--size", "", "-o", "/nowhere/a.png").exits(2).mentions("--size: is empty")


def test_a_wrong_text_scale_or_time_is_refused():
    for scale in ("0", "0.5", "3", "-1", "nan", "inf"):
        Outcome("--view", "memory", "--text-scale", scale, "-o", "/nowhere/a.png").exits(2).mentions("--text-scale")
    Outcome("--view", "memory", "--text-scale", "large", "-o", "/nowhere/a.png").exits(2).mentions("--text-scale")
    for time in ("soon", "nan", "-5", "inf"):
        Outcome("--view", "zero", "--time", time, "-o", "/nowhere/a.png").exits(2).mentions("--time")


def test_a_missing_output_is_refused():
    Outcome("--view", "memory").exits(2).mentions("-o: no file to write (give -o FILE.png or FILE.svg)")
    for name in ("x.jpg", "x", "x.PNG.txt"):
        Outcome("--view", "memory", "-o", name).exits(2).mentions(f"-o: “{name}” is neither PNG nor SVG (give -o FILE.png or FILE.svg)")


def test_every_fault_is_named_at_once():
    Outcome("--view", "memry", "--size", "1x1", "--text-scale", "9").exits(2).mentions("--view: ", "--size: ", "--text-scale: ", "-o: ")


def test_a_faulty_scenario_is_refused_with_its_path_and_nothing_is_drawn():
    with folder() as where:
        bad = pathlib.Path(where) / "bad.json"
        bad.write_text('{"cluster": {"gpus": 7}, "parallel": {"tensor": 8}}')
        out = pathlib.Path(where) / "a.png"
        Outcome("--view", "memory", "--scenario", bad, "-o", out).exits(2).mentions(f"{bad}: cluster.gpus: 7 GPUs do not divide")
        Outcome("--view", "memory", "--compare", bad, "-o", out).exits(2).mentions(f"{bad}: cluster.gpus: ")
        Outcome("--view", "memory", "--scenario", pathlib.Path(where) / "none.json", "-o", out).exits(2).mentions("none.json: could not be read")
        assert not out.exists()


def test_an_output_that_cannot_be_written_is_bad_input_and_leaves_nothing():
    with folder() as where:
        where = pathlib.Path(where)
        (where / "file").write_text("kept")
        (where / "folder.png").mkdir()
        for path, why in ((where / "folder.png", "is a folder"), (where / "file" / "a.png", "could not be saved: "), ("/dev/full/a.png", "could not be saved: ")):
            Outcome("--view", "memory", "--size", "320x320", "-o", path).exits(2).mentions(f"{path}: {why}")
        assert sorted(entry.name for entry in where.iterdir()) == ["file", "folder.png"] and (where / "file").read_text() == "kept"


def test_the_lab_is_drawn_after_a_real_run_and_before_its_start():
    assert drawn("--view", "lab", "--steps", "0") != drawn("--view", "lab", "--steps", "8")
    Outcome("--view", "lab", "--demo", "nothing", "-o", "x.png").exits(2).mentions("--demo", "overflow", "accumulation")


SVG = "{http://www.w3.org/2000/svg}"


def test_every_view_is_written_as_svg_with_its_words():
    with folder() as where:
        for view in shared(views()):
            path = pathlib.Path(where) / f"{view}.svg"
            outcome = Outcome("--view", view, "--size", "1280x800", "--steps", "8", "-o", path).exits(0)
            assert outcome.err == "" and outcome.out == "", (outcome.err, outcome.out)
            root = xml.etree.ElementTree.parse(path).getroot()
            assert root.tag == SVG + "svg" and root.get("viewBox") == "0 0 1280 800", view
            kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
            assert kinds <= {"svg", "style", "defs", "clipPath", "g", "rect", "circle", "path", "text", "metadata"}, (view, kinds)
            words = [element.text for element in root.iter(SVG + "text")]
            assert len(words) > 20, (view, len(words))
            clips = {element.get("id") for element in root.iter(SVG + "clipPath")}
            used = {element.get("clip-path")[5:-1] for element in root.iter(SVG + "g")}
            assert used <= clips, (view, used - clips)
            for element in root.iter():
                for name, value in element.attrib.items():
                    assert "nan" not in value and "inf" not in value, (view, element.tag, name, value)


def test_a_picture_has_a_link_to_what_it_shows():
    with folder() as where:
        png, svg = pathlib.Path(where) / "a.png", pathlib.Path(where) / "a.svg"
        link = "ringside:#v=zero&s=default;parallel.zero=3"
        for path in (png, svg):
            Outcome("--view", "zero", "--scenario", link, "-o", path).exits(0)
        assert Picture(png.read_bytes()).source == b"Source\0" + link.encode()
        assert xml.etree.ElementTree.parse(svg).getroot().findtext(SVG + "metadata") == link


def test_svg_needs_no_opengl_and_a_covered_part_of_a_lesson_is_not_in_it():
    with folder() as where:
        hidden, shown = pathlib.Path(where) / "a.svg", pathlib.Path(where) / "b.svg"
        lessons = [json.loads(path.read_text()) for path in sorted((SOURCE / "lessons").glob("*/*.json"))]
        lesson, step = next((one, i) for one in lessons for i, s in enumerate(one["steps"], 1) if s.get("hide"))
        for path, more in ((hidden, []), (shown, ["--reveal"])):
            Outcome("--lesson", lesson["id"], "--step", step, *more, "-o", path).exits(0)
        assert "hidden until you predict" in hidden.read_text() and "hidden until you predict" not in shown.read_text()
        count = lambda path: len(list(xml.etree.ElementTree.parse(path).getroot().iter(SVG + "rect")))
        assert count(hidden) != count(shown)


class Film(Outcome):
    command = "animate"


def probed(path):
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,width,height,nb_read_frames,r_frame_rate",
                           "-of", "json", str(path)], capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)["streams"][0]


def test_a_film_has_the_frames_asked_for_and_they_move():
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        print("skipped: ffmpeg is not installed")
        sys.exit(SKIPPED)
    with folder() as where:
        for name, codec in (("a.mp4", "h264"), ("a.gif", "gif")):
            path = pathlib.Path(where) / name
            outcome = Film("--view", "ring", "--size", "641x481", "--seconds", "1", "--fps", "10", "-o", path).exits(0)
            assert outcome.out == "" and outcome.err == "", (outcome.out, outcome.err)
            stream = probed(path)
            assert stream["codec_name"] == codec and int(stream["nb_read_frames"]) == 10 and stream["r_frame_rate"] == "10/1", stream
            assert (stream["width"], stream["height"]) == ((642, 482) if codec == "h264" else (641, 481)), stream
            hashes = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "framemd5", "-"], capture_output=True, text=True, timeout=60).stdout
            frames = [line.split(",")[-1].strip() for line in hashes.splitlines() if not line.startswith("#")]
            assert len(set(frames)) > 5, frames
        assert sorted(entry.name for entry in pathlib.Path(where).iterdir()) == ["a.gif", "a.mp4"]


def streams_of(path):
    done = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=codec_type,codec_name,sample_rate,channels,duration", "-of", "json", str(path)],
                          capture_output=True, text=True, timeout=60)
    return {stream["codec_type"]: stream for stream in json.loads(done.stdout)["streams"]}


# Samples as numbers from -1 to 1.
def heard(path):
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-"], capture_output=True, timeout=60).stdout
    return [sample / 32768 for (sample,) in struct.iter_unpack("<h", raw)]


def test_a_film_with_sound_has_an_audio_stream_as_long_as_its_frames():
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        print("skipped: ffmpeg is not installed")
        sys.exit(SKIPPED)
    with folder() as where:
        path = pathlib.Path(where) / "a.mp4"
        size = ("--size", "640x480", "--fps", "10")
        outcome = Film("--view", "pipelines", *size, "--seconds", "3", "--sound", "-o", path).exits(0)
        assert outcome.out == "" and outcome.err == "", (outcome.out, outcome.err)
        streams = streams_of(path)
        assert streams["video"]["codec_name"] == "h264" and streams["audio"]["codec_name"] == "aac", streams
        assert streams["audio"]["sample_rate"] == "48000" and streams["audio"]["channels"] == 1, streams
        assert abs(float(streams["video"]["duration"]) - 3) < 0.001 and abs(float(streams["audio"]["duration"]) - 3) < 0.05, streams
        samples = heard(path)
        assert 0.05 < max(samples) <= 0.85, max(samples)
        assert sum(abs(sample) for sample in samples) / len(samples) > 0.005
        assert [entry.name for entry in pathlib.Path(where).iterdir()] == ["a.mp4"]
        Film("--view", "pipelines", *size, "--seconds", "1", "-o", path).exits(0)
        assert "audio" not in streams_of(path), "sound is off unless asked for"


def test_a_demonstration_is_filmed_scene_by_scene_with_its_sound_and_its_keys():
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        print("skipped: ffmpeg is not installed")
        sys.exit(SKIPPED)
    with folder() as where:
        script = pathlib.Path(where) / "two.json"
        scenes = [{"title": "Silence", "view": "memory", "seconds": 1, "press": [{"from": 0.5, "keys": "T"}]},
                  {"title": "Sound", "view": "ring", "seconds": 2, "sound": True, "playback": {"play": True}}]
        script.write_text(json.dumps({"schema": "ringside.demo/1", "title": "Two", "scenes": scenes}))
        path = pathlib.Path(where) / "two.mp4"
        Film("--film", script, "--size", "640x480", "--fps", "10", "-o", path).exits(0)
        assert int(probed(path)["nb_read_frames"]) == 30
        samples = heard(path)
        assert abs(len(samples) / 48000 - 3) < 0.05, len(samples)
        assert max(samples[:46000]) < 0.003 and max(samples[52000:]) > 0.05, (max(samples[:46000]), max(samples[52000:]))
        first = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-vf", "scale=1:1", "-pix_fmt", "gray", "-f", "rawvideo", "-"], capture_output=True, timeout=60).stdout
        assert first[8] - first[2] > 60, "T has made the window light in the middle of the first scene"
        scenes[0]["press"][0]["keys"] = "Tea"
        script.write_text(json.dumps({"schema": "ringside.demo/1", "title": "Two", "scenes": scenes}))
        Film("--film", script, "-o", path).exits(2).mentions("Tea", "no key")


def test_without_ffmpeg_a_film_is_a_folder_of_pictures_and_says_so():
    with folder() as where:
        path = pathlib.Path(where) / "a.mp4"
        arguments = ("--view", "zero", "--size", "320x320", "--seconds", "0.5", "--fps", "6", "-o", path)
        Film(*arguments, PATH=where).exits(0).mentions("ffmpeg is not on PATH", "a-frames")
        assert [entry.name for entry in pathlib.Path(where).iterdir()] == ["a-frames"]
        frames = sorted((pathlib.Path(where) / "a-frames").iterdir())
        assert [frame.name for frame in frames] == ["00001.png", "00002.png", "00003.png"]
        still = drawn("--view", "zero", "--size", "320x320", "--time", "0")
        assert Picture(frames[0].read_bytes()).rows == Picture(still).rows, "the first frame is the picture of that moment"
        Film(*arguments, PATH=where).exits(2).mentions("is there already")


def test_a_film_that_is_interrupted_leaves_nothing():
    with folder() as where:
        process = subprocess.Popen([RINGSIDE, "animate", "--view", "ring", "--seconds", "600", "--fps", "30", "-o", f"{where}/a.mp4"], stderr=subprocess.PIPE, text=True)
        begin = time.monotonic()
        while not list(pathlib.Path(where).iterdir()) and process.poll() is None and time.monotonic() - begin < 60:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130, process.returncode
        assert "nothing was written" in process.stderr.read()
        assert list(pathlib.Path(where).iterdir()) == []


def test_what_cannot_be_a_film_is_refused_and_leaves_nothing():
    with folder() as where:
        path = f"{where}/a.mp4"
        still = Film("--view", "memory", "-o", path).exits(2).mentions("--view: \u201cmemory\u201d does not move", "ring", "pipelines")
        assert "memory," not in still.err
        Film("--view", "ring", "-o", f"{where}/a.avi").exits(2).mentions("-o: ", "neither GIF nor MP4")
        Film("--view", "ring").exits(2).mentions("-o: no file to write")
        for option, value in (("--fps", "0"), ("--fps", "nan"), ("--seconds", "-3"), ("--seconds", "9999"), ("--from", "-2"), ("--to", "1e9")):
            Film("--view", "ring", option, value, "-o", path).exits(2).mentions(f"{option}: ")
        Film("--view", "ring", "--from", "5", "--to", "5", "-o", path).exits(2).mentions("--to: ")
        Film("--view", "zero", "--sound", "-o", path).exits(2).mentions("--sound: ", "pipelines")
        Film("--view", "ring", "--sound", "-o", f"{where}/a.gif").exits(2).mentions("--sound: ", "GIF")
        Film("--film", "last-film", "-o", path).exits(2).mentions("hear-the-bubble", "first-class")
        Film("--view", "rng", "--size", "1x1").exits(2).mentions("--view: ", "--size: ", "-o: ")
        assert list(pathlib.Path(where).iterdir()) == []


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
