#!/usr/bin/env python3
"""Tests the command headlight bench: the form of its rows, sweeps, modes, and one clear sentence for each error.

usage: bench_cli_test.py HEADLIGHT BUILD_FOLDER
"""
import json
import subprocess
import sys

program = sys.argv[1]
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments):
    return subprocess.run([program, "bench", *arguments], capture_output=True, text=True)


SMALL = ["--words", "6", "--length", "5", "--vocab", "9", "--d", "16", "--seconds", "1"]


def rows(*arguments, small=SMALL):
    done = run(*arguments, *small, "--json")
    check(done.returncode == 0, f"{arguments}: exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout) if done.returncode == 0 else []


def refused(says, *arguments):
    done = run(*arguments)
    check(done.returncode == 2, f"{arguments}: exit status {done.returncode}, not 2")
    check(done.stdout == "", f"{arguments}: printed {done.stdout!r}")
    check(done.stderr.count("\n") == 1 and says in done.stderr, f"{arguments}: {done.stderr!r} does not say {says!r}")


everything = rows("isdpa")
stages = {row["variant"].split(":")[0] for row in everything}
check(stages == {"q", "qk", "layer", "combiner"}, f"the stages are {stages}")
for row in everything:
    name = f"{row['variant']} {row['mode']}"
    check(row["sizes"]["words"] == 6 and row["sizes"]["d"] == 16 and row["runs"] >= 1, f"{name}: sizes or runs")
    check(0 < row["p10_s"] <= row["median_s"] <= row["p90_s"] <= row["p99_s"], f"{name}: percentiles out of order")
    check(row["error"]["relative"] < 1e-5, f"{name}: error {row['error']}")
    check(row["flops"] > 0 and row["bytes"] > 0, f"{name}: nothing counted")
    share = row["achieved"]["flops_per_s"] / row["ceilings"]["flops_per_s"]
    check(abs(share - row["achieved"]["of_matrix_ceiling"]) <= 1e-9 * max(1, share), f"{name}: the share of the ceiling is another")
index = {row["mode"] for row in everything if row["variant"] == "layer:index"}
written = {row["mode"] for row in everything if row["variant"] == "layer:distinct-folded"}
check(index == written == {"per-call", "cached"}, f"modes: {index} and {written}")

swept = rows("isdpa", "--stage", "layer", "--mode", "cached", "--sweep", "length=1..4", "--pad-index", "0")
check(sorted({row["sizes"]["length"] for row in swept}) == [1, 2, 4], "the sweep doubles from 1 to 4")
check({row["mode"] for row in swept} == {"cached"}, "only what was asked for")
check({row["sizes"].get("pad_index") for row in swept} == {0}, "rows with padding say so")
check(not any("pad_index" in row["sizes"] for row in everything), "rows without padding say nothing of it")
check({row["sizes"]["heads"] for row in rows("isdpa", "--stage", "layer", "--sweep", "heads=1,8")} == {1, 8}, "heads 1 and 8")
check({row["mode"] for row in rows("sdpa", "--mode", "cached", "--heads", "2")} == {"cached"}, "sdpa has modes, too")
pooled = rows("sdpa", "--stage", "pooled", "--pad-index", "0", "--d", "33", small=["--length", "5", "--seconds", "1"])
check({row["variant"] for row in pooled} == {"pooled:fused", "pooled:first"}, f"sdpa's pooled output: {pooled}")
check({row["sizes"]["heads"] for row in pooled} == {3}, "heads that nobody asked for divide d")
for row in everything:
    check(isinstance(row["bytes"], int) and isinstance(row["flops"], int), f"{row['variant']}: no part of a byte")
for stage in ("q", "qk"):
    check({row["variant"] for row in rows("isdpa", "--stage", stage, "--mode", "cached")} == {f"{stage}:index", f"{stage}:direct"},
          f"{stage}: with fixed weights there is something to compare with")

forward = run("forward", "--layers", "2", "--d", "16", "--heads", "2", "--tokens", "12", "--seconds", "1", "--backend", "cpu,reference", "--json")
check(forward.returncode == 0, f"forward: exit status {forward.returncode}: {forward.stderr}")
runs = json.loads(forward.stdout) if forward.returncode == 0 else []
check([row["backend"] for row in runs] == ["cpu", "reference"], "forward: a row a backend, in the order asked for")
for row in runs:
    check(row["what"] == "forward" and row["mode"] == "publish", f"forward: {row['what']} {row['mode']}")
    check(row["sizes"] == {"tokens": 12, "layers": 2, "d": 16, "heads": 2} and row["runs"] >= 1, f"forward: {row['sizes']}")
    check(0 < row["p10_s"] <= row["median_s"] <= row["p90_s"], "forward: percentiles out of order")
    parts = row["parts"]
    check(parts["steps"] >= 10 and parts["compute_s"] > 0 and parts["upload_s"] > 0 and parts["download_s"] >= 0, f"forward: {parts}")
check(all(row["parts"]["steps_on_host"] == 0 and row["parts"]["operations_on_host"] == "" for row in runs),
      "forward: every step of the sandbox has a way on each backend")
course = rows("forward", "--model", "course", "--tokens", "12", small=["--seconds", "1"])
check(len(course) == 1 and course[0]["sizes"]["tokens"] == 12 and course[0]["sizes"]["d"] != 256, f"forward of a model: {course}")
pairs = rows("keystroke", "--model", "english-french", "--tokens", "9", small=["--seconds", "1"])
check([row["mode"] for row in pairs] in (["publish"] * 3, ["publish"] * 3 + ["picture", "echo"]) and {row["sizes"]["tokens"] for row in pairs} == {9},
      f"keystroke of a model of two sentences: {pairs}")
routes = rows("routes", "--model", "english-french", "--tokens", "9", small=["--seconds", "1"])
check([row["variant"] for row in routes] == ["edit", "routes"] and all(row["median_s"] > 0 for row in routes), f"routes: {routes}")
refused("a trained model has its own", "keystroke", "--model", "course", "--layers", "2")
check("no-such-model" in run("keystroke", "--model", "no-such-model").stderr, "an unknown model is named")
check(len({row["parts"]["steps"] for row in runs}) == 1, "forward: the same steps on both")
table = run("forward", "--layers", "1", "--d", "16", "--heads", "2", "--tokens", "5", "--seconds", "1")
check("of it on cpu: arrays there" in table.stdout and "kernel" not in table.stdout, f"forward: {table.stdout}")
refused("3 heads cannot divide d = 256", "forward", "--heads", "3")
refused("no backend 'abacus'", "forward", "--backend", "cpu,abacus")
refused("give f32", "forward", "--backend", "cpu,reference", "--precision", "tf32")
refused("no backend 'cpu,reference'", "sdpa", "--backend", "cpu,reference")

tokens = rows("generate", small=["--tokens", "9", "--layers", "2", "--d", "16", "--heads", "2", "--vocab", "50", "--seconds", "1"])
check([row["variant"] for row in tokens] == ["token:kept", "token:anew"], f"generate: {tokens}")
check(all(row["sizes"] == {"tokens": 9, "layers": 2, "d": 16, "heads": 2, "vocab": 50} for row in tokens), f"generate: {tokens}")
check(0 < tokens[0]["flops"] < tokens[1]["flops"], "generate: a token with what is kept costs less than all of them")

methods = rows("long", small=["--sweep", "tokens=512,1024", "--d", "8", "--seconds", "4"])
check([row["variant"] for row in methods[:14]] == "full blockwise ring window dilated block global adaptive reformer linformer linear rnn lstm ssm".split(),
      f"long: {[row['variant'] for row in methods]}")
check([row["sizes"] for row in methods] == [{"tokens": 512, "d": 8}] * 14 + [{"tokens": 1024, "d": 8}] * 14, "long: a row a method and length")
check(all(isinstance(row["exponent"], float) and row["flops"] > 0 and "cells" in row for row in methods), "long: exponents and counts")
by_name = {row["variant"]: row for row in methods[14:]}
check(by_name["full"]["error"]["max_abs"] == 0 and by_name["ring"]["error"]["max_abs"] < 1e-5 < by_name["window"]["error"]["max_abs"],
      "long: exact methods agree with full attention, sparse ones do not")
check(all(by_name[name]["cells"] == 0 and not by_name[name].get("error") for name in ("rnn", "lstm", "ssm")), "long: recurrent layers have no cells")
check(by_name["rnn"]["flops"] < by_name["lstm"]["flops"], "long: an LSTM has four times an RNN's products")
check(by_name["linear"]["cells"] == 0 and by_name["window"]["cells"] < by_name["full"]["cells"], "long: cells")
# A length that is asked for is measured alone, 1024 as well, which a sweep over another size measures.
for tokens in (64, 1024):
    alone = rows("long", small=["--tokens", str(tokens), "--d", "8", "--seconds", "2"])
    check([row["sizes"]["tokens"] for row in alone] == [tokens] * 14, f"long: {tokens} tokens alone")
swept = rows("long", small=["--sweep", "d=4,8", "--seconds", "2"])
check([row["sizes"] for row in swept] == [{"tokens": 1024, "d": 4}] * 14 + [{"tokens": 1024, "d": 8}] * 14, "long: a sweep over d")
refused("--tokens: it is 0", "long", "--tokens", "0")
check("64..8192, doubling" in run("long", "--help").stdout, "long: --help says what is measured")
check("exponent" in run("long", "--tokens", "64", "--d", "8", "--seconds", "2").stdout, "long: a table")

table = run("isdpa", *SMALL, "--stage", "layer")
check("median us" in table.stdout and ("MFLOP" in table.stdout or "kFLOP" in table.stdout), f"units: {table.stdout}")
check("per-call: the index takes" in table.stdout and "cached: the index takes" in table.stdout, f"no headline: {table.stdout}")

refused("--words: it is 0", "isdpa", "--words", "0")
refused("--words", "isdpa", "--words", "many")
refused("3 heads cannot divide d = 512", "isdpa", "--heads", "3")
refused("3 heads cannot divide d = 512", "isdpa", "--sweep", "heads=1,3")
refused("heads cannot divide", "sdpa", "--heads", "5")
refused("--pad-index: it is 64", "isdpa", "--pad-index", "64")
refused("--pad-index: it is -2", "isdpa", "--pad-index", "-2")
refused("give q, qk, layer or pooled", "sdpa", "--stage", "combiner")
refused("give per-call or cached", "isdpa", "--mode", "sometimes")
refused("keeps nothing between calls", "isdpa", "--stage", "combiner", "--mode", "cached")
refused("give f32", "isdpa", "--precision", "bf16")
refused("'f8' is not known", "isdpa", "--precision", "f8")
refused("names no size", "isdpa", "--sweep", "tokens=1..4")
refused("is no range", "isdpa", "--sweep", "d=1024..64")
refused("is no size", "isdpa", "--sweep", "d=64,big")
refused("no backend 'abacus'", "isdpa", "--backend", "abacus")

if failures:
    sys.exit(f"{len(failures)} failed")
print("headlight bench: rows, sweeps, modes and refusals are as they should be")
