#!/usr/bin/env python3
"""Serves a folder to this machine alone, and says where. usage: serve.py FOLDER [--port N] [--until-input-ends]

A browser keeps progress by address, port included, so the ports are always tried in one order. They are no other
program's usual ones: what a page keeps stays with the next program at its address.
"""
import argparse
import functools
import http.server
import sys
import threading

PORTS = range(8471, 8479)


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")  # asked for again, as a new build has the same names
        # Pages of this machine may embed it, and no page from elsewhere. A page cannot say so of itself.
        self.send_header("Content-Security-Policy", "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*")
        super().end_headers()


def end_with_input():
    try:
        sys.stdin.read()
    finally:
        server.shutdown()  # what started it is gone


def open_server(ports):
    for port in ports:
        try:
            return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=options.folder))
        except OSError:
            pass
    return None


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder")
parser.add_argument("--port", type=int, help="only this one, for example of an earlier version, to export what was kept there")
parser.add_argument("--until-input-ends", action="store_true")
options = parser.parse_args()
server = open_server((options.port,) if options.port else PORTS)
if server is None:
    sys.exit(f"--port: {f'{options.port} is' if options.port else f'{PORTS[0]} to {PORTS[-1]} are all'} taken (end the programs that listen there, or give --port N; "
             "what a browser kept is found at its own port only)")
if options.until_input_ends:
    threading.Thread(target=end_with_input, daemon=True).start()
moved = server.server_port != PORTS[0] and not options.port
print(f"Ringside is at http://127.0.0.1:{server.server_port}/ until Ctrl C"
      + (f" (port {PORTS[0]} is taken; progress that was kept there is not seen here)" if moved else ""), flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
