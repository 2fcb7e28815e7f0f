"""What other people's pages take: the two lines of a figure, the answer of oEmbed, and the examples of docs/embed.md.

usage: embed_test.py RINGSIDE SOURCE_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import html.parser
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from served import environment  # noqa: E402
from script import run_tests  # noqa: E402

RINGSIDE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])


def ringside(*words, status=0):
    done = subprocess.run([RINGSIDE, *map(str, words)], capture_output=True, text=True, env=environment(), timeout=120)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


class Elements(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def elements(text, tag):
    return [attributes for name, attributes in Elements(text).found if name == tag]


def test_a_figure_is_two_lines_that_say_what_it_shows():
    text = ringside("link", "--view", "pipelines", "--scenario", "#s=llama-70b-128", "--set", "parallel.pipeline=8", "--figure", "/ringside")
    assert text.count("\n") == 2 and elements(text, "script") == [{"type": "module", "src": "/ringside/figure.mjs"}], text
    figure = elements(text, "ringside-figure")[0]
    assert figure["view"] == "pipelines" and figure["scenario"].startswith("#s=llama-70b-128;") and "parallel.pipeline=8" in figure["scenario"], figure
    shown = json.loads(ringside("evaluate", figure["scenario"], "--json"))
    assert shown == json.loads(ringside("evaluate", "#s=llama-70b-128", "--set", "parallel.pipeline=8", "--json"))
    asked = elements(ringside("link", "--question", "problem-4-link/rate", "--seed", 7, "--figure", "."), "ringside-figure")[0]
    assert asked == {"question": "problem-4-link/rate", "seed": "7"}, asked


def test_oembed_answers_with_a_frame_of_the_link():
    page = "https://course.example.org/ringside/"
    answer = json.loads(ringside("link", "--view", "memory", "--page", page, "--oembed"))
    frame = elements(answer["html"], "iframe")[0]
    assert (answer["version"], answer["type"]) == ("1.0", "rich") and answer["title"] == frame["title"] != "", answer
    assert frame["src"].startswith(page + "#v=memory") and frame["src"].endswith("embed"), frame
    assert (str(answer["width"]), str(answer["height"])) == (frame["width"], frame["height"])
    assert "--page" in ringside("link", "--view", "memory", "--oembed", status=2)
    assert "--figure" in ringside("link", "--view", "memory", "--page", page, "--oembed", "--figure", ".", status=2)


def test_the_examples_of_the_documentation_name_what_there_is():
    figures = elements((SOURCE / "docs/embed.md").read_text(encoding="utf-8"), "ringside-figure")
    assert len(figures) > 3, figures
    for figure in figures:
        for example in filter(None, [figure.get("scenario")]):
            assert json.loads(ringside("evaluate", f"#s={example}", "--json"))["metrics"]["model.parameters"] > 0
        if "view" in figure:
            ringside("link", "--view", figure["view"])
        for field in filter(None, figure.get("controls", "").split(",")):
            assert f"{field}: unknown field" not in ringside("evaluate", "#s=default", "--set", f"{field}=none", status=2), field


if __name__ == "__main__":
    run_tests(globals(), sys.argv[3:])
