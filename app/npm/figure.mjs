// <ringside-figure view="pipelines" scenario="llama-3.1-8b" controls="parallel.pipeline,training.micro_batch">
//
// A view of Ringside as a figure of a page: drawn as SVG once it is in sight, with native controls of the fields that
// `controls` names, and a question where `question` names one. All figures of a page share one engine, which loads with
// the first of them. What stands inside the element, a picture for example, is shown until then.
//
//     figure.scenario = { model: 'llama-3.1-70b', parallel: { pipeline: 8 } };
//     figure.on('change', ({ scenario, metrics }) => ...);     also an event of the element
//     figure.on('answered', ({ correct, message }) => ...);
//
// origins="https://course.example.org" lets the page around, if it is of that origin, send { ringside: 'scenario', figure:
// id, scenario } and hear { ringside: 'change' or 'answered', figure: id, detail }. Nobody else is heard or told.

const STYLE = `
:host { display: block; margin: 1em 0; font: 14px/1.4 system-ui, sans-serif }
#picture svg { display: block; width: 100%; height: auto }
form { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 8px 0 } label { display: flex; gap: 6px; align-items: center }
output { min-width: 3ch; font-variant-numeric: tabular-nums } #fault:not(:empty) { color: #b3401f }`;

// --- the engine

let workers; // a promise of a function that asks

async function connect() {
    const file = new URL('worker.mjs', import.meta.url).href;
    // A worker has to be of the page's own origin; one that only imports is.
    const own = URL.createObjectURL(new Blob([`import ${JSON.stringify(file)};`], { type: 'text/javascript' }));
    const here = async () => (await import(file)).answer;
    try {
        const worker = new Worker(new URL(file).origin === location.origin ? file : own, { type: 'module' });
        const waiting = new Map();
        let last = 0;
        worker.onmessage = ({ data: { number, found, faults } }) => {
            const [done, failed] = waiting.get(number);
            waiting.delete(number);
            if (faults) { failed({ faults }); } else { done(found); }
        };
        worker.onerror = () => { // it could not be loaded, as a page's policy may have it
            workers = here();
            for (const [done, failed, asked] of waiting.values()) { workers.then((ask) => ask(asked)).then(done, failed); }
            waiting.clear();
        };
        return (asked) => new Promise((done, failed) => { waiting.set(++last, [done, failed, asked]); worker.postMessage({ number: last, asked }); });
    } catch { return here(); }
}

async function ask(asked) {
    workers ??= connect();
    return (await workers)(asked);
}

// --- controls

// Whole numbers on a logarithmic scale go by powers of two.
function range(about) {
    const input = Object.assign(document.createElement('input'), { type: 'range' });
    const powers = about.whole && about.step === 0 && about.low >= 1;
    const logs = !about.whole && about.step === 0 && about.low > 0;
    const [to, from] = powers ? [Math.log2, (x) => 2 ** x] : logs ? [Math.log10, (x) => Number((10 ** x).toPrecision(3))] : [Number, Number];
    Object.assign(input, { min: to(about.low), max: to(about.high), step: powers ? 1 : about.step || (about.whole ? 1 : 'any') });
    return [input, () => from(Number(input.value)), (value) => { input.value = to(value); }];
}

function control(about) {
    if (typeof about.value === 'boolean') {
        const input = Object.assign(document.createElement('input'), { type: 'checkbox' });
        return [input, () => input.checked, (value) => { input.checked = value; }];
    }
    if (about.choices) {
        const input = document.createElement('select');
        input.append(...about.choices.map((name) => new Option(name, name)));
        return [input, () => input.value, (value) => { input.value = value; }];
    }
    if (about.high - about.low > 1e6 && about.step !== 0) { // no slider has so many places
        const input = Object.assign(document.createElement('input'), { type: 'number', min: about.least, max: about.most, step: about.whole ? 1 : 'any' });
        return [input, () => Number(input.value), (value) => { input.value = value; }];
    }
    return range(about);
}

// --- the element

const inSight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) { target.seen(isIntersecting); }
}, { rootMargin: '200px' });

export class RingsideFigure extends HTMLElement {
    static observedAttributes = ['view', 'scenario', 'controls', 'question', 'seed', 'theme'];
    #scenario; // fields, where the property was set
    #changed = new Map(); // by its own controls
    #inSight = false;
    #stale = true;
    #drawing = false;
    #width = 0;
    #shownControls = '';
    #asked = '';
    #put = new Map(); // path to what shows a value
    #resize = new ResizeObserver(() => { if (Math.abs(this.clientWidth - this.#width) > 8) { this.#redraw(); } });
    #message = (event) => {
        const { data, origin, source } = event;
        if (source === window.parent && this.#origins.includes(origin) && data?.ringside === 'scenario' && data.figure === this.id) { this.scenario = data.scenario; }
    };

