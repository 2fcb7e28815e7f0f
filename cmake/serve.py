#!/usr/bin/env python3
"""Serves a folder to this machine alone, and says where. usage: serve.py FOLDER"""
import functools
import http.server
import sys

handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
for port in (8000, 0):  # a port of one's own where that one is taken
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        break
    except OSError:
        pass
print(f"Ringside is at http://127.0.0.1:{server.server_port}/ until Ctrl C", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
