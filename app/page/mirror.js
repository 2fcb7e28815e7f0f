// What the picture says, as elements over it that nobody sees: a screen reader reads them, the browser finds and
// copies them. The program tells parts, the keyboard's place and what is said at once; ImGui stays the one that acts.
'use strict';
(() => {
    const home = document.getElementById('mirror');
    const said = document.getElementById('said');
    const call = (name, types, ...values) => { if (Module.ccall) { Module.ccall(`ringside_${name}`, null, types, values); } };
    // In the order in which the program counts them.
    const regions = [['banner'], ['region', 'Lesson'], ['main'], ['region', 'In words'], ['complementary', 'Scenario'],
        ['navigation', 'Views'], ['contentinfo'], ['region', 'Over the window']].map(([role, label]) => {
        const node = document.createElement('div');
        node.setAttribute('role', role);
        if (label) { node.setAttribute('aria-label', label); }
        node.hidden = true;
        home.append(node);
        return node;
    });
    const [title, , , caption] = regions;
    title.id = 'title';
    caption.id = 'caption';
    const known = new Map(); // by key: { node, part }
    let follows = false; // the page moves the keyboard, nobody else

    const set = (node, name, value) => {
        if (value === undefined || value === '') { node.removeAttribute(name); }
        else if (node.getAttribute(name) !== String(value)) { node.setAttribute(name, value); }
    };
    const tagOf = (part) => part.role === 'slider' || part.role === 'field' ? 'input' : part.id ? 'button'
        : part.role !== 'heading' || part.on ? 'p' : part.region === 0 ? 'h1' : 'h2';
    const joined = (mark, ...texts) => texts.filter((text, i) => text && texts.indexOf(text) === i).join(mark);
    const control = (node, part) => {
        const shows = part.role === 'menu' || part.role === 'slider' || part.role === 'field'; // its value is no news
        set(node, 'aria-label', part.role === 'menu' ? joined(': ', part.text, part.value) : part.text);
        set(node, 'aria-description', joined('. ', shows ? '' : part.value, part.tip === part.text ? '' : part.tip));
        set(node, 'aria-haspopup', part.role === 'menu' ? 'listbox' : '');
        set(node, 'aria-pressed', part.role === 'choice' ? part.on : '');
        set(node, 'aria-checked', part.role === 'toggle' ? part.on : '');
        set(node, 'aria-valuetext', part.role === 'slider' ? part.value : '');
        const value = part.role === 'slider' ? String(100 * part.position) : part.value;
        if (node.matches('input') && node.value !== value) { node.value = value; }
    };
    const create = (part, tag) => {
        const node = document.createElement(tag);
        if (!part.id) { return node; }
        node.tabIndex = -1; // Tab is ImGui's
        if (part.role === 'slider') { Object.assign(node, { type: 'range', min: 0, max: 100, step: 'any' }); }
        if (part.role === 'field') { Object.assign(node, { type: 'text', autocomplete: 'off', spellcheck: false }); }
        if (part.role === 'toggle') { node.setAttribute('role', 'switch'); }
        node.dataset.id = part.id;
        return node;
    };
    const update = (entry, part) => {
        const { node } = entry;
        const [x, y, w, h] = part.box.map(Math.round);
        set(node, 'style', `left:${x}px;top:${y}px;width:${w + (part.id ? 0 : 2)}px;height:${h}px${part.id ? '' : `;font-size:${part.size.toFixed(1)}px`}`);
        if (part.id) { control(node, part); }
        else {
            if (node.textContent !== part.text) { node.textContent = part.text; }
            set(node, 'aria-hidden', part.on ? 'true' : ''); // its control says it
        }
        entry.part = part;
    };
    const tell = (lines) => {
        const old = new Map([...said.children].map((node) => [node.textContent, node]));
        for (const line of lines) {
            if (!old.delete(line)) { said.append(Object.assign(document.createElement('p'), { textContent: line })); }
        }
        old.forEach((node) => node.remove());
    };

    window.showMirror = ({ parts, said: lines, focus, plays }) => {
        const counts = new Map();
        const keyed = parts.map((part) => {
            const tag = tagOf(part);
            const place = `${tag} ${part.id ? part.id : `${part.region} ${part.box.slice(0, 2).map(Math.round)}`}`;
            const twins = counts.get(place) || 0;
            counts.set(place, twins + 1);
            return [`${place} ${twins}`, tag, part];
        });
        const now = new Set(keyed.map(([key]) => key));
        for (const [key, { node }] of known) { if (!now.has(key)) { node.remove(); known.delete(key); } }
        set(caption, 'aria-live', plays ? 'off' : 'polite');
        const next = regions.map((region) => region.firstChild);
        for (const [key, tag, part] of keyed) {
            let entry = known.get(key);
            if (!entry) { known.set(key, entry = { node: create(part, tag) }); }
            update(entry, part);
            if (entry.node === next[part.region]) { next[part.region] = entry.node.nextSibling; }
            else { regions[part.region].insertBefore(entry.node, next[part.region]); }
        }
        for (const region of regions) { if (region.hidden === Boolean(region.firstChild)) { region.hidden = !region.hidden; } }
        tell(lines);
        const on = document.activeElement;
        const wanted = focus && home.querySelector(`[data-id="${focus}"]`);
        if (wanted && wanted !== on && on.id !== 'typing' && document.hasFocus()) {
            follows = true;
            wanted.focus({ preventScroll: true });
            follows = false;
        }
    };

    const idOf = (event) => Number(event.target.dataset.id);
    home.addEventListener('click', (event) => { if (idOf(event)) { call('press', ['number'], idOf(event)); } });
    home.addEventListener('focusin', (event) => { if (!follows && idOf(event)) { call('focus', ['number'], idOf(event)); } });
    home.addEventListener('input', (event) => {
        const entry = [...known.values()].find(({ node }) => node === event.target);
        if (!entry) { return; }
        if (event.target.type === 'text') { call('write', ['number', 'string'], idOf(event), event.target.value); }
        else { call('step', ['number', 'number'], idOf(event), event.target.value < 100 * entry.part.position ? -1 : 1); }
    });
    home.addEventListener('scroll', () => home.scrollTo(0, 0)); // what is found stays on its place in the picture
    // A double click on a sentence chooses it, so that Ctrl C copies it.
    document.getElementById('canvas').addEventListener('dblclick', ({ clientX, clientY }) => {
        const hit = [...known.values()].find(({ node, part }) => {
            const [x, y, w, h] = part.box;
            return !part.id && !part.on && node.isConnected && clientX >= x && clientX < x + w && clientY >= y && clientY < y + h;
        });
        if (hit) { getSelection().selectAllChildren(hit.node); }
    });
    addEventListener('keydown', (event) => {
        const copies = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'c';
        if (copies && !getSelection().isCollapsed && home.contains(getSelection().anchorNode)) { event.stopImmediatePropagation(); }
    }, true);
})();
