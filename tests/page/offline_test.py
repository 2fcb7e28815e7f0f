#!/usr/bin/env python3
"""The page's worker in headless Chromium, with a small site in place of the program: builds are kept whole, swapped
whole, and nothing else of the origin is touched. Needs no emscripten. usage: offline_test.py
"""
import functools
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ("ringside.js", "ringside.wasm", "train.js")
# In place of the program: says which build each of its parts is of.
PROGRAM = """
Module.ccall = () => 0;
Promise.all(['ringside.wasm', 'train.js'].map((file) => fetch(file).then((answer) => answer.text()))).then((parts) => {
    document.body.dataset.parts = ['NUMBER', ...parts].join(' ');
    document.body.dataset.ringside = 'started';
    tellWhole();
});
"""


class Site(http.server.SimpleHTTPRequestHandler):
    down = False  # the server drops every connection
    missing = None  # a file that is not handed out
    asked = []

    def log_message(self, *_):
        pass

    def end_headers(self):
        self.send_header("Vary", "*")
        super().end_headers()

    def do_GET(self):
        Site.asked.append(self.path)
        if Site.down or self.path.strip("/") == Site.missing:
            self.close_connection = True
            self.connection.close()
            return
        if self.path == "/events":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"data: first\n\n")
            self.wfile.flush()
            time.sleep(30)
            return
        if self.path == "/private":
            self.send_response(200)
            self.send_header("Cache-Control", "private, no-store")
            self.end_headers()
            self.wfile.write(b"secret")
            return
        if self.headers.get("Range") == "bytes=2-4":
            self.send_response(206)
            self.send_header("Content-Range", "bytes 2-4/10")
            self.end_headers()
            self.wfile.write(b"234")
            return
        super().do_GET()


def page_of(host):
    class Page(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.folder = tempfile.TemporaryDirectory()
            cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, directory=cls.folder.name))
            cls.server.daemon_threads = True
            cls.origin = f"http://{host}:{cls.server.server_port}"
            threading.Thread(target=cls.server.serve_forever, daemon=True).start()
            options = webdriver.ChromeOptions()
            options.binary_location = "/usr/bin/chromium"
            for argument in ("--headless=new", "--no-sandbox", "--host-resolver-rules=MAP page.test 127.0.0.1",
                             f"--unsafely-treat-insecure-origin-as-secure={cls.origin}"):
                options.add_argument(argument)
            cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
            cls.browser.set_script_timeout(20)

        @classmethod
        def tearDownClass(cls):
            cls.browser.quit()
            cls.server.shutdown()
            cls.folder.cleanup()

        def setUp(self):
            Site.down, Site.missing = False, None
            self.build(1)
            self.browser.get(f"{self.origin}/none")
            self.run_script("""for (const r of await navigator.serviceWorker.getRegistrations()) { await r.unregister(); }
                               for (const name of await caches.keys()) { await caches.delete(name); } return true;""")

        def build(self, number):
            folder = pathlib.Path(self.folder.name)
            for name in FILES:
                (folder / name).write_text(f"{number}")
            (folder / "ringside.js").write_text(PROGRAM.replace("NUMBER", str(number)))
            (folder / "file").write_text("0123456789")
            subprocess.run([sys.executable, ROOT / "cmake/name_build.py", ROOT / "app/page", folder, *FILES], check=True)

        def run_script(self, script):
            return self.browser.execute_async_script(f"const done = arguments[0]; (async () => {{ {script} }})().then(done, (fault) => done(String(fault)));")

        def wait(self, script, seconds=20):
            WebDriverWait(self.browser, seconds).until(lambda b: b.execute_script(script))

        def open(self, query=""):
            self.browser.get("about:blank")
            self.browser.get(f"{self.origin}/{query}")
            self.wait("return document.body && document.body.dataset.parts")
            return self.browser.execute_script("return document.body.dataset.parts")

        def kept(self):
            return self.run_script("return (await caches.keys()).length")

    return Page


