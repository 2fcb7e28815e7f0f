#!/usr/bin/env python3
"""The kernels of WebGPU in headless Chromium on its software adapter, beside the CPU's. usage: webgpu_test.py webgpu_streams

What is asked and what is expected is written by webgpu_streams; the page's own player plays it.
"""
import pathlib
import subprocess
import sys
import unittest

from gpu_page import GpuPage

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


class WebGpuTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = GpuPage()
        cls.names = subprocess.run([PROGRAM, cls.page.folder], capture_output=True, text=True, check=True).stdout.split()
        cls.page.open()

    @classmethod
    def tearDownClass(cls):
        cls.page.close()

    def play(self, name, runs=1):
        told = self.page.run(PLAY, name, runs)
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
