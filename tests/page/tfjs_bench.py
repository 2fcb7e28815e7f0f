#!/usr/bin/env python3
"""Our product beside that of TensorFlow.js on one adapter. usage: tfjs_bench.py FOLDER

FOLDER has what `npm pack @tensorflow/tfjs-core @tensorflow/tfjs-backend-cpu @tensorflow/tfjs-backend-webgpu` fetches.
"""
import pathlib
import sys
import tarfile

from gpu_page import GpuPage

SHAPES = [(512, 192, 64, 0, 0), (512, 64, 256, 0, 0), (64, 256, 512, 1, 0), (512, 256, 64, 0, 1), (256, 256, 256, 0, 0),
          (512, 512, 512, 0, 0), (1024, 1024, 256, 0, 0)]  # m, n, k, a and b transposed
BENCH = """
const [shapes, done] = [arguments[0], arguments[arguments.length - 1]];
(async () => {
    await tf.setBackend('webgpu');
    await tf.ready();
    const player = new GpuPlayer(await (await openGpu('high-performance')).device(), await (await fetch('kernels.json')).json());
    const say = (command, ...words) => [gpuCommands.indexOf(command), 2 + words.length, ...words];
    const play = (...commands) => player.play(new Uint32Array(commands.flat()));
    const packed = (name) => {
        const bytes = new Uint8Array((name.length + 3) & ~3);
        new TextEncoder().encodeInto(name, bytes);
        return [name.length, ...new Uint32Array(bytes.buffer)];
    };
    let ticket = 0, buffer = 1;
    const waiting = new Map();
    player.answered = (which, bytes) => waiting.get(which)(new Float32Array(bytes.buffer));
    play(say('create', 1, 1 << 18, 1));
    const rows = [];
    for (const [m, n, k, at, bt] of shapes) {
        const a = tf.randomNormal(at ? [k, m] : [m, k]), b = tf.randomNormal(bt ? [n, k] : [k, n]);
        const kernel = rows.length, side = Math.ceil(m / 64) * Math.ceil(n / 64) >= 64 ? 16 : 8;
        const sizes = [m * k * 4, k * n * 4, m * n * 4, m * n * 4], [A, B, C, READ] = sizes.map(() => ++buffer);
        play(sizes.map((size, i) => say('create', A + i, size, i === 3 ? 2 : 0)).flat(),
             say('kernel', kernel, ...packed(`product side=${side} a_transposed=${at} b_transposed=${bt}`)));
        for (const [id, tensor] of [[A, a], [B, b]]) {
            const words = new Uint32Array((await tensor.data()).buffer);
            play([gpuCommands.indexOf('upload'), 5 + words.length, id, 0, words.length * 4, ...words]);
        }
        const run = say('run', kernel, Math.ceil(n / (4 * side)), Math.ceil(m / (4 * side)), 1, 5, A, B, A, A, C,
            m, n, k, 0, at ? m : k, 0, bt ? k : n, 0, 0, 0, 0, 0, 0, n, 0);
        const repeats = Math.max(1, Math.round(3e7 / (m * n * k)));
        const ours = () => new Promise((take) => {
            waiting.set(++ticket, take);
            play(Array(repeats).fill(run).flat(), say('read', ticket, C, 0, sizes[2], READ));
        });
        const theirs = async () => {
            let c = null;
            for (let i = 0; i < repeats; ++i) { if (c) { c.dispose(); } c = tf.matMul(a, b, Boolean(at), Boolean(bt)); }
            const values = await c.data();
            c.dispose();
            return values;
        };
        const row = { shape: [m, n, k, at, bt], ours: Infinity, theirs: Infinity, off: 0 };
        for (let round = 0; round < 6; ++round) {
            const results = {};
            for (const [name, product] of [['ours', ours], ['theirs', theirs]]) {
                const start = performance.now();
                results[name] = await product();
                row[name] = Math.min(row[name], (performance.now() - start) / repeats);
            }
            row.off = Math.max(row.off, ...results.ours.slice(0, 4096).map((x, i) => Math.abs(x - results.theirs[i])));
        }
        rows.push(row);
    }
    done(rows);
})().catch((fault) => done(String(fault.stack)));
"""


def main():
    page = GpuPage(("core.js", "cpu.js", "webgpu.js"))
    for name, package, file in (("core", "core", "tf-core"), ("cpu", "backend-cpu", "tf-backend-cpu"), ("webgpu", "backend-webgpu", "tf-backend-webgpu")):
        archive = next(pathlib.Path(sys.argv[1]).glob(f"tensorflow-tfjs-{package}-*.tgz"))
        with tarfile.open(archive) as files:
            (page.folder / f"{name}.js").write_bytes(files.extractfile(f"package/dist/{file}.min.js").read())
    page.open()
    rows = page.run(BENCH, SHAPES)
    page.close()
    if isinstance(rows, str):
        sys.exit(rows)
    for row in rows:
        print(f"{row['shape']}: ours {row['ours']:.1f} ms, tfjs {row['theirs']:.1f} ms, {row['theirs'] / row['ours']:.2f} times; off by {row['off']:.1e}")


if __name__ == "__main__":
    main()
