"""Drops an image on the page of a server, in headless Chromium, and compares what is drawn with what `predict` wrote of the image.

usage: page_in_chromium.py PORT IMAGE PREDICTED.json [PICTURES]

PICTURES: a folder for pictures of the page, light and dark.
"""
import base64
import io
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

import numpy
from PIL import Image
from pycocotools import mask as coco_mask

PATIENCE = 60  # seconds
MASK_WEIGHT = 0.45


class Browser:
    """A page of Chromium, told what to do by its protocol for developers through a pair of pipes."""

    def __init__(self, folder):
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        line = f'exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking ' \
               f'--no-first-run --user-data-dir="$0" --remote-debugging-pipe about:blank 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(["bash", "-c", line, folder], pass_fds=(to_browser, from_browser),
                                        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": folder})
        os.close(to_browser)
        os.close(from_browser)
        self.received, self.number, self.session = b"", 0, None
        target = next(each for each in self.ask("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next_message()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def next_message(self):
        while b"\0" not in self.received:
            assert select.select([self.answers], [], [], PATIENCE)[0], "Chromium does not answer"
            more = os.read(self.answers, 1 << 20)
            assert more, "Chromium has ended"
            self.received += more
        message, _, self.received = self.received.partition(b"\0")
        return json.loads(message)

    def evaluate(self, script):
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_for(self, script):
        until = time.monotonic() + PATIENCE
        while not (value := self.evaluate(script)):
            assert time.monotonic() < until, (script, self.evaluate("document.body.innerText"))
            time.sleep(0.05)
        return value

    def close(self):
        self.process.kill()
        self.process.wait()


def drop(browser, image):
    x, y = browser.evaluate('(() => { const box = byId("drop").getBoundingClientRect(); return [box.x + 20, box.y + 20]; })()')
    data = {"items": [], "files": [str(image)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.ask("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)


def drawn(browser):
    url = browser.evaluate('byId("canvas").toDataURL("image/png")')
    return numpy.array(Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGB"), dtype=float)


def set_score(browser, score):
    browser.evaluate(f'byId("score").value = {score}; byId("score").dispatchEvent(new Event("input"))')


def near_box(shape, box):
    """Pixels that the line along the box may touch."""
    x, y, width, height = box
    line = max(1.0, shape[1] / 500) + 1
    columns, rows = numpy.meshgrid(numpy.arange(shape[1]) + 0.5, numpy.arange(shape[0]) + 0.5)
    dx = numpy.minimum(abs(columns - x), abs(columns - x - width))
    dy = numpy.minimum(abs(rows - y), abs(rows - y - height))
    within = (columns > x - line) & (columns < x + width + line) & (rows > y - line) & (rows < y + height + line)
    return within & ((dx <= line) | (dy <= line))


def check_detection(browser, index, found, original):
    """What is chosen alone: its mask is tinted, and nothing beyond it and its box is."""
    browser.evaluate(f'byId("table").rows[{index}].click()')
    picture = drawn(browser)
    browser.evaluate(f'byId("table").rows[{index}].click()')
    mask = coco_mask.decode(found["segmentation"]).astype(bool)
    line = near_box(mask.shape, found["bbox"])
    outside = ~mask & ~line
    assert (picture[outside] == original[outside]).all(), f"something is drawn beyond detection {index}"
    inside = mask & ~line
    if inside.any():
        colour = (picture[inside] - (1 - MASK_WEIGHT) * original[inside]) / MASK_WEIGHT
        assert colour.std(axis=0).max() < 4, f"the mask of detection {index} is not tinted evenly"


def check(browser, image, predicted):
    original = numpy.array(Image.open(image).convert("RGB"), dtype=float)
    drop(browser, image)
    browser.wait_for('byId("said").textContent.includes("detections")')
    set_score(browser, 0)
    rows = browser.evaluate('[...byId("table").rows].map(row => [row.cells[1].textContent, row.cells[2].textContent])')
    assert len(rows) == len(predicted) > 0, (rows, predicted)
    for index, (row, found) in enumerate(zip(rows, predicted)):
        assert row[0] and not row[0].startswith("class "), row
        assert abs(float(row[1]) - found["score"]) <= 0.0005, (row, found)
        check_detection(browser, index, found, original)
    set_score(browser, 1)
    assert browser.evaluate('byId("table").rows.length') == 0
    assert (drawn(browser) == original).all(), "without detections the image is as it is"


def take_pictures(browser, folder):
    set_score(browser, 0.3)
    for scheme in ("light", "dark"):
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        png = browser.ask("Page.captureScreenshot", format="png")["data"]
        (folder / f"page-{scheme}.png").write_bytes(base64.b64decode(png))


def main():
    port, image, predictions, *pictures = sys.argv[1:]
    image = pathlib.Path(image).resolve()
    predicted = [each for each in json.loads(pathlib.Path(predictions).read_text()) if pathlib.Path(each["file_name"]).name == image.name]
    predicted.sort(key=lambda each: -each["score"])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            browser.ask("Page.enable")
            browser.ask("Page.navigate", url=f"http://127.0.0.1:{port}/")
            browser.wait_for('document.readyState === "complete" && typeof byId === "function" && Object.keys(names).length > 0')
            check(browser, image, predicted)
            for each in pictures:
                take_pictures(browser, pathlib.Path(each))
        finally:
            browser.close()


if __name__ == "__main__":
    main()
