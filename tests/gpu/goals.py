"""The speed goals on a GPU, and whether the rows of a run reach them. A pure function of the rows of `headlight bench --json`,
of gpu_bench and of the scripts in tests/bench.

goals(rows) -> [{goal, wanted, measured, unit, verdict, by}], verdict "pass", "miss", "not measured" (a row is missing) or "reported"
(there is no goal, only the number); `by` names the kernels or rows that the numbers come from. Times are in seconds.
"""

LENGTHS = (128, 256, 512, 1024, 2048, 4096)
NOTEBOOK = {"words": 500, "length": 32, "vocab": 64, "d": 512, "heads": 1}


def row_of(rows, wanted):
    """The last row that matches `wanted`: in the sizes named there, and in the variant's exact name or, as (begin, end), its two ends."""
    def fits(row):
        for key, value in wanted.items():
            if key == "sizes":
                if any(row.get("sizes", {}).get(name) != size for name, size in value.items()):
                    return False
            elif key == "variant" and isinstance(value, tuple):
                if not (row.get("variant", "").startswith(value[0]) and row.get("variant", "").endswith(value[1])):
                    return False
            elif row.get(key) != value:
                return False
        return row.get("median_s", 0) > 0
    found = [row for row in rows if fits(row)]
    return found[-1] if found else None


def name_of(row):
    return row["variant"] + (f" by {row['kernel']}" if row.get("kernel") else "")


def most(goal, wanted, rows, unit, measure):
    """The result of `measure` on the rows must be at most the given number; all rows must be there."""
    if any(row is None for row in rows):
        return {"goal": goal, "wanted": f"at most {wanted:g}", "measured": None, "unit": unit, "verdict": "not measured", "by": []}
    value = measure(*rows)
    return {"goal": goal, "wanted": f"at most {wanted:g}", "measured": value, "unit": unit, "verdict": "pass" if value <= wanted else "miss",
            "by": [name_of(row) for row in rows]}


def least(goal, wanted, rows, unit, measure):
    made = most(goal, wanted, rows, unit, measure)
    made["wanted"] = f"at least {wanted:g}"
    if made["measured"] is not None:
        made["verdict"] = "pass" if made["measured"] >= wanted else "miss"
    return made


def ratio(above, below):
    return above["median_s"] / below["median_s"]


def seconds(row):
    return row["median_s"]


def fastest(rows):
    there = [row for row in rows if row]
    return min(there, key=seconds) if there else None


def attention_goals(rows):
    """Attention with its maps and without them, 12 heads of 64."""
    made = []

    def ours(variant, precision, length):
        return row_of(rows, {"what": "attention", "variant": variant, "precision": precision, "sizes": {"length": length, "heads": 12, "d": 64}})

    def theirs(way, precision, length):
        return row_of(rows, {"what": "attention", "variant": ("PyTorch ", f":{way}"), "precision": precision, "sizes": {"length": length, "heads": 12, "d": 64}})

    for precision in ("float32", "tf32", "bf16"):
        maps, eager = ours("headlight:maps", precision, 1024), theirs("eager:maps", precision, 1024)
        made.append(least(f"maps, {precision}: faster than eager PyTorch with its maps", 3, [eager, maps], "times", ratio))
    copy = row_of(rows, {"what": "copy"})
    for precision in ("tf32", "bf16"):
        written = 4 * 12 * 1024 * 1024  # bytes of maps

        def of_writing(maps, copy, written=written):
            return maps["median_s"] / (written * copy["median_s"] / copy["bytes"])
        made.append(most(f"maps, {precision}: times what writing the maps once takes at the copy bandwidth", 2,
                         [ours("headlight:maps", precision, 1024), copy], "times", of_writing))
    made.append(most("maps, float32: exact", 90e-6, [ours("headlight:maps", "float32", 1024)], "s", seconds))
    for length in LENGTHS:
        best = fastest(theirs(way, "bf16", length) for way in ("cudnn", "flash", "efficient"))
        made.append(most(f"no maps, bf16, {length} tokens: times PyTorch's best", 1.3, [ours("headlight:fused", "bf16", length), best], "times", ratio))
        portable = row_of(rows, {"what": "attention", "variant": "headlight:fused:tensor", "precision": "bf16", "sizes": {"length": length}})
        made.append(most(f"no maps, bf16, {length} tokens, portable kernel: times PyTorch's best", 2, [portable, best], "times", ratio))
        made.append(most(f"no maps, float32, {length} tokens: times PyTorch's memory-efficient path", 1.3,
                         [ours("headlight:fused", "float32", length), theirs("efficient", "float32", length)], "times", ratio))
    run = row_of(rows, {"what": "forward", "variant": "cuda", "sizes": {"tokens": 128, "layers": 6, "d": 256}})
    made.append(most("forward: 6 layers, d 256, 128 tokens, edit to published trace, transfers included", 2e-3, [run], "s", seconds))
    return made


def index_goals(rows):
    """Index-based attention at the notebook's sizes, whole layer."""
    made = []

    def ours(variant, mode, precision):
        wanted = {"what": "isdpa", "variant": variant, "mode": mode, "precision": precision, "sizes": {**NOTEBOOK, "pad_index": None}}
        return row_of([row for row in rows if str(row.get("backend", "")).startswith("cuda")], wanted)

    for mode, rounded, exact in (("per-call", 15e-6, 22e-6), ("cached", 6e-6, 9e-6)):
        either = fastest(ours("layer:index", mode, precision) for precision in ("tf32", "bf16"))
        made.append(most(f"index, {mode}, tf32 or bf16", rounded, [either], "s", seconds))
        made.append(most(f"index, {mode}, float32", exact, [ours("layer:index", mode, "float32")], "s", seconds))
    for way, wanted in (("eager", 20), ("captured", 4)):
        peer = row_of(rows, {"what": "isdpa", "variant": ("layer:index (torch ", f" {way})"), "mode": "per-call", "precision": "float32", "sizes": NOTEBOOK})
        made.append(least(f"index, per-call, float32: faster than the notebook's ISDPA in {way} PyTorch", wanted,
                          [peer, ours("layer:index", "per-call", "float32")], "times", ratio))
    for mode in ("per-call", "cached"):
        for precision in ("float32", "tf32", "bf16"):
            index = ours("layer:index", mode, precision)
            rivals = [row for row in rows if index and row.get("what") == "isdpa" and row.get("mode") == mode and row.get("precision") == precision
                      and row["variant"].startswith("layer:") and not row["variant"].startswith("layer:index") and "unpooled" not in row["variant"]
                      and row.get("sizes") == index["sizes"] and row["backend"] in (index["backend"], "torch")]
            best = fastest(rivals)
            value = ratio(best, index) if index and best else None
            made.append({"goal": f"index, {mode}, {precision}: the fastest way without an index, times ours", "wanted": "whatever it is",
                         "measured": value, "unit": "times", "verdict": "reported" if value else "not measured",
                         "by": [name_of(best), name_of(index)] if value else []})
    return made


def goals(rows):
    return attention_goals(rows) + index_goals(rows)


def line_of(goal):
    value = goal["measured"]
    measured = "-" if value is None else f"{value * 1e6:.1f} us" if goal["unit"] == "s" else f"{value:.2f} x"
    wanted = goal["wanted"]
    if goal["unit"] == "s":
        word, _, number = wanted.rpartition(" ")
        wanted = f"{word} {float(number) * 1e6:g} us"
    return f"{goal['verdict']:12s} {measured:>12s}  {wanted:18s} {goal['goal']}" + (f"  [{'; '.join(goal['by'])}]" if goal["by"] else "")
