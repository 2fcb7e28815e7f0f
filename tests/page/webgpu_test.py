#!/usr/bin/env python3
"""The kernels of WebGPU in headless Chromium on its software adapter, beside the CPU's. usage: webgpu_test.py webgpu_streams

What is asked and what is expected is written by webgpu_streams; the page's own player plays it.
"""
import functools
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
MOST_OFF = 1e-4  # of the largest number beside it
MOST_LOSS_OFF = 1e-3

# Plays a case; what comes back is how far off each expectation is, in parts of its largest number.
PLAY = """
const [name, runs, done] = [arguments[0], arguments[1], arguments[arguments.length - 1]];
(async () => {
    const words = async (file) => new Uint32Array(await (await fetch(file)).arrayBuffer());
    const stream = await words(`${name}.stream`);
    const expected = await words(`${name}.expected`);
    const sources = await (await fetch('kernels.json')).json();
    const tell = { off: {}, bytes: [], host: [] };
    for (let run = 0; run < runs; ++run) {
        const gpu = await openGpu('high-performance');
        [tell.adapter, tell.software] = [gpu.name, gpu.software];
        const player = new GpuPlayer(await gpu.device(), sources);
        const carryOut = player.carryOut.bind(player);
        player.carryOut = (list) => {
            const start = performance.now();
            carryOut(list);
            tell.host.push(performance.now() - start);
        };
        const answers = new Map();
        player.answered = (ticket, bytes) => answers.set(ticket, new Float32Array(bytes.buffer));
        player.failed = (why) => { tell.failed = why; };
        let asked = 0, created = 0;
        for (let at = 0; at < stream.length; at += 1 + stream[at]) {
            const list = stream.subarray(at + 1, at + 1 + stream[at]);
            for (const { command, at: place } of GpuPlayer.commands(list)) {
                asked += command === 'read';
                created += command === 'create' ? list[place + 1] : 0;
            }
            player.play(list);
            while (!tell.failed && answers.size < asked) { await new Promise((next) => setTimeout(next, 1)); }
        }
        while (!tell.failed && player.waiting.length) { await new Promise((next) => setTimeout(next, 1)); }
        tell.bytes.push([player.bytes(), created]);
        for (let at = 0; at < expected.length && !tell.failed; at += 3 + expected[at + 2]) {
            const [ticket, kind, count] = expected.subarray(at, at + 3);
            const wanted = new Float32Array(expected.buffer, 4 * (at + 3), count);
            let got = answers.get(ticket);
            if (kind === 1) { got = [got.reduce((sum, x) => sum + x, 0) / got.length]; }
            let most = 1e-30, off = got.length === count ? 0 : Infinity;
            for (let i = 0; i < count; ++i) {
                most = Math.max(most, Math.abs(wanted[i]));
                off = Math.max(off, Number.isFinite(got[i]) ? Math.abs(got[i] - wanted[i]) : Infinity);
            }
            tell.off[kind] = Math.max(tell.off[kind] || 0, off / most);
            if (off / most > 1e-4 && !tell.first) { tell.first = { ticket, kind, off: off / most, got: [...got.slice(0, 8)], wanted: [...wanted.slice(0, 8)] }; }
        }
        player.dead = true;
        player.device.destroy();
    }
    done(tell);
})().catch((fault) => done({ failed: fault.stack }));
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class WebGpuTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        place = pathlib.Path(cls.folder.name)
        cls.names = subprocess.run([PROGRAM, place], capture_output=True, text=True, check=True).stdout.split()
        kernels = {file.stem: file.read_text() for file in (ROOT / "core/lab/trainer/webgpu").glob("*.wgsl")}
        (place / "kernels.json").write_text(json.dumps(kernels))
        player = (ROOT / "app/page/webgpu.js").read_text()
        (place / "index.html").write_text(f"<!doctype html><script>{player}; window.GpuPlayer = GpuPlayer; window.openGpu = openGpu;</script>")
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=place))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader",
                         "--enable-unsafe-swiftshader"):
            options.add_argument(argument)
        cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        cls.browser.set_script_timeout(300)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.server.shutdown()
        cls.folder.cleanup()

    def play(self, name, runs=1):
        self.browser.get(f"http://127.0.0.1:{self.server.server_port}/")
        told = self.browser.execute_async_script(PLAY, name, runs)
        self.assertNotIn("failed", told, told.get("failed"))
        return told

    def test_every_kernel_computes_what_the_cpu_computes(self):
        for name in [n for n in self.names if not n.startswith("steps")]:
            with self.subTest(name):
                told = self.play(name)
                print(f"{name}: {told['off']['0']:.1e} off")
                self.assertLess(told["off"]["0"], MOST_OFF, told.get("first"))

    def test_steps_have_the_losses_and_gradients_of_the_cpu(self):
        for name in [n for n in self.names if n.startswith("steps")]:
            with self.subTest(name):
                told = self.play(name)
                host = sorted(told["host"])
                print(f"{name}: {told['off']}, host {host[len(host) // 2]:.2f} ms a list, on {told['adapter']}")
                self.assertLess(told["off"]["0"], MOST_OFF, told.get("first"))
                self.assertLess(told["off"].get("1", 0), MOST_LOSS_OFF)

    def test_the_adapter_is_called_software(self):
        self.assertTrue(self.play("elements")["software"])

    def test_buffers_are_those_that_were_asked_for_and_do_not_grow(self):
        told = self.play("elements", 20)
        self.assertEqual(len({tuple(each) for each in told["bytes"]}), 1)
        self.assertEqual(*told["bytes"][0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
