// Carries out on a graphics card what core/lab/trainer/webgpu writes down (commands.h there says how). Lists are carried
// out in their order; one that needs kernels that are not compiled yet waits for them, and so do all after it.
'use strict';
const gpuCommands = ['create', 'destroy', 'kernel', 'run', 'clear', 'copy', 'upload', 'read', 'record', 'replay', 'watch', 'time'];
const sizesPlace = 256; // bytes
const liveSizes = 1; // the buffer for sizes of what is not recorded

// The card behind one of WebGPU's two preferences; throws what to tell the user.
const openGpu = async (preference) => {
    if (!navigator.gpu) { throw new Error('this browser has no WebGPU'); }
    const adapter = await navigator.gpu.requestAdapter({ powerPreference: preference });
    if (!adapter) { throw new Error('the browser offers no graphics card'); }
    const info = adapter.info || {};
    const names = [info.description, [info.vendor, info.architecture].filter(Boolean).join(' ')].filter(Boolean);
    const software = Boolean(info.isFallbackAdapter || adapter.isFallbackAdapter)
        || /swiftshader|llvmpipe|software|basic render/i.test(names.join(' '));
    const { maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupStorageSize } = adapter.limits;
    return {
        adapter, software, name: names[0] || 'graphics card',
        subgroups: !software && adapter.features.has('subgroups'), // a processor has nothing to hand on
        bufferBytes: Math.min(maxBufferSize, maxStorageBufferBindingSize, 0xFFFFFFFC), groupBytes: maxComputeWorkgroupStorageSize,
        device: () => adapter.requestDevice({
            requiredFeatures: ['timestamp-query', 'subgroups', 'shader-f16'].filter((feature) => adapter.features.has(feature)),
            requiredLimits: { maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupStorageSize } }),
    };
};

class GpuPlayer {
    // `sources` has the text of each kernel by the name of its file.
    constructor(device, sources) {
        this.device = device;
        this.sources = sources;
        this.buffers = new Map();
        this.kernels = new Map();
        this.compiling = 0;
        this.waiting = [];
        this.recording = [];
        this.answered = () => {}; // (ticket, bytes)
        this.compiled = () => {}; // (kernels that are compiled, kernels)
        this.failed = () => {}; // (why); the device is of no use any more
        device.lost.then(({ message, reason }) => this.fail(message || reason));
        device.addEventListener('uncapturederror', ({ error }) => {
            const full = typeof GPUOutOfMemoryError === 'function' && error instanceof GPUOutOfMemoryError;
            this.fail(full ? 'its memory is full' : error.message);
        });
    }

    fail(why) {
        if (!this.dead) {
            this.dead = true;
            this.waiting = [];
            this.device.destroy();
            this.failed(why);
        }
    }

    // Bytes of all buffers.
    bytes() {
        return [...this.buffers.values()].reduce((sum, buffer) => sum + buffer.size, 0);
    }

    // A kernel's name is that of its file, then the constants that are filled in and the formats that are not f32:
    // "product side=16 a_transposed=1 subgroups=0 a=f16". What of the card it uses is enabled at its top: subgroups where it
    // is asked for with them, f16 where something is stored so and the card has them.
    code(name) {
        const [file, ...given] = name.split(' ');
        const constants = given.map((constant) => constant.split('='));
        const formats = new Map(constants.filter(([, value]) => /^b?f16$/.test(value)));
        const subgroups = given.includes('subgroups=1');
        const own = new Set(this.device.features.has('shader-f16') ? [...formats.keys()].filter((key) => formats.get(key) === 'f16') : []);
        const text = ['common', subgroups ? 'by_subgroups' : 'by_memory', file].map((part) => this.sources[part]).join('\n');
        const filled = constants.filter(([key]) => !formats.has(key)).reduce((code, [key, value]) =>
            code.replace(new RegExp(`(const ${key} = )(\\w+);`), (_, head, old) =>
                `${head}${/^\d/.test(old) ? `${value}u` : Boolean(Number(value))};`), text);
        const variant = filled.replace(/^.*\/\/ (no )?subgroups$/gm, (line, no) => (subgroups === !no ? line : ''))
            .replace(/<f32>(?=; +\/\/ in the format of (\w+)$)/gm, (old, key) => (own.has(key) ? '<f16>' : old))
            .replace(/var<storage, (\w+)> (\w+): array<f32>;/g, (_, access, key) =>
                formats.has(key) && !own.has(key) ? GpuPlayer.halves(key, access, formats.get(key)) : GpuPlayer.numbers(key, access, own.has(key) ? 'f16' : 'f32'));
        return (subgroups ? 'enable subgroups;\n' : '') + (own.size ? 'enable f16;\n' : '') + variant;
    }

