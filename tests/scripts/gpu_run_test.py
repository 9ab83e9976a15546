#!/usr/bin/env python3
"""tests/gpu/run where there is no GPU: it writes its file, counts what was skipped, and does not call that a success."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

program, build = Path(sys.argv[1]), Path(sys.argv[2])
script = Path(__file__).resolve().parents[1] / "gpu/run"
info = json.loads(subprocess.run([program, "info", "--json"], capture_output=True, text=True, check=True).stdout)
cuda = next(b for b in info["backends"] if b["id"] == "cuda")
if cuda["available"]:
    print("skipped: this machine has a GPU; tests/gpu/run itself is the test there")
    sys.exit(77)
assert cuda["why"], "an unavailable device says why"

with tempfile.TemporaryDirectory() as folder:
    out = Path(folder) / "results.json"
    done = subprocess.run([sys.executable, script, "--no-build", "--build", build, "--commit", "abc123", "--out", out], capture_output=True,
                          text=True)
    assert done.returncode == 1, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    result = json.loads(out.read_text())
    assert result["success"] is False and "NO SUCCESS" in done.stdout
    assert result["commit"] == "abc123" and result["device"] is None
    assert result["tests"]["failed"] == 0, result["tests"]["failures"]
    assert result["tests"]["skipped"] >= 8 and result["tests"]["passed"] >= 30, result["tests"]
    assert any("no test ran on a GPU" in p for p in result["problems"]), result["problems"]
    assert any(cuda["why"] in p for p in result["problems"]), result["problems"]
    assert result["rows"] == [] and result["sanitizer"] == {}

    wrong = subprocess.run([sys.executable, script, "--with", folder], capture_output=True, text=True)
    assert wrong.returncode == 2 and "was not filled by --collect" in wrong.stderr, wrong.stderr

    folder_of_headers = Path(folder) / "collected"
    collected = subprocess.run([sys.executable, script, "--collect", folder_of_headers], capture_output=True, text=True)
    if collected.returncode == 0:
        for part in ("include/eigen3/Eigen/Core", "include/utf8proc.h", "include/zlib.h", "include/gtest/gtest.h", "lib/libz.a"):
            assert (folder_of_headers / part).exists(), part
    else:
        assert "not installed" in collected.stderr or "dpkg" in collected.stderr, collected.stderr
