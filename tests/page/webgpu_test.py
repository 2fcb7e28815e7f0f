#!/usr/bin/env python3
"""The kernels of WebGPU in headless Chromium on its software adapter, beside the CPU's. usage: webgpu_test.py webgpu_streams webgpu_live

What is asked and what is expected is written by webgpu_streams; webgpu_live asks and is answered while it runs. The
page's own player plays both.
"""
import json
import math
import pathlib
import queue
import struct
import subprocess
import sys
import threading
import unittest

from gpu_page import GpuPage, Quiet
from share import share_of

PROGRAM, LIVE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
MOST_OFF_PREDICTION = 10  # times, on a machine that does other things too
NEW_DEVICE = 0xFFFFFFFF
# Of the largest number beside it; in 16 bits one step of that, since a sum may fall on either side of a rounding.
MOST_OFF = {"f32": 1e-4, "f16": 2**-10, "bf16": 2**-7}
MOST_LOSS_OFF = 1e-3
MOST_SLOPE_OFF = 1e-2  # of differences of f32 losses

# Plays a case; what comes back is how far off each expectation is, in parts of its largest number.
PLAY = """
const [name, runs, done] = [arguments[0], arguments[1], arguments[arguments.length - 1]];
const kinds = ['f32', 'mean', 'f16', 'bf16', 'slope'];
const float = new DataView(new ArrayBuffer(4));
const decodes = {
    f16: (code) => (code & 0x8000 ? -1 : 1) * ((code & 0x7C00) === 0x7C00 ? (code & 0x3FF ? NaN : Infinity)
        : (code & 0x7C00 ? 1 + (code & 0x3FF) / 1024 : (code & 0x3FF) / 512) * 2 ** (((code & 0x7C00) >> 10) - 15)),
    bf16: (code) => { float.setUint16(0, code); return float.getFloat32(0); },
};
const decoded = (buffer, kind) => (decodes[kind] ? Float32Array.from(new Uint16Array(buffer), decodes[kind]) : new Float32Array(buffer));
const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;
(async () => {
    const words = async (file) => new Uint32Array(await (await fetch(file)).arrayBuffer());
    const stream = await words(`${name}.stream`);
    const expected = await words(`${name}.expected`);
    const sources = await (await fetch('kernels.json')).json();
    const tell = { off: {}, compared: 0, bytes: [], host: [] };
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
        player.answered = (ticket, bytes) => answers.set(ticket, bytes.buffer);
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
            const [ticket, which, count] = expected.subarray(at, at + 3);
            const kind = kinds[which];
            let wanted = new Float32Array(expected.buffer, 4 * (at + 3), count);
            let got = decoded(answers.get(ticket), kind);
            if (kind === 'mean') { got = [mean(got)]; }
            if (kind === 'slope') {
                const [above, below, away] = wanted.slice(-3);
                const direction = wanted.subarray(0, count - 3);
                got = [direction.reduce((sum, d, i) => sum + d * got[i], 0)];
                wanted = [(mean(decoded(answers.get(above))) - mean(decoded(answers.get(below)))) / (2 * away)];
            }
            let most = 1e-30, off = got.length - wanted.length < (/f16/.test(kind) ? 2 : 1) ? 0 : Infinity;
            for (let i = 0; i < wanted.length; ++i) {
                most = Math.max(most, Number.isFinite(wanted[i]) ? Math.abs(wanted[i]) : 0);
                off = Math.max(off, got[i] === wanted[i] ? 0 : Number.isFinite(got[i]) ? Math.abs(got[i] - wanted[i]) : Infinity);
            }
            ++tell.compared;
            if (off / most > (tell.off[kind] || -1)) {
                tell.off[kind] = off / most;
                const worst = [...wanted].findIndex((x, i) => off === Math.abs(got[i] - x) || (off === Infinity && !Number.isFinite(got[i])));
                tell.worst = { ticket, kind, off: off / most, worst, got: [...got.slice(Math.max(worst, 0), worst + 8)], wanted: [...wanted.slice(Math.max(worst, 0), worst + 8)] };
            }
        }
        player.dead = true;
        player.device.destroy();
    }
    done(tell);
})().catch((fault) => done({ failed: fault.stack }));
"""