    // A binding, and what reads and writes it; to_f16() rounds as every card does.
    static numbers(key, access, type) {
        const rounded = (value) => (type === 'f16' ? `bitcast<vec2<f16>>(to_f16(${value})).x` : value);
        return `var<storage, ${access}> ${key}: array<${type}>;
fn ${key}_at(i: u32) -> f32 { return f32(${key}[i]); }` + (access === 'read' ? '' : `
fn set_${key}(i: u32, value: f32) { ${key}[i] = ${rounded('value')}; }
fn set_${key}_pair(i: u32, two: vec2<f32>) { ${key}[i] = ${rounded('two.x')}; ${key}[i + 1u] = ${rounded('two.y')}; }`);
    }

    // Accessors of 16-bit numbers, two in a word: exclusive or with what its own half changes leaves the other half to its
    // thread.
    static halves(key, access, format) {
        const word = access === 'read' ? `${key}[i >> 1u]` : `atomicLoad(&${key}[i >> 1u])`;
        return `var<storage, ${access}> ${key}: array<${access === 'read' ? 'u32' : 'atomic<u32>'}>;
fn ${key}_at(i: u32) -> f32 { return from_${format}((${word} >> (16u * (i & 1u))) & 0xFFFFu); }` + (access === 'read' ? '' : `
fn set_${key}(i: u32, value: f32) {
    let place = 16u * (i & 1u);
    atomicXor(&${key}[i >> 1u], (${word} ^ (to_${format}(value) << place)) & (0xFFFFu << place));
}
fn set_${key}_pair(i: u32, two: vec2<f32>) {
    if ((i & 1u) == 0u) {
        atomicStore(&${key}[i >> 1u], to_${format}(two.x) | (to_${format}(two.y) << 16u));
    } else {
        set_${key}(i, two.x);
        set_${key}(i + 1u, two.y);
    }
}`);
    }

    async compile(kernel, name) {
        this.kernels.set(kernel, { name });
        ++this.compiling;
        try {
            const module = this.device.createShaderModule({ code: this.code(name), label: name });
            const pipeline = await this.device.createComputePipelineAsync({ layout: 'auto', compute: { module }, label: name });
            this.kernels.set(kernel, { name, pipeline, layout: pipeline.getBindGroupLayout(0) });
        } catch (fault) {
            this.fail(`${name}: ${fault.message}`);
            return;
        }
        --this.compiling;
        this.compiled(this.kernels.size - this.compiling, this.kernels.size);
        this.goOn();
    }

    goOn() {
        while (!this.compiling && !this.timing && this.waiting.length) { this.carryOut(this.waiting.shift()); }
    }

    // `words` is the caller's again afterwards.
    play(words) {
        if (this.dead) { return; }
        for (const { command, at } of GpuPlayer.commands(words)) {
            if (command === 'kernel') { this.compile(words[at], GpuPlayer.text(words, at + 2, words[at + 1])); }
        }
        if (this.compiling || this.timing || this.waiting.length) { this.waiting.push(words.slice()); } else { this.carryOut(words); }
    }

    static* commands(words, at = 0, end = words.length) {
        for (; at < end; at += words[at + 1]) {
            yield { command: gpuCommands[words[at]], at: at + 2, end: at + words[at + 1] };
        }
    }

    static text(words, at, bytes) {
        return new TextDecoder().decode(new Uint8Array(words.buffer, words.byteOffset + 4 * at, bytes).slice());
    }

    // What runs are told: one place each.
    writeSizes(buffer, words, commands) {
        const runs = commands.filter(({ command }) => command === 'run');
        const sizes = new Uint32Array(runs.length * sizesPlace / 4);
        runs.forEach(({ at, end }, place) => sizes.set(words.subarray(at + 5 + words[at + 4], end), place * sizesPlace / 4));
        if (runs.length) { this.device.queue.writeBuffer(this.buffers.get(buffer), 0, sizes); }
    }