class OfflineTest(page_of("page.test")):
    def installed(self):
        self.run_script("await navigator.serviceWorker.ready; return true;")
        self.wait("return navigator.serviceWorker.controller !== null")

    def come(self):
        """The newer build is whole and waits."""
        self.run_script("const r = await navigator.serviceWorker.getRegistration(); await r.update(); return true;")
        for _ in range(100):
            if self.run_script("const r = await navigator.serviceWorker.getRegistration(); return r.waiting !== null;"):
                return
            time.sleep(0.1)
        self.fail("no newer build came")

    def test_opened_once_it_opens_without_a_server(self):
        self.open()
        self.installed()
        Site.down = True
        self.assertEqual(self.open(), "1 1 1")
        self.assertEqual(self.open("?from=mail"), "1 1 1")
        self.assertEqual(self.open("index.html"), "1 1 1")

    def test_a_newer_build_is_swapped_whole(self):
        self.open()
        self.installed()
        self.build(2)
        self.assertEqual(self.open(), "1 1 1")
        self.come()
        self.assertEqual(self.open(), "2 2 2")
        self.assertEqual(self.kept(), 1)

    def test_of_a_build_that_comes_in_half_nothing_is_used(self):
        self.open()
        self.installed()
        self.build(2)
        Site.missing = "train.js"
        self.open()
        time.sleep(2)
        self.assertEqual(self.open(), "1 1 1")
        Site.down = True
        self.assertEqual(self.open(), "1 1 1")

    def test_another_tab_keeps_its_build_until_it_closes(self):
        self.open()
        self.installed()
        first = self.browser.current_window_handle
        self.build(2)
        self.come()
        self.browser.switch_to.new_window("tab")
        self.assertEqual(self.open(), "1 1 1")
        self.browser.close()
        self.browser.switch_to.window(first)
        self.assertEqual(self.open(), "2 2 2")

    def test_what_is_not_of_the_page_passes_by(self):
        self.open()
        self.installed()
        self.assertEqual(self.run_script("return (await fetch('file', { headers: { Range: 'bytes=2-4' } })).status"), 206)
        self.assertEqual(self.run_script("return (await fetch('file')).status"), 200)  # with Vary: *
        self.assertEqual(self.run_script("return await new Promise((done) => { new EventSource('events').onmessage = ({ data }) => done(data); })"), "first")
        self.run_script("await fetch('private'); return true")
        self.assertFalse(self.run_script("return Boolean(await caches.match('private') || await caches.match('file'))"))


class LoopbackTest(page_of("127.0.0.1")):
    def test_on_loopback_no_worker_stays_behind_for_the_next_program(self):
        self.open()
        self.run_script("await navigator.serviceWorker.register('offline.js'); await navigator.serviceWorker.ready; await caches.open('ringside'); return true")
        self.open()
        self.assertEqual(self.run_script("return (await navigator.serviceWorker.getRegistrations()).length"), 0)
        self.assertEqual(self.kept(), 0)

    def test_the_policy_lets_the_page_start_and_nothing_else_in(self):
        self.open()
        refused = """const told = new Promise((done) => addEventListener('securitypolicyviolation', ({ effectiveDirective }) => done(effectiveDirective)));
                     DO; return await Promise.race([told, new Promise((done) => setTimeout(done, 3000, 'nothing was refused'))]);"""
        other = self.origin.replace("127.0.0.1", "localhost")
        self.assertEqual(self.run_script(refused.replace("DO", f"fetch('{other}/file').catch(() => {{}})")), "connect-src")
        self.assertEqual(self.run_script(refused.replace("DO", f"const s = document.createElement('script'); s.src = '{other}/train.js'; document.body.append(s)")), "script-src-elem")
        self.wait("return document.querySelector('link[rel=icon]').href.endsWith('/icon.svg')")


class ServeTest(unittest.TestCase):
    def served(self):
        server = subprocess.Popen([sys.executable, ROOT / "cmake/serve.py", ROOT / "docs", "--until-input-ends"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.stdin.close)
        return re.search(r"http://127\.0\.0\.1:(\d+)/", server.stdout.readline()).group(1)

    def test_serves_at_ports_of_its_own_in_one_order_and_without_a_cache(self):
        ports = [self.served(), self.served()]
        self.assertTrue(all(8471 <= int(port) < 8479 for port in ports), ports)
        self.assertNotEqual(ports[0], ports[1])
        with urllib.request.urlopen(f"http://127.0.0.1:{ports[0]}/") as answer:
            self.assertEqual(answer.headers["Cache-Control"], "no-cache")
            self.assertTrue(answer.headers["Content-Security-Policy"].startswith("frame-ancestors 'self' "))


class NameTest(unittest.TestCase):
    def test_a_chat_finds_the_picture_of_a_page_whose_address_is_given(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder)
            (page / "train.js").write_text("1")
            for address, picture in ((None, "preview.png"), ("https://host/course/", "https://host/course/preview.png")):
                environment = {**os.environ, **({"RINGSIDE_PAGE_ADDRESS": address} if address else {})}
                subprocess.run([sys.executable, ROOT / "cmake/name_build.py", ROOT / "app/page", page, "train.js"], check=True, env=environment)
                self.assertIn(f'<meta property="og:image" content="{picture}">', (page / "index.html").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
