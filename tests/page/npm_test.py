#!/usr/bin/env python3
"""The npm package in node and in headless Chromium. usage: npm_test.py build/npm ringside

Its answers are those of the program beside it, document for document.
"""
import functools
import gzip
import http.server
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/app"))
from served import Server, drawn_calls, drawn_scenario  # noqa: E402

PACKAGE, PROGRAM = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
ALONE = ("evaluate", "schedule", "collective")  # of the drawn calls; search and link are drawn here
MOST_ENGINE, MOST_DRAWING = 850e3, 3.9e6  # bytes, gzipped, of all that open() loads
RUN = """
import { open } from './index.mjs';
import { readFileSync } from 'node:fs';
const [drawing] = process.argv.slice(1);
const engine = await open({ drawing: drawing === 'drawing' });
if (drawing === 'drawing') { await engine.question('problem-4-link'); }
for (const line of readFileSync(0, 'utf8').trim().split('\\n')) { console.log(JSON.stringify(engine.answer(JSON.parse(line)))); }
"""
# A chapter: two figures far apart.
CHAPTER = """<!doctype html><title>Chapter</title><script type="module" src="/npm/figure.mjs"></script>
<p>Text.<ringside-figure id="first" view="pipelines" scenario="llama-70b-128" controls="parallel.pipeline,training.micro_batch,training.recompute"
 question="problem-4-link" seed="3" origins="ORIGIN"><b>before</b></ringside-figure>
<div style="height: 6000px"></div><ringside-figure id="last" view="memory" scenario='{"model": "llama-3.1-8b"}'></ringside-figure>
<script>window.told = [];
for (const name of ['change', 'answered']) { document.addEventListener(name, ({ target, detail }) => told.push([target.id, name, detail])); }</script>"""
# Under a policy as docs/embed.md has it, by path; the second allows no worker.
POLICIES = {"/policy.html": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'",
            "/alone.html": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'; style-src 'self' 'unsafe-inline'"}
GUARDED = """<!doctype html><title>Guarded</title><script type="module" src="/npm/figure.mjs"></script>
<ringside-figure id="first" view="memory" controls="training.micro_batch"><b>before</b></ringside-figure>"""
COURSE = """<!doctype html><title>Course</title><iframe id="chapter" src="CHAPTER" width="900" height="700"></iframe>
<script>window.heard = []; addEventListener('message', ({ data, origin }) => heard.push([origin, data]));</script>"""


def in_node(requests, drawing=False):
    lines = "\n".join(json.dumps(request) for request in requests)
    done = subprocess.run(["node", "--input-type=module", "-e", RUN, "drawing" if drawing else "engine"], input=lines, capture_output=True, text=True, cwd=PACKAGE, timeout=900)
    assert done.returncode == 0, done.stderr
    return [document(line) for line in done.stdout.splitlines()]


def document(text):
    """All numbers are of one kind in JavaScript."""
    return json.loads(text, parse_int=float)


def script(text):
    done = subprocess.run(["node", "--input-type=module", "-e", text], capture_output=True, text=True, cwd=PACKAGE, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Node(unittest.TestCase):
    def compare(self, requests, drawing):
        with Server(PROGRAM, "serve", "--stdio") as server:
            for request, answer in zip(requests, in_node(requests, drawing)):
                server.send(json.dumps(request))
                self.assertEqual(answer, document(server.line()), request)

    def test_a_thousand_drawn_calls_are_answered_as_the_program_does(self):
        random_ = random.Random(5)
        calls = [call for call in drawn_calls(2400, seed=5) if call[0][0] in ALONE][:960]
        for _ in range(20):
            calls.append((["search", "--top", "2", "-"], {"model": "llama-3.1-8b", "cluster": {"gpus": random_.choice([8, 16, 32])}, "training": {"global_batch": 64}}))
            calls.append((["link", "--view", random_.choice(["memory", "pipelines", "optimizer/rate", "memori"]), "-"], drawn_scenario(random_)))
        self.assertEqual(len(calls), 1000)
        self.compare([{"id": i, "command": words, "stdin": stdin} for i, (words, stdin) in enumerate(calls)], False)

    def test_the_module_that_draws_answers_the_same(self):
        calls = [call for call in drawn_calls(120, seed=6) if call[0][0] != "scaling"]
        self.compare([{"id": i, "command": words, "stdin": stdin} for i, (words, stdin) in enumerate(calls)] + [{"command": ["picture", "--list", "--json"]}], True)

    def test_calls_read_as_they_are_documented(self):
        text = (ROOT / "docs/npm.md").read_text(encoding="utf-8")
        first, second = (code.replace("'ringside-engine'", "'./index.mjs'") for code in re.findall(r"```js\n(.*?)```", text, re.S))
        found = script(first + second + """
            const more = { svg: drawing.picture('pipelines', scenario), fits: ringside.evaluate(scenario).metrics['memory.fits'], link: ringside.link(scenario, { view: 'memory' }) };
            try { ringside.evaluate({ parallel: { tensr: 8 } }); } catch (fault) { more.faults = fault.faults; more.status = fault.status; }
            console.log(JSON.stringify(more));""")
        self.assertTrue(found["svg"].startswith("<svg") and "Pipeline schedules" in found["svg"])
        self.assertIs(found["fits"], True)
        self.assertTrue(found["link"].startswith("ringside:#v=memory&s="), found["link"])
        self.assertEqual((found["faults"], found["status"]), (['-: parallel.tensr: unknown field (did you mean "tensor"?)'], 2))

    def test_what_it_loads_is_small(self):
        sizes = {name: len(gzip.compress((PACKAGE / name).read_bytes())) for name in ("engine.wasm", "engine.mjs", "presets.json", "drawing.wasm", "drawing.mjs", "drawing.json")}
        print(sizes)
        self.assertLess(sum(sizes[name] for name in ("engine.wasm", "engine.mjs", "presets.json")), MOST_ENGINE)
        self.assertLess(sum(sizes[name] for name in ("drawing.wasm", "drawing.mjs", "drawing.json", "presets.json")), MOST_DRAWING)
        about = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
        self.assertEqual(about["version"], subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout.split()[1])


class Quiet(http.server.SimpleHTTPRequestHandler):
    asked = []

    def log_message(self, *_):
        pass

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")  # what is asked for again is seen
        if self.path in POLICIES:
            self.send_header("Content-Security-Policy", POLICIES[self.path])
        super().end_headers()

    def do_GET(self):
        Quiet.asked.append(self.path)
        super().do_GET()


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        where = pathlib.Path(folder.name)
        (where / "npm").symlink_to(PACKAGE)
        servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder.name)) for _ in range(2)]
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            cls.addClassCleanup(server.server_close)
            cls.addClassCleanup(server.shutdown)
        cls.here, cls.elsewhere = (f"http://127.0.0.1:{server.server_port}" for server in servers)
        (where / "chapter.html").write_text(CHAPTER.replace("ORIGIN", cls.elsewhere))
        for path in POLICIES:
            (where / path.strip("/")).write_text(GUARDED)
        (where / "course.html").write_text(COURSE.replace("CHAPTER", cls.here + "/chapter.html"))
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1000,800"):
            options.add_argument(argument)
        cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        cls.addClassCleanup(cls.browser.quit)

    def until(self, what, *arguments):
        return WebDriverWait(self.browser, 120, poll_frequency=0.2).until(lambda browser: browser.execute_script("return " + what, *arguments))

    def drawn(self, figure):
        return f"document.getElementById('{figure}').shadowRoot.querySelector('svg')"

    def test_figures_draw_in_sight_with_one_engine_and_answer_to_their_controls(self):
        Quiet.asked.clear()
        self.browser.get(self.here + "/chapter.html")
        self.until(self.drawn("first"))
        self.assertFalse(self.browser.execute_script("return Boolean(" + self.drawn("last") + ")"), "not in sight yet")
        labels = self.browser.execute_script("return [...first.shadowRoot.querySelectorAll('#controls label')].map((label) => [label.firstChild.textContent, label.children[0].type])")
        self.assertEqual([kind for _, kind in labels], ["range", "range", "select-one"], labels)
        before = self.browser.execute_script("return [first.report.metrics['memory.activations_bytes'], first.scenario.training.micro_batch]")
        self.browser.execute_script("const slider = first.shadowRoot.querySelectorAll('input[type=range]')[1]; slider.value = Number(slider.value) + 1; slider.dispatchEvent(new Event('input'))")
        self.until("first.scenario.training.micro_batch > arguments[0]", before[1])
        after = self.browser.execute_script("return told.at(-1)")
        self.assertEqual(after[:2], ["first", "change"])
        self.assertGreater(after[2]["metrics"]["memory.activations_bytes"], before[0])
        self.browser.execute_script("first.on('change', (detail) => { window.mine = detail; }); first.scenario = {model: 'llama-3.1-8b', parallel: {pipeline: 2}}")
        self.assertEqual(self.until("window.mine && mine.scenario.parallel.pipeline === 2 && mine.metrics")["model.parameters"], 8030261248)
        self.browser.execute_script("document.getElementById('last').scrollIntoView()")
        self.until(self.drawn("last"))
        self.assertEqual(sum(path.endswith("drawing.wasm") for path in Quiet.asked), 1, "one engine for all")
        self.browser.execute_script("document.getElementById('last').scenario = {modle: 1}")
        self.assertIn("did you mean", self.until("document.getElementById('last').shadowRoot.getElementById('fault').textContent"))
        self.assertTrue(self.browser.execute_script("return Boolean(" + self.drawn("last") + ")"), "the picture stays")

    def test_a_policy_may_keep_figures_from_workers(self):
        for path in POLICIES:
            self.browser.get(self.here + path)
            self.assertEqual(self.browser.execute_script("return first.innerText"), "before", "what is shown until then")
            self.until(self.drawn("first"))

    def test_a_question_is_asked_and_its_verdict_told(self):
        self.browser.get(self.here + "/chapter.html")
        stem = self.until("first.shadowRoot.getElementById('stem').textContent")
        rate = float(re.search(r"([\d.]+) (G|T)bit/s", stem).group(1)) * (1000 if "Tbit" in stem else 1)
        for answer, right in (("1 GB/s", False), (f"{rate / 8:g} GB/s", True)):
            self.browser.execute_script("first.shadowRoot.getElementById('answer').value = arguments[0]; first.shadowRoot.querySelector('#question button').click()", answer)
            self.until("told.filter(([, name]) => name === 'answered').length === arguments[0]", 1 + right)
            self.assertIs(self.browser.execute_script("return told.findLast(([, name]) => name === 'answered')[2].correct"), right, stem)

    def test_messages_pass_to_and_from_named_origins_alone(self):
        change = "heard.some(([origin, data]) => data.ringside === 'change' && data.figure === 'first' && origin === arguments[0])"
        ask = "chapter.contentWindow.postMessage({ringside: 'scenario', figure: 'first', scenario: {model: 'llama-3.1-8b'}}, '*')"
        self.browser.get(self.elsewhere + "/course.html")
        self.until(change, self.here)
        self.browser.execute_script(ask)
        self.until("heard.some(([, data]) => data.detail?.metrics?.['model.parameters'] === 8030261248)")
        self.browser.get(self.here + "/course.html")  # an origin that the figure does not name
        frame = self.browser.find_element("id", "chapter")
        self.browser.switch_to.frame(frame)
        self.until(self.drawn("first"))
        self.browser.switch_to.default_content()
        self.browser.execute_script(ask)
        self.browser.switch_to.frame(frame)
        self.browser.execute_async_script("const done = arguments[0]; setTimeout(done, 1500)")
        self.assertNotEqual(self.browser.execute_script("return first.scenario.model.preset ?? first.scenario.model"), "llama-3.1-8b")
        self.browser.switch_to.default_content()
        self.assertEqual(self.browser.execute_script("return heard"), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
