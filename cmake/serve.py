#!/usr/bin/env python3
"""Serves a folder to this machine alone, and says where. usage: serve.py FOLDER [--until-input-ends]"""
import functools
import http.server
import sys
import threading


def end_with_input():
    try:
        sys.stdin.read()
    finally:
        server.shutdown()  # whoever started it is gone


handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
for port in (8000, 0):  # a port of one's own where that one is taken
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        break
    except OSError:
        pass
if "--until-input-ends" in sys.argv:
    threading.Thread(target=end_with_input, daemon=True).start()
print(f"Ringside is at http://127.0.0.1:{server.server_port}/ until Ctrl C", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
