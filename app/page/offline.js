// Once opened, the page opens again without a network. A build is kept whole in a cache of its own, each file checked
// against its sum; a newer build takes over whole, when the page next opens. What is not a file of the page is left to
// the browser.
'use strict';
const build = 'BUILD';
const files = {}; // FILES: name to SHA-256
const own = `ringside ${self.registration.scope} `;
const kept = own + build;
const names = new Map(Object.keys(files).map((name) => [new URL(name, self.registration.scope).href, name]));

const sumOf = async (bytes) =>
    Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');
const keep = async (cache, name, sum) => {
    const answer = await fetch(name, { cache: 'no-cache' });
    const bytes = await answer.arrayBuffer();
    if (!answer.ok || (await sumOf(bytes)) !== sum) { throw new Error(`${name} is not of build ${build}`); }
    const type = answer.headers.get('Content-Type');
    await cache.put(name, new Response(bytes, { headers: type ? { 'Content-Type': type } : {} }));
};

self.addEventListener('install', (event) => event.waitUntil((async () => {
    try {
        const cache = await caches.open(kept);
        await Promise.all(Object.entries(files).map(([name, sum]) => keep(cache, name, sum)));
    } catch (fault) { // the build before stays, or the network serves
        await caches.delete(kept);
        throw fault;
    }
})()));
self.addEventListener('activate', (event) => event.waitUntil((async () => {
    const old = (await caches.keys()).filter((name) => name === 'ringside' || (name.startsWith(own) && name !== kept));
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
})()));
// A page that has not begun asks for the newest build. It gets it unless another tab runs the one before.
self.addEventListener('message', (event) => event.waitUntil((async () => {
    const alone = (await self.clients.matchAll({ includeUncontrolled: true })).length <= 1;
    if (alone) { await self.skipWaiting(); }
    event.ports[0].postMessage(alone);
})()));
self.addEventListener('fetch', (event) => {
    const address = new URL(event.request.url);
    if (event.request.mode === 'navigate') { address.search = ''; }
    address.hash = '';
    const name = address.href.endsWith('/index.html') ? './' : names.get(address.href);
    if (event.request.method !== 'GET' || event.request.headers.has('Range') || name === undefined) { return; }
    event.respondWith((async () => {
        let answer;
        try { answer = await caches.match(name, { cacheName: kept }); } catch (fault) { } // then the network serves
        return answer || fetch(event.request);
    })());
});