# The text of a kernel for a card with and without f16.
VARIANTS = """
const [name, done] = arguments;
fetch('kernels.json').then((answer) => answer.json()).then((sources) => done([[], ['shader-f16']].map((features) =>
    GpuPlayer.prototype.code.call({ device: { features: new Set(features) }, sources }, name))));
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

    def check(self, name):
        told = self.play(name)
        self.assertGreater(told["compared"], 0)
        for kind, off in told["off"].items():
            most = MOST_LOSS_OFF if kind == "mean" else MOST_SLOPE_OFF if kind == "slope" else MOST_OFF[kind]
            self.assertLess(off, most, told["worst"])
        print(f"{name}: {told['compared']} results, off by {', '.join(f'{kind} {off:.1e}' for kind, off in told['off'].items())}")
        return told

    def test_every_kernel_computes_what_plain_loops_in_double_precision_compute(self):
        for name in share_of([n for n in self.names if not n.startswith(("steps", "slopes"))]):
            with self.subTest(name):
                self.check(name)

    def test_steps_have_the_losses_and_gradients_of_the_cpu(self):
        for name in share_of([n for n in self.names if n.startswith("steps")]):
            with self.subTest(name):
                told = self.check(name)
                host = sorted(told["host"])
                print(f"{name}: host {host[len(host) // 2]:.2f} ms a list, on {told['adapter']}")

    def test_gradients_are_the_slopes_of_the_losses(self):
        for name in share_of([n for n in self.names if n.startswith("slopes")]):
            with self.subTest(name):
                self.check(name)

    def test_a_kernel_has_f16_where_something_is_stored_so_and_the_card_has_it(self):
        for name in ("product side=16 subgroups=1 a=f16 b=bf16", "attention chunks=4 tile=8 subgroups=0 qkv=f16"):
            plain, halves = self.page.run(VARIANTS, name)
            self.assertNotIn("f16;", plain.replace("to_f16", ""))
            self.assertNotIn("<f16>", plain)
            self.assertIn("enable f16;", halves)
            self.assertIn("array<f16>", halves)
            self.assertIn("vec4<f16>;", halves)
            self.assertEqual("enable subgroups;" in halves, "subgroups=1" in name)
            self.assertEqual("from_bf16((b[" in halves, "b=bf16" in name)  # which no card has
        self.assertEqual(*self.page.run(VARIANTS, "norm layernorm=1 subgroups=0 x=bf16 out=bf16"))

    def test_the_adapter_is_called_software(self):
        self.assertTrue(self.play("elements")["software"])

    def test_buffers_are_those_that_were_asked_for_and_do_not_grow(self):
        told = self.play("elements", 20)
        self.assertEqual(len({tuple(each) for each in told["bytes"]}), 1)
        self.assertEqual(*told["bytes"][0])


# Plays what the program asks and hands it the answers, until there is no more.
RELAY = """
const done = arguments[arguments.length - 1];
(async () => {
    const sources = await (await fetch('kernels.json')).json();
    let player = null;
    for (;;) {
        const words = new Uint32Array(await (await fetch('asked')).arrayBuffer());
        if (!words.length) { return done({}); }
        if (words.length > 1) { player.play(words); continue; }
        if (player) { player.dead = true; player.device.destroy(); }
        player = new GpuPlayer(await (await openGpu('high-performance')).device(), sources);
        player.failed = (why) => done({ failed: why });
        player.answered = (ticket, bytes) => {
            const all = new Uint8Array(8 + bytes.length);
            new Uint32Array(all.buffer, 0, 2).set([ticket, bytes.length]);
            all.set(bytes, 8);
            fetch('answered', { method: 'POST', body: all });
        };
    }
})().catch((fault) => done({ failed: fault.stack }));
"""


class LiveTest(unittest.TestCase):
    def setUp(self):
        self.program = subprocess.Popen([LIVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.asked = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        test = self

        class Relay(Quiet):
            def do_GET(self):
                return self.reply(test.asked.get()) if self.path == "/asked" else super().do_GET()

            def do_POST(self):
                test.program.stdin.write(self.rfile.read(int(self.headers["Content-Length"])))
                test.program.stdin.flush()
                self.reply(b"")

            def reply(self, body):
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.page = GpuPage(handler=Relay)
        self.page.open()

    def tearDown(self):
        self.page.close()
        self.program.kill()
        self.program.communicate()

    def read(self):
        while head := self.program.stdout.read(4):
            count, = struct.unpack("<I", head)
            self.asked.put(head if count == NEW_DEVICE else self.program.stdout.read(4 * count))
        self.asked.put(b"")

    def test_a_step_takes_about_what_was_predicted_and_its_kernels_most_of_it(self):
        told = self.page.run(RELAY)
        self.assertNotIn("failed", told, told.get("failed"))
        runs = [json.loads(line) for line in self.program.stderr.read().splitlines()]
        self.assertEqual(len(runs), 2)
        for run in runs:
            print(f"compiled in {run['compiled_s']:.2g} s and measured in {run['probe_s']:.2g} s, a launch as {run['launch_s'] * 1e6:.0f} us, "
                  f"{run['in_step']:.2g} times the kernels that were measured, subgroups {'faster' if run['subgroups'] else 'slower'}; a step predicted as {run['predicted_s']:.2g} s, took {run['step_s']:.2g} s, "
                  f"{run['kernels_s']:.2g} s in {run['launches']} launches, most in {run['most']}")
            self.assertLess(abs(math.log(run["predicted_s"] / run["step_s"])), math.log(MOST_OFF_PREDICTION))
            self.assertLess(run["kernels_s"], 3 * run["step_s"])
            self.assertGreater(run["kernels_s"], run["step_s"] / 20)
            self.assertGreater(run["launches"], 60)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