    prepared(words, { command, at }, sizes, place) {
        if (command !== 'run') {
            return { command, words: words.slice(at, at + 5).map(Number) };
        }
        const { pipeline, layout } = this.kernels.get(words[at]);
        const entries = [{ binding: 0, resource: { buffer: this.buffers.get(sizes), offset: place * sizesPlace, size: sizesPlace } }];
        for (let i = 0; i < words[at + 4]; ++i) {
            entries.push({ binding: i + 1, resource: { buffer: this.buffers.get(words[at + 5 + i]) } });
        }
        return { command, kernel: words[at], pipeline, group: this.device.createBindGroup({ layout, entries }), counts: [...words.subarray(at + 1, at + 4)] };
    }

    carryOut(words) {
        if (this.dead) { return; }
        const all = [...GpuPlayer.commands(words)];
        for (const { command, at } of all) {
            if (command === 'create') { this.create(words[at], words[at + 1], words[at + 2]); }
        }
        this.writeSizes(liveSizes, words, all);
        const gone = [];
        const reads = [];
        let timed = 0;
        let runs = 0;
        for (const part of all) {
            const { command, at } = part;
            switch (command) {
            case 'run': case 'clear': case 'copy':
                this.encode(this.prepared(words, part, liveSizes, command === 'run' ? runs++ : 0));
                break;
            case 'upload':
                this.submit(); // what comes before sees the old bytes
                this.device.queue.writeBuffer(this.buffers.get(words[at]), words[at + 1], words, at + 3, (words[at + 2] + 3) >> 2);
                break;
            case 'read':
                this.endPass();
                this.encoder.copyBufferToBuffer(this.buffers.get(words[at + 1]), words[at + 2], this.buffers.get(words[at + 4]), 0, words[at + 3]);
                reads.push({ ticket: words[at], buffer: this.buffers.get(words[at + 4]) });
                break;
            case 'record': this.record(words, part); break;
            case 'replay': this.recording.forEach((each) => this.encode(each)); break;
            case 'watch': this.watched = { repeats: words[at], runs: [], times: [] }; break;
            case 'time': timed = words[at]; break;
            case 'destroy': gone.push(words[at]); break;
            }
        }
        this.submit();
        if (this.watched) { this.time(timed); }
        for (const id of gone) {
            this.buffers.get(id).destroy();
            this.buffers.delete(id);
        }
        reads.forEach((read) => this.answer(read));
    }

    // The runs of this list once more, by themselves; where there is a ticket, what all took is its answer.
    time(ticket) {
        const { repeats, runs, times } = this.watched;
        times.push(this.device.features.has('timestamp-query') ? this.stamps(runs, repeats) : this.waits(runs, repeats));
        this.watched = ticket ? null : { repeats, runs: [], times };
        if (ticket) {
            Promise.all(times).then((all) => this.answered(ticket, GpuPlayer.sums(all.flat()))).catch((fault) => this.fail(fault.message));
        }
    }

    // By the card's own clock.
    async stamps(runs, repeats) {
        const count = 2 * runs.length;
        if (!count) { return []; }
        const querySet = this.device.createQuerySet({ type: 'timestamp', count });
        const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
        const resolved = this.device.createBuffer({ size: 8 * count, usage: QUERY_RESOLVE | COPY_SRC });
        const read = this.device.createBuffer({ size: 8 * count, usage: MAP_READ | COPY_DST });
        const encoder = this.device.createCommandEncoder();
        runs.forEach((run, i) => GpuPlayer.repeat(encoder.beginComputePass({
            timestampWrites: { querySet, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 } }), run, repeats));
        encoder.resolveQuerySet(querySet, 0, count, resolved, 0);
        encoder.copyBufferToBuffer(resolved, 0, read, 0, 8 * count);
        this.device.queue.submit([encoder.finish()]);
        await read.mapAsync(GPUMapMode.READ);
        const stamps = [...new BigUint64Array(read.getMappedRange())];
        [querySet, resolved, read].forEach((each) => each.destroy());
        let rounded = 0n; // the largest number that all are multiples of, from the first on
        stamps.forEach((stamp) => { for (let rest = stamp > stamps[0] ? stamp - stamps[0] : stamps[0] - stamp; rest;) { [rounded, rest] = [rest, rounded % rest]; } });
        return runs.map(({ kernel }, i) => ({ kernel, rounded: Number(rounded), seconds: Math.max(0, Number(stamps[2 * i + 1] - stamps[2 * i])) * 1e-9 / repeats }));
    }

