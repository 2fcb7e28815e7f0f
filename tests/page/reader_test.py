#!/usr/bin/env python3
"""The page by ear, by keyboard and by eye, in headless Chromium. usage: reader_test.py build/web

Names of tests may follow, behind the desktop program as page_test.py has it, or -.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_test import Opened, Quiet


def axe():
    """The script of axe-core: of the file that RINGSIDE_AXE names, else npm's; empty where there is neither npm nor a network."""
    if named := os.environ.get("RINGSIDE_AXE"):
        return pathlib.Path(named).read_text(encoding="utf-8")
    if not shutil.which("npm"):
        return ""
    with tempfile.TemporaryDirectory() as where:
        subprocess.run(["npm", "pack", "--silent", "axe-core@4.10.3"], cwd=where, capture_output=True, timeout=60)
        packages = list(pathlib.Path(where).glob("*.tgz"))
        return tarfile.open(packages[0]).extractfile("package/axe.min.js").read().decode() if packages else ""


class ReaderTest(Opened):
    """What a screen reader is told, in Chromium's accessibility tree, and the wishes of those who need more to see."""
    PLACES = ("#v=overview", "#v=memory", "#v=pipelines", "#v=study", "#v=planner", "#l=memory/1", "#q=model-state/easy")

    def tree(self):
        """(role, name, value) of each node."""
        def said(node, field):
            return str(node.get(field, {}).get("value", ""))
        nodes = self.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [(said(n, "role"), said(n, "name"), said(n, "value")) for n in nodes if not n.get("ignored")]

    def hear(self, role, words):
        """Once there is such a node: its value."""
        end = time.time() + 20
        while True:
            for kind, name, value in self.tree():
                if kind == role and words in name:
                    return value
            self.assertLess(time.time(), end, f"no {role} with {words!r} among {self.tree()}")
            time.sleep(0.1)

    def control(self, name):
        return self.browser.find_element(By.CSS_SELECTOR, f'#mirror [aria-label="{name}"]')

    def focus(self, control):
        self.browser.execute_script("arguments[0].focus()", control)
        self.settle()

    def test_title_caption_and_the_value_of_a_moved_slider_are_read(self):
        self.open("#v=memory")
        self.hear("heading", "emory")
        self.wait("return document.querySelector('#caption p')")
        caption = self.browser.execute_script("return document.querySelector('#caption p').textContent")
        self.assertTrue(caption.endswith("."), caption)
        self.hear("StaticText", caption[:20])
        name = next(name for role, name, _ in self.tree() if role == "slider")
        before, slider = self.hear("slider", name), self.control(name)
        words = slider.get_attribute("aria-valuetext")
        self.focus(slider)
        self.press(Keys.ARROW_RIGHT)
        self.wait("return document.activeElement.getAttribute('aria-valuetext') !== " + json.dumps(words))
        self.assertNotEqual(self.hear("slider", name), before)
        self.assertEqual(self.browser.execute_script("return document.activeElement.getAttribute('aria-label')"), name)

    def test_a_mirrored_button_is_pressed_by_keyboard_and_by_a_screen_reader(self):
        self.open("#v=memory")
        self.hear("button", "Pipeline")
        self.focus(self.control("Pipeline"))
        self.press(Keys.ENTER)
        self.wait("return location.hash.includes('v=pipelines')")
        self.hear("button", "Network")
        self.browser.execute_script("arguments[0].click()", self.control("Network"))
        self.wait("return !location.hash.includes('v=pipelines')")
        self.press(Keys.TAB)
        self.wait("return document.activeElement.dataset.id")  # the page's focus goes where the picture's goes

    def test_a_question_is_read_with_what_is_typed_and_its_verdict(self):
        self.open("#q=model-state/easy")
        self.hear("textbox", "")
        self.wait("return document.getElementById('mirror').textContent.includes('?')")
        self.browser.execute_script("const field = document.querySelector('#mirror input[type=text]'); field.value = '1';"
                                    "field.dispatchEvent(new Event('input', { bubbles: true }))")
        self.wait("return document.querySelector('#mirror input[type=text]').value === '1'")
        self.press(Keys.ENTER)
        self.wait("return document.getElementById('said').textContent.includes('Not yet')")
        self.hear("StaticText", "Not yet")

    def test_a_sentence_is_found_and_copied(self):
        self.open("#v=memory")
        self.wait("return document.querySelector('#caption p')")
        place = "const box = document.querySelector('#caption p').getBoundingClientRect(); return [box.x + 20, box.y + 8]"
        x, y = self.browser.execute_script(place)
        self.assertTrue(self.browser.execute_script("return window.find(document.querySelector('#caption p').textContent.slice(0, 30))"))
        self.browser.execute_script("getSelection().empty(); document.addEventListener('copy', () => { window.copied = String(getSelection()); })")
        chain = ActionChains(self.browser)
        chain.w3c_actions.pointer_action.move_to_location(int(x), int(y))
        chain.w3c_actions.pointer_action.double_click()
        chain.perform()
        self.act(ActionChains(self.browser).key_down(Keys.CONTROL).send_keys("c").key_up(Keys.CONTROL), 2)
        self.wait("return window.copied")
        self.assertEqual(*self.browser.execute_script("return [copied.trim(), document.querySelector('#caption p').textContent]"))

    def test_every_element_has_a_name_and_a_place(self):
        faults = """
            const all = (selector) => [...document.querySelectorAll(selector)];
            const shown = (node) => node.getClientRects().length > 0;
            const ids = all('[id]').map((node) => node.id);
            const marks = all('[role]').filter(shown).map((node) => node.getAttribute('role'));
            return [
                ...all('#mirror :is(button, input)').filter((node) => !node.getAttribute('aria-label').trim()).map((node) => 'no name: ' + node.outerHTML),
                ...all('#mirror :is(p, h1, h2)').filter((node) => !node.textContent.trim()).map((node) => 'empty: ' + node.outerHTML),
                ...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => 'twice: ' + id),
                ...['banner', 'main', 'navigation'].filter((mark) => marks.filter((other) => other === mark).length !== 1).map((mark) => 'landmark: ' + mark),
                ...(all('h1').filter(shown).length ? [] : ['no heading']),
                ...(document.documentElement.lang && document.title.length > 10 ? [] : ['no language or title']),
                ...all('[aria-hidden=true] :is(a, button, input)').map((node) => 'hidden control: ' + node.outerHTML)];"""
        for place in self.PLACES:
            self.open(place)
            self.wait("return document.querySelector('#title h1')")
            with self.subTest(place=place):
                self.assertEqual(self.browser.execute_script(faults), [])
                unnamed = [node for node in self.tree() if node[0] in ("button", "slider", "textbox", "switch", "heading") and not node[1].strip()]
                self.assertEqual([node for node in unnamed if node[0] != "textbox"], [])

    def test_axe_finds_no_serious_fault(self):
        script = axe()
        if not script:
            self.skipTest("axe-core comes from npm, and there is no npm or no network")
        for place in self.PLACES:
            self.open(place)
            self.wait("return document.querySelector('#title h1')")
            self.browser.execute_script(script)
            found = self.browser.execute_async_script("""axe.run().then(({ violations }) => arguments[0](violations
                .map(({ id, impact, nodes }) => [id, impact, nodes[0].html, nodes[0].failureSummary])))""")
            print(place, [each[:2] for each in found])
            with self.subTest(place=place):
                self.assertEqual([each for each in found if each[1] in ("serious", "critical")], [])

    def test_nothing_is_told_where_nothing_changes(self):
        self.open("#v=memory")
        self.wait("return document.body.dataset.work === 'done' && document.querySelector('#caption p')", 120)
        changes = [0]  # what it says of having opened a link goes by itself
        for _ in range(12):
            changes = self.browser.execute_async_script("""
                const changes = [];
                const watch = new MutationObserver((all) => changes.push(...all.map(({ target, type }) => `${type} of ${target.outerHTML || target.data}`)));
                watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
                setTimeout(() => { watch.disconnect(); arguments[0](changes); }, 1500);""")
            if not changes:
                break
        self.assertEqual(changes, [])

    def emulate(self, **wishes):
        media = [{"name": name.replace("_", "-"), "value": value} for name, value in wishes.items()]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})

    def test_more_contrast_is_given_where_the_system_asks_for_it(self):
        try:
            self.emulate(prefers_contrast="more", prefers_color_scheme="dark")
            self.forget()  # a theme that was kept stays
            self.open("#v=memory")
            self.assertEqual(self.settled_corner(), (0, 0, 0))
            self.emulate(prefers_contrast="more", prefers_color_scheme="light")  # while it is open
            self.settle()
            self.assertEqual(self.settled_corner(), (255, 255, 255))
            self.emulate(prefers_color_scheme="light")
            self.settle()
            self.assertNotEqual(self.settled_corner(), (255, 255, 255))
            self.emulate(forced_colors="active", prefers_color_scheme="dark")
            self.settle()
            self.assertEqual(self.settled_corner(), (0, 0, 0))
            self.assertFalse(json.loads(self.kept_file("settings.json") or "{}").get("high_contrast"))
        finally:
            self.emulate()

    def settled_corner(self):
        """The window's ground, beside the title."""
        self.settle()
        return self.picture().getpixel((112, 70))

    def test_with_reduced_motion_a_view_that_plays_rests(self):
        try:
            self.emulate(prefers_reduced_motion="reduce")
            self.open("#v=experts")
            self.wait("return whole.then(() => true)")
            self.wait("return tally.asked === tally.drawn")
            before = self.drawn()
            time.sleep(1.5)
            self.assertLessEqual(self.drawn() - before, 3)
        finally:
            self.emulate()

    def test_what_is_printed_is_the_picture_with_its_caption(self):
        self.open("#v=memory")
        self.wait("return document.querySelector('#caption p')")
        try:
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            shown = self.browser.execute_script("""return [...document.querySelectorAll('#mirror :is(h1, p)')].filter((node) => node.getClientRects().length)
                .map((node) => [node.textContent, getComputedStyle(node).color])""")
            self.assertGreaterEqual(len(shown), 2)
            self.assertEqual({colour for _, colour in shown}, {"rgb(0, 0, 0)"})
            self.assertIn(self.browser.execute_script("return document.querySelector('#caption p').textContent"), [words for words, _ in shown])
        finally:
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def test_the_bar_counts_all_that_comes_before_the_first_frame(self):
        self.forget()
        Quiet.rest_takes = 1.5
        try:
            self.browser.execute_cdp_cmd("Page.navigate", {"url": f"{self.origin}/?bar#v=memory"})
            self.wait("return typeof got === 'object' && got['ringside.data'] > 0 && got['ringside.wasm'] > 0")
            part, missing = self.browser.execute_script("return [progress.value, needed.filter((file) => !got[file])]")
            self.assertIn("rest.json", missing)
            self.assertLess(part, 90)
            self.wait("return document.body.dataset.ringside === 'started'")
            self.assertGreater(self.browser.execute_script("return progress.value"), 99.9)
        finally:
            Quiet.rest_takes = 0

    def test_the_list_of_keys_names_none_that_the_browser_keeps(self):
        self.open("#v=memory")
        self.press("?")
        self.wait("return document.getElementById('mirror').textContent.includes('Ctrl K')")
        keys = self.browser.execute_script("return [...document.querySelectorAll('#mirror p')].map((node) => node.textContent)")
        self.assertIn("F1", keys)
        self.assertEqual({"F5", "F11", "Ctrl L", "Ctrl 0", "Ctrl Q", "Ctrl Shift S"} & set(keys), set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
