"""A page with the player and the kernels alone, in headless Chromium on its software adapter."""
import functools
import http.server
import json
import os
import pathlib
import tempfile
import threading

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class GpuPage:
    """Serves `folder`, where more files may be put; `scripts` of them come before the player."""

    def __init__(self, scripts=(), handler=Quiet):
        self.handler = handler
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.scripts = scripts

    def open(self):
        kernels = {file.stem: file.read_text() for file in (ROOT / "core/lab/trainer/webgpu/kernels").glob("*.wgsl")}
        (self.folder / "kernels.json").write_text(json.dumps(kernels))
        player = (ROOT / "app/page/webgpu.js").read_text()
        before = "".join(f"<script src={script}></script>" for script in self.scripts)
        (self.folder / "index.html").write_text(f"<!doctype html>{before}<script>{player}; Object.assign(window, {{ GpuPlayer, openGpu, gpuCommands }});</script>")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(self.handler, directory=self.folder))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        options = webdriver.ChromeOptions()
        options.binary_location = os.environ.get("RINGSIDE_CHROMIUM", "/usr/bin/chromium")
        for argument in ("--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader",
                         "--enable-unsafe-swiftshader"):
            options.add_argument(argument)
        self.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.browser.set_script_timeout(300)

    def close(self):
        self.browser.quit()
        self.server.shutdown()
        self.temporary.cleanup()

    def run(self, script, *arguments):
        """The last argument of the script is what it calls when it is done."""
        self.browser.get(f"http://127.0.0.1:{self.server.server_port}/")
        return self.browser.execute_async_script(script, *arguments)
