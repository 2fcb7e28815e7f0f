// The one engine of all figures of a page, beside the page's own script where the browser allows a worker.
import { open } from './index.mjs';

let engine;

function draw(ringside, { view, scenario, sets, controls, size, light }) {
    const link = typeof scenario === 'string';
    const full = ringside.run(link ? ['fields', '--', scenario] : ['fields', '-'], { set: sets, control: controls }, link ? '' : scenario);
    const look = { size, light, presenter: true, textScale: 0.75 };
    return { ...full, report: ringside.evaluate(full.scenario), svg: ringside.picture(view, full.scenario, look) };
}

// What a figure asks: to draw, or about a question.
export async function answer(asked) {
    engine ??= open({ drawing: true });
    const ringside = await engine;
    return asked.question ? ringside.question(asked.question, asked.answer, { seed: asked.seed }) : draw(ringside, asked);
}

if (typeof WorkerGlobalScope !== 'undefined' && self instanceof WorkerGlobalScope) {
    self.onmessage = async ({ data: { number, asked } }) => {
        try {
            self.postMessage({ number, found: await answer(asked) });
        } catch (fault) {
            self.postMessage({ number, faults: fault.faults ?? [String(fault.message ?? fault)] });
        }
    };
}
