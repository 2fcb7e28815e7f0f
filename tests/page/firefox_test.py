#!/usr/bin/env python3
"""The page in headless Firefox, over WebDriver BiDi, as Debian has no geckodriver. usage: firefox_test.py build/web

It starts, draws, answers a question by keyboard, and says so to a screen reader.
"""
import functools
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import trio
from trio_websocket import open_websocket_url

PAGE = pathlib.Path(sys.argv[1]).resolve()
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
KEYS = {"Enter": "\ue007", "Escape": "\ue00c"}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Tab:
    """One tab of a Firefox that listens on a web socket."""

    def __init__(self, socket):
        self.socket = socket
        self.count = 0

    async def ask(self, method, **params):
        self.count += 1
        await self.socket.send_message(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            answer = json.loads(await self.socket.get_message())
            if answer.get("id") == self.count:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]

    async def begin(self):
        await self.ask("session.new", capabilities={})
        self.context = (await self.ask("browsingContext.getTree"))["contexts"][0]["context"]

    async def open(self, address):
        await self.ask("browsingContext.navigate", context=self.context, url=address, wait="complete")

    async def evaluate(self, script):
        result = await self.ask("script.evaluate", expression=f"JSON.stringify({script})", target={"context": self.context}, awaitPromise=True)
        return json.loads(result["result"].get("value", "null")) if result["type"] == "success" else None

    async def wait(self, script, seconds=60):
        end = time.time() + seconds
        while not await self.evaluate(script):
            if time.time() > end:
                raise TimeoutError(f"{script}: {await self.evaluate('document.body.innerText')}")
            await trio.sleep(0.1)

    async def press(self, *keys):
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        await self.ask("input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": actions}])


class FirefoxTest(unittest.TestCase):
    def setUp(self):
        if FIREFOX is None:
            self.skipTest("Firefox is not installed")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=PAGE))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.shutdown)
        profile = tempfile.TemporaryDirectory()
        self.addCleanup(profile.cleanup)
        (pathlib.Path(profile.name) / "user.js").write_text('user_pref("webgl.force-enabled", true);\n'
                                                            'user_pref("app.update.enabled", false);\n')
        self.firefox = subprocess.Popen([FIREFOX, "--headless", "--remote-debugging-port", "0", "--profile", profile.name, "about:blank"],
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(self.end)
        for line in self.firefox.stderr:
            if "WebDriver BiDi listening on " in line:
                self.socket = line.split("listening on ")[1].strip() + "/session"
                break
        threading.Thread(target=self.firefox.stderr.read, daemon=True).start()

    def end(self):
        self.firefox.terminate()
        self.firefox.wait(20)

    def test_it_draws_and_a_question_is_answered(self):
        async def play():
            async with open_websocket_url(self.socket, max_message_size=1 << 26) as socket:
                tab = Tab(socket)
                await tab.begin()
                await tab.open(f"http://127.0.0.1:{self.server.server_port}/#q=model-state/easy")
                await tab.wait("document.body.dataset.ringside")
                self.assertEqual(await tab.evaluate("document.body.dataset.ringside"), "started")
                await tab.wait("document.querySelector('#mirror input[type=text]') !== null")
                colours = await tab.evaluate("""(() => {
                    const copy = document.createElement('canvas').getContext('2d');
                    const canvas = document.getElementById('canvas');
                    Object.assign(copy.canvas, { width: 300, height: 300 });
                    return new Promise((done) => { Module.ccall('ringside_follow_system', null, [], []); requestAnimationFrame(() => {
                        copy.drawImage(canvas, 0, 0, 300, 300);
                        done(new Set(new Uint32Array(copy.getImageData(0, 0, 300, 300).data.buffer)).size);
                    }); });
                })()""".replace("JSON.stringify", ""))
                self.assertGreater(colours or 0, 20)
                await tab.press("1", "Enter")
                await tab.wait("document.getElementById('said').textContent.includes('Not yet')")
        trio.run(play)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