    // By the host's: until the card says that it is done, less what that takes when there is nothing to do.
    async waits(runs, repeats) {
        this.timing = true;
        const took = async (run) => {
            const encoder = this.device.createCommandEncoder();
            if (run) { GpuPlayer.repeat(encoder.beginComputePass(), run, repeats); }
            const start = performance.now();
            this.device.queue.submit([encoder.finish()]);
            await this.device.queue.onSubmittedWorkDone();
            return (performance.now() - start) / 1000;
        };
        const nothing = Math.min(await took(), await took(), await took());
        const times = [];
        for (const run of runs) {
            times.push({ kernel: run.kernel, byHost: true, rounded: 0, seconds: Math.max(0, await took(run) - nothing) / repeats });
        }
        this.timing = false;
        this.goOn();
        return times;
    }

    static repeat(pass, { pipeline, group, counts }, repeats) {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        for (let i = 0; i < repeats; ++i) { pass.dispatchWorkgroups(...counts); }
        pass.end();
    }

    // As commands.h says.
    static sums(all) {
        const kernels = new Map();
        all.forEach(({ kernel, seconds }) => {
            const [count, sum] = kernels.get(kernel) || [0, 0];
            kernels.set(kernel, [count + 1, sum + seconds]);
        });
        const rounded = all.length ? Math.min(...all.map((each) => each.rounded)) : 0;
        const words = [rounded > 1000 ? rounded : 0, all.some((each) => each.byHost) ? 1 : 0];
        const float = new Float32Array(1);
        const bits = new Uint32Array(float.buffer);
        kernels.forEach(([count, sum], kernel) => {
            float[0] = sum;
            words.push(kernel, count, bits[0]);
        });
        return new Uint8Array(new Uint32Array(words).buffer);
    }

    create(id, size, kind) {
        const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
        const usage = [STORAGE | COPY_SRC | COPY_DST, UNIFORM | COPY_DST, MAP_READ | COPY_DST][kind];
        this.buffers.set(id, this.device.createBuffer({ size, usage }));
    }

    record(words, { at, end }) {
        const sizes = words[at];
        const all = [...GpuPlayer.commands(words, at + 2, end)];
        this.writeSizes(sizes, words, all);
        let runs = 0;
        this.recording = all.map((part) => this.prepared(words, part, sizes, part.command === 'run' ? runs++ : 0));
    }

    encode({ command, words, kernel, pipeline, group, counts }) {
        if (command === 'run') {
            if (this.watched) { this.watched.runs.push({ kernel, pipeline, group, counts }); }
            this.encoder = this.encoder || this.device.createCommandEncoder();
            this.pass = this.pass || this.encoder.beginComputePass();
            this.pass.setPipeline(pipeline);
            this.pass.setBindGroup(0, group);
            this.pass.dispatchWorkgroups(...counts);
            return;
        }
        this.endPass();
        if (command === 'clear') {
            this.encoder.clearBuffer(this.buffers.get(words[0]), words[1], words[2]);
        } else {
            this.encoder.copyBufferToBuffer(this.buffers.get(words[0]), words[1], this.buffers.get(words[2]), words[3], words[4]);
        }
    }

    endPass() {
        this.encoder = this.encoder || this.device.createCommandEncoder();
        if (this.pass) { this.pass.end(); }
        this.pass = null;
    }

    submit() {
        if (this.encoder) {
            this.endPass();
            this.device.queue.submit([this.encoder.finish()]);
            this.encoder = null;
        }
    }

    answer({ ticket, buffer }) {
        buffer.mapAsync(GPUMapMode.READ).then(() => {
            const bytes = new Uint8Array(buffer.getMappedRange().slice(0));
            buffer.unmap();
            if (!this.dead) { this.answered(ticket, bytes); }
        }).catch((fault) => this.fail(fault.message));
    }
}
