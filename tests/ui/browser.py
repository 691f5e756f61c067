"""A headless Chromium, driven over the DevTools protocol: what a person sees, types and clicks.

Clicks and keys go through the browser's own input events at the place where the element is drawn,
so that an element which nobody could see or reach cannot be pressed either.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
from websockets.sync.client import connect

from tests.waiting import wait_for

SIZE = "1280,1000"
QUIET = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--no-first-run",
    "--hide-scrollbars",
)  # fmt: skip
# The smallest element that is drawn and says the text; its own words count, not its children's.
FIND = """
(text, tags) => {
  const says = one => [one.innerText, one.placeholder, one.getAttribute('aria-label')]
    .some(words => (words || '').trim() === text);
  const drawn = one => { const box = one.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(one).visibility !== 'hidden'; };
  const found = [...document.querySelectorAll(tags || '*')].filter(one => says(one) && drawn(one));
  const open = found.filter(one => one.closest('[role=dialog],[role=menu],[role=listbox]'));
  return (open.length ? open : found).pop();
}
"""


def program() -> str | None:
    """Where Chromium is, or None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page of one browser; everything waits until it is there."""

    def __init__(self, folder: Path) -> None:
        binary = program()
        assert binary is not None, "no chromium on this machine"
        self._process = subprocess.Popen(
            [
                binary, *QUIET, f"--window-size={SIZE}", f"--user-data-dir={folder}",
                "--remote-debugging-port=0", "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        port_file = folder / "DevToolsActivePort"
        port = wait_for(
            lambda: port_file.is_file() and port_file.read_text().split("\n")[0], "the browser"
        )
        pages = httpx.get(f"http://127.0.0.1:{port}/json/list").json()
        address = next(page for page in pages if page["type"] == "page")["webSocketDebuggerUrl"]
        self._socket = connect(address, max_size=2**26, ping_interval=None)
        self._calls = 0
        self.problems: list[str] = []  # what the page's own scripts complained of
        for domain in ("Page", "Runtime"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(30)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol; its result."""
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=60))
            if answer.get("method") == "Runtime.exceptionThrown":
                self.problems.append(json.dumps(answer["params"])[:500])
            if answer.get("id") == self._calls:
                assert "error" not in answer, (method, answer["error"])
                return dict(answer["result"])

    def evaluate(self, script: str) -> Any:
        """What a piece of JavaScript gives."""
        given = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in given, given["exceptionDetails"]
        return given["result"].get("value")

    def open(self, address: str) -> None:
        """Go to an address."""
        self.call("Page.navigate", url=address)
        wait_for(lambda: self.evaluate("document.readyState") == "complete", f"{address} to load")

    def address(self) -> str:
        """Where the browser is."""
        return str(self.evaluate("location.href"))

    def text(self) -> str:
        """Every word that is on the page."""
        return str(self.evaluate("document.body ? document.body.innerText : ''"))

    def sees(self, text: str, seconds: float = 30.0) -> None:
        """Wait until the page says so."""
        try:
            wait_for(lambda: text in self.text(), f"{text!r} on the page", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; the page says: {self.text()[:2500]}") from error

    def sees_soon(self, text: str, seconds: float) -> bool:
        """Whether the page says so within this time."""
        try:
            self.sees(text, seconds)
        except AssertionError:
            return False
        return True

    def left(self, text: str, seconds: float) -> bool:
        """Whether the page stops saying so within this time."""
        try:
            wait_for(lambda: text not in self.text(), f"the end of {text!r}", seconds)
        except AssertionError:
            return False
        return True

    def click(self, text: str, tags: str = "") -> None:
        """Click what says exactly this: its text, its placeholder or its label for the blind."""
        self._click(f"({FIND})({json.dumps(text)}, {json.dumps(tags)})", text)

    def click_text_within(self, text: str, tags: str) -> None:
        """Click the first element whose text holds this."""
        self._click(
            f"[...document.querySelectorAll({json.dumps(tags)})]"
            f".find(one => one.innerText.includes({json.dumps(text)}))",
            text,
        )

    def click_at(self, selector: str) -> None:
        """Click the first element that a CSS selector finds."""
        self._click(f"document.querySelector({json.dumps(selector)})", selector)

    def _click(self, element: str, what: str) -> None:
        # A message stays in front of what is below it for as long as the mouse rests on it.
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        place = wait_for(lambda: self._place(element), f"{what!r} to click on", 30)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1],
                button="left", clickCount=1,
            )  # fmt: skip

    def _place(self, element: str) -> list[float] | None:
        """The middle of an element, once it is drawn, enabled, at rest and in front."""
        script = f"""(async () => {{
          const one = {element};
          if (!one || one.closest('[disabled]')) return null;
          one.scrollIntoView({{block: 'center'}});
          const box = () => one.getBoundingClientRect().toJSON();
          const first = box();
          await new Promise(done => setTimeout(done, 300));
          const then = box();
          if (!then.width || first.x !== then.x || first.y !== then.y) return null;
          const middle = [then.x + then.width / 2, then.y + then.height / 2];
          const front = document.elementFromPoint(...middle);
          return front && (one.contains(front) || front.contains(one)) ? middle : null;
        }})()"""
        place = self.evaluate(script)
        return None if place is None else list(place)

    def type(self, text: str) -> None:
        """Replace what stands in the field that has the focus."""
        self.evaluate("document.activeElement.select && document.activeElement.select()")
        self.call("Input.insertText", text=text)

    def fill(self, label: str, text: str) -> None:
        """Type into the field that belongs to a label."""
        field = f"""[...document.querySelectorAll('label')]
          .filter(one => one.innerText.replace('(Optional)', '').trim() === {json.dumps(label)})
          .map(one => document.getElementById(one.htmlFor)).filter(one => one).pop()"""
        self._click(field, label)
        self.type(text)

    def size(self, height: int, width: int = 1280) -> None:
        """Draw the page as in a window of this size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def picture(self, file: Path) -> None:
        """A picture of what is shown, once it rests; the graph of a run that lives never does."""
        self.evaluate("document.activeElement.blur()")
        before, shot = b"", self._shot()
        for _ in range(6):
            if shot == before:
                break
            self.evaluate("new Promise(done => setTimeout(done, 700))")
            before, shot = shot, self._shot()
        file.write_bytes(shot)

    def _shot(self) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])
