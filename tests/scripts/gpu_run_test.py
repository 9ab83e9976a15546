#!/usr/bin/env python3
"""Tests tests/gpu/run without a GPU: it writes its file and reports a failure. With fake programs: if a test fails, crashes or hangs,
a tool is missing or a measurement breaks off, everything else is still in the file."""
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

script = Path(__file__).resolve().parents[1] / "gpu/run"
sys.path.insert(0, str(script.parent))
loader = importlib.machinery.SourceFileLoader("gpu_run", str(script))
gpu_run = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_run", loader))
loader.exec_module(gpu_run)

# The time limits: 8 minutes in all, of which the sanitizer always has 100 s.
kept = [(name, seconds) for name, seconds, _ in gpu_run.STAGES]
until = gpu_run.ends(kept, 480)
assert kept[-1] == ("sanitizer", 100) and sum(seconds for _, seconds in kept) <= 480, kept
assert until["sanitizer"] == 480 and until["peers"] == 380 and until["build"] >= 140, until
assert list(until.values()) == sorted(until.values())
assert all(until[name] - (until[before] if before else 0) >= seconds for (name, seconds), before in zip(kept, [None, *until])), until
assert gpu_run.ends([("tests", 60), ("sanitizer", 100)], 480) == {"tests": 380, "sanitizer": 480}
assert gpu_run.ends(kept, 48)["sanitizer"] == 48 and abs(gpu_run.ends(kept, 48)["peers"] - 38) < 1e-9, "shared out alike"

# What is measured: every precision, every shape asked for, and PyTorch and Headlight in one run.
asked = [" ".join(str(word) for word in command) for command, *_ in gpu_run.measurements(Path("/b"))]
for precision in ("f32", "tf32", "bf16"):
    for wanted in ("bench sdpa", "bench isdpa", "--heads 8", "--pad-index 0", "--vocab 16384", "--length 512"):
        assert any(wanted in line and f"--precision {precision}" in line for line in asked), (wanted, precision)
assert any("bench forward --backend cuda,cpu" in line for line in asked)
assert not any("--mode" in line for line in asked), "both modes"
peers = [" ".join(str(word) for word in command) for command, _ in gpu_run.comparisons(Path("/b"))]
assert all("--headlight /b/bin/headlight" in line for line in peers if "isdpa_torch" in line) and "attention_torch" in peers[0]


def run(build, *options, env=None):
    out = Path(build) / "result.json"
    out.unlink(missing_ok=True)
    done = subprocess.run([sys.executable, script, "--build", build, "--log", Path(build) / "run.log", "--commit", "abc123", "--out", out,
                           *options], capture_output=True, text=True, timeout=250, env={**os.environ, **(env or {})})
    print(done.stdout[-3000:], done.stderr[-2000:])
    return done, json.loads(out.read_text())


def program(build, name, text):
    path = Path(build) / "bin" / name
    path.parent.mkdir(exist_ok=True)
    # About a hundred of them start: -S leaves out the installed packages, which none needs.
    path.write_text("#!/usr/bin/env -S python3 -S\nimport json, os, signal, sys, time\n" + text)
    path.chmod(0o755)


