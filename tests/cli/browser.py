"""Debian's Chromium, headless, driven through chromedriver by the W3C WebDriver protocol."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import urllib.request

MISSING = next((name for name in ("chromium", "chromedriver") if not shutil.which(name)), None)


class Browser:
    """Use with `with`; a page that is opened replaces the one before."""

    def __init__(self, width=1280, height=900, dark=False):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        for line in self.driver.stdout:
            if "successfully on port" in line:
                self.port = int(line.split("on port")[1].strip(" .\n"))
                break
        arguments = ["--headless=new", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}",
                     "--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else []),
                     *(["--force-dark-mode"] if dark else [])]
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.stdout.close()
            self.driver.wait()

    def ask(self, verb, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=verb,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, path):
        self.ask("POST", self.session + "/url", {"url": pathlib.Path(path).resolve().as_uri()})

    def run(self, script, *arguments):
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def resize(self, width, height, phone=False):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def command(self, name, **parameters):
        return self.ask("POST", self.session + "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def point_at(self, x, y):
        """Moves the mouse to a place of the window."""
        self.ask("POST", self.session + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": round(x) - 2, "y": round(y) - 2},
            {"type": "pointerMove", "duration": 20, "x": round(x), "y": round(y)}]}]})

    def screenshot(self, path, whole=False):
        if whole:
            size = self.command("Page.getLayoutMetrics")["cssContentSize"]
            shot = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                                clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
            data = shot["data"]
        else:
            data = self.ask("GET", self.session + "/screenshot")
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def messages(self):
        """What the console said since the last time."""
        return [entry["message"] for entry in self.ask("POST", self.session + "/se/log", {"type": "browser"})]

    def requests(self):
        """Addresses that were asked for since the last time."""
        entries = self.ask("POST", self.session + "/se/log", {"type": "performance"})
        events = [json.loads(entry["message"])["message"] for entry in entries]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