    constructor() {
        super();
        this.attachShadow({ mode: 'open' }).innerHTML = `<style>${STYLE}</style><div id="picture"><slot></slot></div><form id="controls"></form>
            <form id="question" hidden><label id="stem"></label><input id="answer" autocomplete="off" aria-labelledby="stem"><button>Answer</button></form><div id="fault" role="status"></div>`;
        this.#part('controls').onsubmit = (event) => event.preventDefault();
        this.#part('question').onsubmit = (event) => { event.preventDefault(); this.#answer(); };
    }
    connectedCallback() {
        inSight.observe(this);
        this.#resize.observe(this);
        window.addEventListener('message', this.#message);
    }
    disconnectedCallback() {
        inSight.unobserve(this);
        this.#resize.disconnect();
        window.removeEventListener('message', this.#message);
    }
    attributeChangedCallback(name) {
        if (name === 'scenario') { this.#scenario = undefined; this.#changed.clear(); }
        this.#redraw();
    }

    // Its fields in full once it is drawn.
    get scenario() { return this.report ? this.report.scenario : this.#given; }
    set scenario(fields) { this.#scenario = fields; this.#changed.clear(); this.#redraw(); }
    on(name, listener) { this.addEventListener(name, ({ detail }) => listener(detail)); return this; }
    seen(now) { this.#inSight = now; this.#draw(); }

    #part(id) { return this.shadowRoot.getElementById(id); }
    get #origins() { return (this.getAttribute('origins') ?? '').split(/[\s,]+/).filter((origin) => origin); }
    // Fields, or a link: an id is the example of that name.
    get #given() {
        const text = (this.getAttribute('scenario') ?? 'default').trim();
        return this.#scenario ?? (text.startsWith('{') ? JSON.parse(text) : text.includes('#') || text.startsWith('ringside:') ? text : `#s=${text}`);
    }
    #tell(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
        if (window.parent === window) { return; }
        for (const origin of this.#origins) { window.parent.postMessage({ ringside: name, figure: this.id, detail }, origin); }
    }

    #fail(fault) { this.#part('fault').textContent = (fault.faults ?? [fault.message]).join('\n'); }

    #redraw() { this.#stale = true; this.#draw(); }
    async #draw() {
        if (!this.isConnected || !this.#inSight || !this.#stale || this.#drawing) { return; }
        this.#drawing = true;
        this.#stale = false;
        this.#width = this.clientWidth;
        const width = Math.min(1600, Math.max(480, Math.round(this.#width)));
        const theme = this.getAttribute('theme') ?? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
        const controls = (this.getAttribute('controls') ?? '').split(',').map((path) => path.trim()).filter((path) => path);
        try {
            const found = await ask({ view: this.getAttribute('view') ?? 'overview', scenario: this.#given, sets: [...this.#changed].map(([path, value]) => `${path}=${value}`), controls,
                size: `${width}x${Math.round(width * 0.5625)}`, light: theme === 'light' });
            this.#show(found, controls.join());
        } catch (fault) { this.#fail(fault); }
        this.#drawing = false;
        this.#draw();
    }
    #show({ svg, controls, report, scenario }, which) {
        const first = !this.report;
        this.report = { ...report, scenario };
        const drawn = document.adoptNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement);
        drawn.setAttribute('role', 'img');
        drawn.setAttribute('aria-label', `Ringside: ${this.getAttribute('view') ?? 'overview'}`);
        this.#part('picture').replaceChildren(drawn);
        this.#part('fault').textContent = '';
        if (which !== this.#shownControls) { this.#shownControls = which; this.#put.clear(); this.#part('controls').replaceChildren(...controls.map((about) => this.#labelled(about))); }
        for (const { path, value } of controls) { this.#put.get(path)(value); }
        if (first) { this.dispatchEvent(new CustomEvent('ready', { detail: this.report })); }
        this.#tell('change', { scenario, metrics: report.metrics });
        this.#stem();
    }
    #labelled(about) {
        const label = document.createElement('label');
        const shown = document.createElement('output');
        const [input, get, put] = control(about);
        label.title = about.says;
        label.append(about.label + (about.unit ? ` [${about.unit}]` : ''), input, shown);
        input.addEventListener('input', () => { if (input.type === 'range') { shown.textContent = get(); } this.#changed.set(about.path, get()); this.#redraw(); });
        this.#put.set(about.path, (value) => { if (!this.#stale) { put(value); } if (input.type === 'range') { shown.textContent = this.#stale ? get() : value; } });
        return label;
    }

    async #stem() {
        const id = this.getAttribute('question');
        const seed = this.getAttribute('seed') ?? 1;
        if (!id || this.#asked === `${id} ${seed}`) { return; }
        this.#asked = `${id} ${seed}`;
        try {
            this.#part('stem').textContent = (await ask({ question: id, seed })).stem;
            this.#part('question').hidden = false;
        } catch (fault) { this.#fail(fault); }
    }
    async #answer() {
        try {
            const verdict = await ask({ question: this.getAttribute('question'), seed: this.getAttribute('seed') ?? 1, answer: this.#part('answer').value });
            this.#part('fault').textContent = verdict.correct ? 'Correct.' : verdict.message || 'Not yet.';
            this.#tell('answered', verdict);
        } catch (fault) { this.#fail(fault); }
    }
}

customElements.define('ringside-figure', RingsideFigure);
