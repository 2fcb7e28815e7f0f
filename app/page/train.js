// A worker that makes a training's steps: the same program, without a window. The page hands it the compiled parts,
// then commands as bytes; it hands back snapshots.
'use strict';
const commands = [];
const turn = new MessageChannel(); // lets commands in between two slices of work
let ready = false;
let busy = false;
const tell = (bytes) => {
    const at = Module._malloc(bytes.length);
    Module.HEAPU8.set(bytes, at);
    Module.ccall('ringside_asked', null, ['number', 'number'], [at, bytes.length]);
    Module._free(at);
};
const go = () => {
    if (ready && !busy) {
        busy = true;
        turn.port2.postMessage(null);
    }
};
turn.port1.onmessage = () => {
    commands.splice(0).forEach(tell);
    busy = false;
    if (Module.ccall('ringside_work', 'number', [], [])) { go(); }
};
onmessage = ({ data: parts }) => {
    onmessage = ({ data }) => { commands.push(data); go(); };
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
            }).catch((fault) => setTimeout(() => { throw fault; })); // to the page, as its error
            return {};
        },
        onRuntimeInitialized: () => { ready = true; go(); },
    };
    importScripts('ringside.js');
};
