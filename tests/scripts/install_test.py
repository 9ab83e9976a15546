"""An installed Headlight runs from anywhere and uses the installed assets: install_test.py PROGRAM BUILD_FOLDER."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[2])
environment = {name: value for name, value in os.environ.items() if not name.startswith("HEADLIGHT_")}


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **{"env": environment, **options})
    assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stderr}"
    return done.stdout


with tempfile.TemporaryDirectory() as scratch:
    environment["HEADLIGHT_CONFIG_DIR"] = f"{scratch}/config"
    first = pathlib.Path(scratch) / "first"
    run("cmake", "--install", str(build), "--prefix", str(first))
    # Moved after the installation: the program must not depend on its first place.
    prefix = pathlib.Path(scratch) / "a prefix with spaces"
    shutil.move(first, prefix)
    program = str(prefix / "bin" / "headlight")

    info = json.loads(run(program, "info", "--json", cwd="/"))
    assets = info["assets"]["folder"]
    assert assets == str(prefix / "share" / "headlight"), f"the assets in use are {assets}, not the installed ones"

    text = "a fluffy blue creature"
    tokens = json.loads(run(program, "tokenize", "--tokenizer", "words", "--json", text, cwd="/"))["tokens"]
    slices = [text.encode()[token["start"]:token["end"]].decode() for token in tokens if token["end"] > token["start"]]
    assert "fluffy" in slices and "creature" in slices, slices

    # The Python package finds the program of its own prefix.
    if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True).returncode == 0:
        found = run(sys.executable, "-c", "import headlight; print(headlight.program(), headlight.tokenize('a blue', 'words').pieces)", cwd="/",
                    **{"env": {**environment, "PATH": "/nonexistent", "PYTHONPATH": str(prefix / "lib/python3/dist-packages")}})
        assert found.strip().startswith(program + " [") and "blue" in found, found

    if (prefix / "share" / "applications").exists():
        entry = (prefix / "share/applications/headlight.desktop").read_text()
        assert "Exec=headlight" in entry
        opens = (prefix / "share/applications/headlight-open.desktop").read_text()
        kind = (prefix / "share/mime/packages/headlight.xml").read_text()
        assert "Exec=headlight open %f" in opens and "MimeType=application/x-headlight-session;" in opens, opens
        assert 'type="application/x-headlight-session"' in kind and "*.headlight" in kind, kind
        for icon in ("scalable/apps/headlight.svg", "256x256/apps/headlight.png"):
            assert (prefix / "share/icons/hicolor" / icon).stat().st_size > 0, icon
print("installed, moved, ran")
