// Ringside's engine as a module of JavaScript, for node and browsers: the answers of the command line, byte for byte.
//
//     import { open } from 'ringside-engine';
//     const ringside = await open();
//     ringside.evaluate({ model: 'llama-3.1-8b', cluster: { gpus: 8 } }).memory.total_bytes

export class RingsideError extends Error {
    constructor(text, status) {
        super(text.trim() || `ringside ended with status ${status}`);
        this.name = 'RingsideError';
        this.status = status;
        this.faults = text.split('\n').filter((line) => line); // `path: message (hint)`
    }
}

const inNode = typeof process === 'object' && Boolean(process.versions?.node);

async function bytes(name, base) {
    const address = new URL(name, base);
    if (inNode && address.protocol === 'file:') {
        return new Uint8Array(await (await import('node:fs/promises')).readFile(address));
    }
    const answer = await fetch(address);
    if (!answer.ok) { throw new Error(`${address.href} could not be loaded: ${answer.status}`); }
    return new Uint8Array(await answer.arrayBuffer());
}

// {microBatches: 8, set: ['a=1']}: --micro-batches=8 --set=a=1
function words(options) {
    const list = [];
    for (const [name, value] of Object.entries(options)) {
        const option = `--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`).replace(/_/g, '-')}`;
        for (const one of Array.isArray(value) ? value : [value]) {
            if (one === true) { list.push(option); } else if (one !== null && one !== undefined && one !== false) { list.push(`${option}=${one}`); }
        }
    }
    return list;
}

export class Engine {
    #module;
    #base;
    #questions; // being loaded

    constructor(module, base) { this.#module = module; this.#base = base; }

    // A file of the engine's own memory, which is all that its commands can read.
    write(place, content) {
        this.#module.FS.mkdirTree(place.slice(0, place.lastIndexOf('/')));
        this.#module.FS.writeFile(place, content);
    }

    // A request, or a list of them, as `ringside serve` takes it; an answer for each.
    answer(request) {
        const { lengthBytesUTF8, stringToUTF8, UTF8ToString, _malloc, _free, _ringside_answer } = this.#module;
        const line = JSON.stringify(request);
        const size = lengthBytesUTF8(line) + 1;
        const at = _malloc(size);
        try {
            stringToUTF8(line, at, size);
            return JSON.parse(UTF8ToString(_ringside_answer(at)));
        } finally {
            _free(at);
        }
    }

    // What a command prints: a document, or a text. Status 1, which says that something does not fit, is an answer.
    run(command, options = {}, stdin = '') {
        const list = [command].flat();
        const end = list.includes('--') ? list.indexOf('--') : list.length; // behind it no word is an option
        const { status, stdout, stderr } = this.answer({ command: [...list.slice(0, end), ...words(options), ...list.slice(end)], stdin });
        if (status > 1) { throw new RingsideError(stderr, status); }
        return stdout;
    }

    // A scenario is its fields, or the text of a link.
    #of(command, scenario, options) {
        return typeof scenario === 'string' ? this.run([command, '--', scenario], options) : this.run([command, '-'], options, scenario);
    }
    evaluate(scenario, options = {}) { return this.#of('evaluate', scenario, options); }
    explain(scenario, options = {}) { return this.#of('explain', scenario, options); }
    search(scenario, options = {}) { return this.#of('search', scenario, options); }
    rent(scenario, options = {}) { return this.#of('rent', scenario, options); }
    schedule(options = {}) { return this.run('schedule', options); }
    collective(options = {}) { return this.run('collective', options); }
    link(scenario, options = {}) { return this.#of('link', scenario, options).link; }

    // With open({ drawing: true }): a view of a scenario as SVG.
    picture(view, scenario = {}, options = {}) {
        const from = typeof scenario === 'string' ? scenario : '-';
        return this.run('picture', { view, scenario: from, ...options, svg: true, output: '-' }, from === '-' ? scenario : '');
    }
    // The same: a question with numbers from a seed; with an answer, its verdict.
    async question(id, answer, options = {}) {
        this.#questions ??= bytes('questions.json', this.#base).then((file) => this.take(file));
        await this.#questions;
        return this.run(['question', answer === undefined ? 'show' : 'answer', '--', id, ...(answer === undefined ? [] : [answer])], options);
    }

    // Files of a document {place: text, or {base64}}.
    take(file) {
        for (const [place, content] of Object.entries(JSON.parse(new TextDecoder().decode(file)))) {
            this.write(place, typeof content === 'string' ? content : Uint8Array.from(atob(content.base64), (c) => c.charCodeAt(0)));
        }
    }
}

// Loads the engine; with `drawing`, the larger one that draws views and asks questions. `base` is where its files are.
export async function open({ drawing = false, base = import.meta.url } = {}) {
    const name = drawing ? 'drawing' : 'engine';
    const [{ default: make }, wasmBinary, ...files] = await Promise.all([
        import(new URL(`${name}.mjs`, base).href), bytes(`${name}.wasm`, base), bytes('presets.json', base), ...(drawing ? [bytes('drawing.json', base)] : [])]);
    const engine = new Engine(await make({ wasmBinary }), base);
    files.forEach((file) => engine.take(file));
    return engine;
}
