#!/usr/bin/env python3
"""Tests tests/gpu/goals.py with made-up rows: which goals pass, miss or were not measured, and which kernel is named."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from goals import NOTEBOOK, goals, line_of  # noqa: E402


def attention(variant, precision, length, microseconds, **more):
    return {"what": "attention", "variant": variant, "mode": "per-call", "backend": "cuda", "precision": precision,
            "sizes": {"heads": 12, "length": length, "d": 64}, "median_s": microseconds * 1e-6, **more}


def index(variant, mode, precision, microseconds, backend="cuda", **more):
    return {"what": "isdpa", "variant": variant, "mode": mode, "backend": backend, "precision": precision, "sizes": {**NOTEBOOK, **more},
            "median_s": microseconds * 1e-6}


def found(rows, begin):
    fitting = [goal for goal in goals(rows) if goal["goal"].startswith(begin)]
    assert len(fitting) == 1, (begin, [goal["goal"] for goal in fitting])
    return fitting[0]


def near(a, b):
    return abs(a - b) < 1e-9 * abs(b)


assert {goal["verdict"] for goal in goals([])} == {"not measured"}
names = [goal["goal"] for goal in goals([])]
assert len(names) == len(set(names)) and all(line_of(goal) for goal in goals([]))

# Maps: at least 3 times as fast as eager; within 2 of the time to write them once, at the bandwidth of a copy that reads and writes.
rows = [attention("headlight:maps", "float32", 1024, 80, kernel="attention_fused"), attention("PyTorch 2.9:eager:maps", "float32", 1024, 250),
        attention("headlight:maps", "tf32", 1024, 30), {"what": "copy", "variant": "c", "median_s": 50e-6, "bytes": 200e6}]
goal = found(rows, "maps, float32: faster")
assert goal["verdict"] == "pass" and near(goal["measured"], 250 / 80) and goal["by"] == ["PyTorch 2.9:eager:maps", "headlight:maps by attention_fused"]
assert found(rows, "maps, float32: exact")["verdict"] == "pass"
assert found([attention("headlight:maps", "float32", 1024, 91)], "maps, float32: exact")["verdict"] == "miss"
writing = 4 * 12 * 1024 * 1024 / (200e6 / 50e-6)
goal = found(rows, "maps, tf32: times what writing")
assert near(goal["measured"], 30e-6 / writing) and goal["verdict"] == "miss", goal  # 2.4 of 12.6 us
assert found(rows, "maps, bf16: times what writing")["verdict"] == "not measured"
assert found([*rows[:1], attention("PyTorch 2.9:eager:maps", "float32", 1024, 239)], "maps, float32: faster")["verdict"] == "miss"
assert found([*rows[:1], attention("PyTorch 2.9:eager:maps", "tf32", 1024, 999)], "maps, float32: faster")["verdict"] == "not measured"

# No maps: against PyTorch's fastest for the length; the portable kernel on its own; float32 against the memory-efficient path.
rows = [attention("headlight:fused", "bf16", 2048, 50, kernel="attention_warpgroup"), attention("headlight:fused:tensor", "bf16", 2048, 81),
        attention("PyTorch 2.9:flash", "bf16", 2048, 55), attention("PyTorch 2.9:cudnn", "bf16", 2048, 40),
        attention("PyTorch 2.9:cudnn", "bf16", 1024, 1), attention("headlight:fused", "float32", 128, 10),
        attention("PyTorch 2.9:efficient", "float32", 128, 9)]
goal = found(rows, "no maps, bf16, 2048 tokens: times")
assert goal["verdict"] == "pass" and near(goal["measured"], 50 / 40) and goal["by"] == ["headlight:fused by attention_warpgroup", "PyTorch 2.9:cudnn"]
assert found(rows, "no maps, bf16, 2048 tokens, portable")["verdict"] == "miss"
assert found(rows, "no maps, float32, 128 tokens")["verdict"] == "pass"
assert found(rows, "no maps, bf16, 1024 tokens: times")["verdict"] == "not measured"

run = {"what": "forward", "variant": "cuda", "sizes": {"tokens": 128, "layers": 6, "d": 256, "heads": 8}, "median_s": 2.1e-3}
assert found([run], "forward")["verdict"] == "miss"
assert found([run, {**run, "median_s": 1.9e-3}], "forward")["verdict"] == "pass", "the later row counts"
assert found([{**run, "variant": "cpu", "median_s": 1e-3}], "forward")["verdict"] == "not measured"

# The index: either of the rounded precisions may reach the goal; other sizes, padding and other backends do not count.
rows = [index("layer:index", "per-call", "tf32", 16), index("layer:index", "per-call", "bf16", 14.5), index("layer:index", "cached", "float32", 9.5),
        index("layer:index", "per-call", "float32", 20), index("layer:index", "per-call", "float32", 1, backend="cpu"),
        index("layer:index", "per-call", "float32", 1, pad_index=0), index("layer:index", "per-call", "float32", 1, heads=8),
        index("layer:index (torch 2.9 eager)", "per-call", "float32", 410, backend="torch"),
        index("layer:index (torch 2.9 captured)", "per-call", "float32", 79, backend="torch"),
        index("layer:pooled", "per-call", "float32", 60), index("layer:distinct-folded", "per-call", "float32", 50),
        index("layer:fused-unpooled", "per-call", "float32", 5)]
assert found(rows, "index, per-call, tf32 or bf16")["verdict"] == "pass"
goal = [g for g in goals(rows) if g["goal"] == "index, per-call, float32"][0]
assert goal["verdict"] == "pass" and near(goal["measured"], 20e-6), goal
assert [g for g in goals(rows) if g["goal"] == "index, cached, float32"][0]["verdict"] == "miss"
assert found(rows, "index, cached, tf32 or bf16")["verdict"] == "not measured"
assert near(found(rows, "index, per-call, float32: faster than the notebook's ISDPA in eager")["measured"], 20.5)
assert found(rows, "index, per-call, float32: faster than the notebook's ISDPA in captured")["verdict"] == "miss"
goal = found(rows, "index, per-call, float32: the fastest way without")
assert goal["verdict"] == "reported" and near(goal["measured"], 2.5) and goal["by"][0] == "layer:distinct-folded", goal
assert "pass" in line_of(found(rows, "index, per-call, tf32 or bf16")) and "14.5 us  at most 15 us" in line_of(found(rows, "index, per-call, tf32 or bf16"))
