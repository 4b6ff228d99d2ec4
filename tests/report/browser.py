"""A headless Chromium, driven over --remote-debugging-pipe: messages are JSON, each ended by a zero byte."""

import base64
import collections
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio",
    "--remote-debugging-pipe",
]


class BrowserError(Exception):
    pass


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return None


class Browser:
    """One page in one browser with a fresh profile. Use as a context manager."""

    def __init__(self, executable, timeout=120):
        self._timeout = timeout
        self._profile = tempfile.mkdtemp(prefix="pilfer-report-")
        self.events = collections.deque()
        self._buffer = b""
        self._next = 0
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        def as_three_and_four():  # the numbers that the browser expects
            # First out of the way: a pipe may have one of these numbers already.
            reader, writer = os.dup(to_read), os.dup(to_write)
            spare_reader, spare_writer = os.dup(reader), os.dup(writer)
            os.dup2(spare_reader, 3)
            os.dup2(spare_writer, 4)

        self._process = subprocess.Popen(
            [executable, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=as_three_and_four, close_fds=False)
        os.close(to_read)
        os.close(to_write)
        self._session = None
        target = self._first_page()
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def _first_page(self):
        deadline = time.monotonic() + self._timeout
        while time.monotonic() < deadline:
            for target in self.call("Target.getTargets")["targetInfos"]:
                if target["type"] == "page":
                    return target["targetId"]
            time.sleep(0.1)
        raise BrowserError("the browser has no page")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._write)
        os.close(self._read)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _message(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise BrowserError("the browser does not answer")
            piece = os.read(self._read, 1 << 16)
            if not piece:
                raise BrowserError("the browser has ended")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self._next += 1
        message = {"id": self._next, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data):]
        deadline = time.monotonic() + self._timeout
        while True:
            answer = self._message(deadline)
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open(self, url):
        """Loads a page and returns what it complained about and asked for since."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + self._timeout
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            message = self._message(deadline)
            if "method" in message:
                self.events.append(message)

    def complaints(self):
        """Errors and warnings of the console, exceptions, and the log."""
        found = []
        for event in self.events:
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def resize(self, width, height, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if mobile else 1,
                  mobile=mobile)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def allow_scripts(self, allowed):
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def screenshot(self, path, top=0, height=None):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        height = min(height or size["height"], size["height"] - top)
        clip = {"x": 0, "y": top, "width": size["width"], "height": height, "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
