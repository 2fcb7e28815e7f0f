#!/usr/bin/env python3
"""What the page makes of what the program tells of its picture, in headless Chromium, with a few parts in place of the
program. Needs no emscripten. usage: mirror_test.py
"""
import functools
import http.server
import pathlib
import shutil
import sys
import tempfile
import threading
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
SENTENCE = "One GPU needs 140 of 80 GB: it does not fit. Weights take most."
PROGRAM = """
window.calls = [];
Module.ccall = (name, type, types, values) => { calls.push([name, ...values]); };
const control = (id, role, region, text, box, more) => ({ id, role, region, text, box, on: false, value: '', tip: '', position: 0, ...more });
const words = (role, region, text, box, more) => ({ role, region, text, box, on: false, size: 14, ...more });
window.shown = { parts: [
    control(11, 'button', 0, 'Every key (?)', [1200, 20, 24, 24]),
    control(4000000012, 'choice', 0, 'Memory', [900, 20, 80, 32], { on: true }),
    words('heading', 0, 'Memory', [910, 28, 50, 14], { on: true }),
    words('heading', 0, 'What fills the memory?', [124, 20, 400, 22]),
    words('p', 2, 'weights 16.1 GB', [124, 100, 120, 14]),
    words('p', 3, SENTENCE, [124, 500, 700, 36]),
    control(13, 'slider', 4, 'Sequence length', [1010, 100, 250, 42], { value: '8 192 tokens', position: 0.5, tip: 'How long' }),
    control(14, 'toggle', 4, 'Recompute', [1010, 150, 250, 30], { on: true }),
    control(15, 'menu', 4, 'Model', [1010, 190, 250, 36], { value: 'Llama 3' }),
    control(16, 'field', 4, 'Your answer', [1010, 230, 250, 36], { value: '12' }),
    control(17, 'choice', 5, 'Pipeline', [0, 100, 100, 72]),
    words('p', 6, 'Fits', [20, 570, 100, 14])], said: ['Not yet.'], focus: 0, plays: false };
showMirror(shown);
document.body.dataset.ringside = 'started';
""".replace("SENTENCE", repr(SENTENCE))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class MirrorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        for name in ("index.html", "mirror.js"):
            shutil.copy(ROOT / "app/page" / name, folder.name)
        (pathlib.Path(folder.name) / "ringside.js").write_text(PROGRAM, encoding="utf-8")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder.name))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.shutdown)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,800"):
            options.add_argument(argument)
        cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        cls.addClassCleanup(cls.browser.quit)
        cls.address = f"http://127.0.0.1:{server.server_port}/"

    def setUp(self):
        self.browser.get(self.address)
        WebDriverWait(self.browser, 30).until(lambda b: b.execute_script("return document.body.dataset.ringside"))

    def does(self, script):
        return self.browser.execute_script(script)

    def tree(self):
        nodes = self.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [(n["role"]["value"], str(n.get("name", {}).get("value", ""))) for n in nodes if not n.get("ignored")]

    def test_a_screen_reader_gets_landmarks_headings_and_controls_by_name(self):
        tree = self.tree()
        for part in (("banner", ""), ("main", ""), ("region", "In words"), ("complementary", "Scenario"), ("navigation", "Views"),
                     ("contentinfo", ""), ("heading", "What fills the memory?"), ("button", "Memory"), ("slider", "Sequence length"),
                     ("switch", "Recompute"), ("button", "Model: Llama 3"), ("textbox", "Your answer"), ("StaticText", SENTENCE),
                     ("StaticText", "Not yet.")):
            self.assertIn(part, tree)
        self.assertNotIn(("heading", "Memory"), tree)  # which its button says
        self.assertEqual(self.does("return document.querySelector('input[type=range]').getAttribute('aria-valuetext')"), "8 192 tokens")

    def test_what_it_does_to_them_is_done_in_the_picture(self):
        self.does("""document.querySelector('[aria-label=Pipeline]').click();
            const type = (field, value) => { field.value = value; field.dispatchEvent(new Event('input', { bubbles: true })); };
            type(document.querySelector('#mirror input[type=text]'), '3');
            type(document.querySelector('#mirror input[type=range]'), 60);
            document.querySelector('[aria-label=Memory]').focus();""")
        self.assertEqual(self.does("return calls"), [["ringside_press", 17], ["ringside_write", 16, "3"], ["ringside_step", 13, 1], ["ringside_focus", 4000000012]])

    def test_what_stays_is_kept_and_the_focus_goes_where_the_pictures_goes(self):
        self.does("""window.slider = document.querySelector('#mirror input[type=range]');
            shown.parts.splice(4, 1); shown.parts[5].value = '9 000 tokens'; shown.said = ['Right.']; shown.focus = 13; showMirror(shown);""")
        self.assertTrue(self.does("return slider.isConnected && document.activeElement === slider"))
        self.assertEqual(self.does("return [slider.getAttribute('aria-valuetext'), document.getElementById('said').textContent]"), ["9 000 tokens", "Right."])
        self.assertNotIn("weights 16.1 GB", self.does("return document.getElementById('mirror').textContent"))
        self.assertEqual(self.does("return calls"), [])  # it followed, nobody moved it
        changes = self.browser.execute_async_script("""const all = [];
            new MutationObserver((some) => all.push(...some.map(({ target, attributeName, type }) => `${type} ${attributeName} ${target.outerHTML}`))).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
            showMirror(shown); setTimeout(() => arguments[0](all), 50);""")
        self.assertEqual(changes, [])

    def test_words_are_found_where_they_stand_and_a_sentence_is_copied(self):
        self.assertTrue(self.does("return find('does not fit')"))
        box = self.does("const box = getSelection().getRangeAt(0).getBoundingClientRect(); return [box.x, box.y]")
        self.assertTrue(124 < box[0] < 824 and 490 < box[1] < 540, box)
        self.does("getSelection().empty(); document.addEventListener('copy', () => { window.copied = String(getSelection()); });"
                  "addEventListener('keydown', (event) => { window.reached = event.key; event.preventDefault(); })")
        chain = ActionChains(self.browser)
        chain.w3c_actions.pointer_action.move_to_location(150, 510)
        chain.w3c_actions.pointer_action.double_click()
        chain.perform()
        ActionChains(self.browser).key_down(Keys.CONTROL).send_keys("c").key_up(Keys.CONTROL).perform()
        self.assertEqual(self.does("return window.copied"), SENTENCE)
        self.assertNotEqual(self.does("return window.reached"), "c")  # or the program would copy its scenario

    def test_nobody_sees_it_and_the_picture_gets_what_is_pressed(self):
        self.assertEqual(self.does("return [[150, 510], [20, 120], [1020, 110]].map(([x, y]) => document.elementFromPoint(x, y).id)"), ["canvas"] * 3)
        self.assertEqual(self.does("return getComputedStyle(document.querySelector('#caption p')).color"), "rgba(0, 0, 0, 0)")

    def test_a_print_has_title_and_sentence(self):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            self.assertEqual(self.does("""return [...document.querySelectorAll('#mirror *')].filter((node) => node.matches('h1, p, button, input') && node.getClientRects().length)
                .map((node) => [node.textContent, getComputedStyle(node).color])"""), [["What fills the memory?", "rgb(0, 0, 0)"], [SENTENCE, "rgb(0, 0, 0)"]])
        finally:
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
