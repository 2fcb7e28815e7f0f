// Once opened, the page opens again without a network: what was fetched is kept, and fetched anew where a network is.
'use strict';
const kept = 'ringside';
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
    if (event.request.method !== 'GET') { return; }
    event.respondWith((async () => {
        const cache = await caches.open(kept);
        try {
            const fresh = await fetch(event.request);
            if (fresh.ok) { await cache.put(event.request, fresh.clone()); }
            return fresh;
        } catch (fault) {
            const old = await cache.match(event.request, { ignoreSearch: true });
            if (old) { return old; }
            throw fault;
        }
    })());
});