INFO = """
print(json.dumps({"backends": [{"id": "cpu", "available": True, "device": "CPU", "why": ""},
                               {"id": "cuda", "available": %s, "device": "Pretended GPU, 8 GB, compute 9.0, CUDA 13.0, driver for 13.0",
                                "why": "no GPU: this machine has no NVIDIA driver"}]}))
"""
BENCH = """
row = {"what": "isdpa", "variant": "layer:index", "mode": "cached", "precision": "float32", "median_s": 1e-5, "sizes": {"words": 5}}
if "info" in sys.argv:
    exec(INFO)
elif "forward" in sys.argv:
    sys.exit(3)
else:
    print(json.dumps([row]))
""".replace("exec(INFO)", INFO.strip().replace("\n", "\n    ") % "True")
TESTS = """
names = ["cuda_linear", "cuda_tf32_linear", "cuda_attention", "cuda_bf16_attention", "cuda_gather", "cuda_emulated_gather"]
suite = "Backends/Conformance.AgreesWithReference/"
if "--gtest_list_tests" in sys.argv:
    print("Backends/Conformance.")
    for name in names: print("  AgreesWithReference/" + name + "  # GetParam() = 4")
    sys.exit()
wanted = [a for a in sys.argv if a.startswith("--gtest_filter=")][0].split("=", 1)[1].split(":")
for name in wanted:
    print("[ RUN      ] " + name, flush=True)
    if name.endswith("cuda_attention"): os.kill(os.getpid(), signal.SIGSEGV)
    if name.endswith("bf16_attention"): time.sleep(1000)
    if name.endswith("tf32_linear"):
        print("values differ\\n[  FAILED  ] " + name + ", where GetParam() = 4 (7 ms)")
        sys.exit(1)
    print("[       OK ] " + name + " (3 ms)")
"""
GPU_BENCH = """
row = {"what": "attention", "variant": "headlight:maps", "mode": "per-call", "precision": "bf16", "median_s": 2e-5, "sizes": {"length": 1024}}
print("[\\n" + json.dumps(row) + "\\n," + json.dumps({**row, "precision": "tf32"}), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""

# If a stage breaks off, or has no time left, the next one still runs.
with tempfile.TemporaryDirectory() as build:
    class Options:
        build, log, budget, commit, out = Path(build) / "b", None, 10, "abc123", Path(build) / "result.json"
    stages, seen = gpu_run.Run(Options), []
    stages.stage("build", 2, lambda: 1 // 0)
    stages.stage("tests", 0.5, lambda: seen.append("tests"))
    stages.stage("sanitizer", 9, lambda: seen.append("sanitizer"))
    assert seen == ["sanitizer"], seen
    assert stages.problems == ["build broke off: ZeroDivisionError: integer division or modulo by zero", "no time was left for tests"], stages.problems
    assert json.loads(Options.out.read_text())["problems"] == stages.problems and stages.left() > 0

with tempfile.TemporaryDirectory() as build:
    program(build, "headlight", INFO % "False")
    program(build, "gpu_tests", TESTS.replace('print("[       OK ]', 'print("[  SKIPPED ]').replace("if name.endswith", "if 0 and name.endswith"))
    program(build, "gpu_bench", GPU_BENCH)
    done, result = run(build, "--only", "identify,tests,benchmarks,peers,sanitizer")
    assert done.returncode == 1 and result["success"] is False
    assert result["tests"]["skipped"] == 14 and result["tests"]["on_gpu"] == 0, result["tests"]  # some again: products by the library and by ours, plain kernels
    assert any("no GPU was used: no GPU: this machine has no NVIDIA driver" in p for p in result["problems"])
    assert any("no test ran on a GPU" in p for p in result["problems"])
    assert result["commit"] == "abc123" and result["rows"] == [] and result["device"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", result["date"])

    program(build, "headlight", BENCH)
    program(build, "gpu_tests", TESTS)
    done, result = run(build, "--only", "identify,tests,benchmarks,peers,sanitizer", "--budget", "36",
                       env={"PATH": f"{build}/bin:" + os.environ["PATH"]})
    tests = result["tests"]
    assert done.returncode == 1 and result["success"] is False and result["finished"] is True
    assert result["device"].startswith("Pretended GPU") and result["cuda"] == "13.0"
    assert tests["passed"] >= 2 and tests["on_gpu"] == tests["passed"], tests
    failures = "\n".join(tests["failures"])
    assert "cuda_attention: ended the program with status -11" in failures, failures
    assert "cuda_bf16_attention: ran out of time" in failures, failures
    assert "cuda_tf32_linear: values differ" in failures, failures
    assert "emulated" not in failures
    assert any("tests failed" in p for p in result["problems"])
    assert len(result["goals"]) > 30 and {goal["verdict"] for goal in result["goals"]} == {"not measured"}, "a bf16 row alone shows nothing"
    assert "not measured" in done.stdout and "sanitizer" in result["seconds"], "the last stage has its time after a test that hung"

    done, result = run(build, "--only", "benchmarks,sanitizer", env={"PATH": os.environ["PATH"]})
    assert [row["what"] for row in result["rows"]] == ["attention", "attention", "isdpa"], result["rows"]  # what the one printed that was killed; the same row again replaces the first
    assert any("bench forward" in p and "status 3" in p for p in result["problems"]), result["problems"]
    assert any("gpu_bench --json (status -9, 2 rows)" in p for p in result["problems"]), result["problems"]
    assert result["sanitizer"] or any("compute-sanitizer is not installed" in p for p in result["problems"])

    done = subprocess.run([sys.executable, script, "--with", build, "--build", build], capture_output=True, text=True)
    assert done.returncode == 2 and "was not filled by --collect" in done.stderr
    done = subprocess.run([sys.executable, script, "--only", "tests,dance"], capture_output=True, text=True)
    assert done.returncode == 2 and "there is no stage dance" in done.stderr

    folder = Path(build) / "collected"
    collected = subprocess.run([sys.executable, script, "--collect", folder], capture_output=True, text=True)
    if collected.returncode == 0:
        for part in ("include/eigen3/Eigen/Core", "include/utf8proc.h", "include/zlib.h", "include/gtest/gtest.h", "lib/libz.a"):
            assert (folder / part).exists(), part
    else:
        assert "not installed" in collected.stderr or "dpkg" in collected.stderr, collected.stderr
