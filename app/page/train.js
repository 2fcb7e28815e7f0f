// A worker that makes a training's steps: the same program, without a window. The page hands it the compiled parts,
// which card to use, if any, then commands as bytes; it hands back snapshots.
'use strict';
const commands = [];
const turn = new MessageChannel(); // lets commands in between two slices of work
let ready = false;
let busy = false;
let started = false;
let hidden = false; // the page is; a card then rests
let preference = ''; // of the card
let through = 0; // what is to use subgroups
const call = (name, types, values) => Module.ccall(name, 'number', types, values);
const hand = (bytes, take) => {
    const at = Module._malloc(bytes.length);
    Module.HEAPU8.set(bytes, at);
    take(at, bytes.length);
    Module._free(at);
};
const go = () => {
    if (ready && !busy && !(hidden && self.card)) {
        busy = true;
        turn.port2.postMessage(null);
    }
};
turn.port1.onmessage = () => {
    busy = false;
    if (!ready) { return; }
    commands.splice(0).forEach((bytes) => hand(bytes, (at, size) => call('ringside_asked', ['number', 'number'], [at, size])));
    if (call('ringside_work', [], [])) { go(); }
};

const tellCard = (...values) =>
    call('ringside_card', ['string', 'number', 'number', 'number', 'number', 'number'], [...values, through]);

// Soon lost again, it would be lost for ever: then the processor goes on.
const leastLife = 10000; // milliseconds
let sources = null;
const openCard = async () => {
    if (!sources) {
        importScripts('webgpu.js');
        sources = await (await fetch('kernels.json')).json();
    }
    const { device, name, software, bufferBytes, groupBytes, subgroups } = await openGpu(preference);
    self.card = new GpuPlayer(await device(), sources);
    const opened = performance.now();
    card.answered = (ticket, bytes) => {
        hand(bytes, (at, size) => call('ringside_card_answered', ['number', 'number', 'number'], [ticket, at, size]));
        go();
    };
    card.compiled = (done, all) => call('ringside_card_says', ['string'], [done < all ? `Compiling kernel ${done + 1} of ${all}` : '']);
    card.failed = (why) => lose(why, performance.now() - opened > leastLife);
    tellCard(name, software, bufferBytes, groupBytes, subgroups);
};
const lose = async (why, again) => {
    ready = false;
    await null; // nothing of the program is under way then
    self.card = null;
    tellCard('', 0, 0, 0, 0);
    if (again) { await openCard().catch(() => {}); }
    call('ringside_card_lost', ['string'], [why]);
    ready = true;
    go();
};
const start = async () => {
    if (preference) { await openCard(); }
    ready = true;
    go();
};

onmessage = ({ data: parts }) => {
    let loaded;
    const whole = new Promise((done) => { loaded = done; });
    onmessage = ({ data }) => {
        if (data.card) {
            ({ card: preference, through } = data);
        } else if ('hidden' in data) {
            hidden = data.hidden;
            go();
        } else {
            if (!started) { // only now is it known which card
                started = true;
                whole.then(start).catch((fault) => setTimeout(() => { throw fault; })); // to the page, as its error
            }
            commands.push(data);
            go();
        }
    };
    self.Module = {
        noInitialRun: true,
        getPreloadedPackage: (name, size) => new ArrayBuffer(size), // it reads no file
        instantiateWasm: (imports, receive) => {
            const functions = {};
            imports.placeholder = new Proxy({}, { get: (_, slot) => (...values) => functions.table.get(Number(slot))(...values) });
            WebAssembly.instantiate(parts.ringside, imports).then(async (primary) => {
                functions.table = Object.values(primary.exports).find((part) => part instanceof WebAssembly.Table);
                await WebAssembly.instantiate(parts.rest, { primary: primary.exports });
                receive(primary);
            }).catch((fault) => setTimeout(() => { throw fault; }));
            return {};
        },
        onRuntimeInitialized: () => loaded(),
    };
    importScripts('ringside.js');
};
