"""headlight train: progress, resuming bit for bit, any number of threads, Ctrl+C, and what it says of wrong input."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

HEADLIGHT = sys.argv[1]
SMALL = {
    "name": "small", "trained_on": "random syllables", "task": "repeat",
    "repeat": {"symbols": 16, "shortest": 3, "longest": 6},
    "model": {"d_model": 32, "heads": 2, "layers": 2, "d_ff": 48, "norm_kind": "rms", "final_norm": True, "position": "rotary",
              "gated": True, "activation": "silu", "bias": False, "masks": ["causal"]},
    "length": 16, "batch": 4, "accumulate": 2, "steps": 30, "warmup": 5, "learning_rate": 1e-2, "dropout": 0.1,
    "evaluate_every": 10, "evaluate_batches": 2, "checkpoint_every": 10}


def train(config, out, *more, threads=2, expect=0, level=""):
    done = subprocess.run([HEADLIGHT, "train", "--config", str(config), "--out", str(out), *more], capture_output=True, text=True,
                          env=os.environ | {"HEADLIGHT_THREADS": str(threads), "HEADLIGHT_CPU_LEVEL": level}, check=False)
    assert done.returncode == expect, (done.returncode, done.stdout, done.stderr)
    return done


def write(path, config):
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


def call(*arguments, expect=0):
    done = subprocess.run([HEADLIGHT, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == expect, (done.returncode, done.stdout, done.stderr)
    return done


def held_out(done):
    return [json.loads(line)["held_out"] for line in done.stdout.splitlines() if "held_out" in line]


def rows_of(path, name):
    """A float16 matrix of a safetensors file."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    entry = json.loads(data[8:8 + size])[name]
    begin, end = entry["data_offsets"]
    assert entry["dtype"] == "F16", entry
    values = struct.unpack(f"<{(end - begin) // 2}e", data[8 + size + begin:8 + size + end])
    width = entry["shape"][1]
    return [values[i:i + width] for i in range(0, len(values), width)]


WORDS = "the old grey mole ran into a garden and saw her small blue house near my tall green tree".split()
TEXT = {"name": "text", "trained_on": "made-up lines", "task": "text", "corpus": ["lines.txt"], "held_out": 0.2,
        "tokenizer": {"kind": "words", "size": 0},
        "model": {"d_model": 32, "heads": 2, "layers": 1, "d_ff": 48, "norm_kind": "rms", "final_norm": True, "position": "learned"},
        "length": 12, "batch": 8, "steps": 60, "warmup": 5, "learning_rate": 1e-2, "evaluate_every": 60, "checkpoint_every": 30}


def learned(here):
    """Learned positions: trained, stored, read again, and refused behind their last row."""
    lines = [" ".join(WORDS[(i * 5 + j) % len(WORDS)] for j in range(3 + i % 5)) for i in range(400)]
    (here / "lines.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = train(write(here / "text.json", TEXT), here / "text", "--json")
    train(write(here / "unplaced.json", TEXT | {"model": TEXT["model"] | {"position": "none"}, "steps": 5}), here / "without")
    train(write(here / "short.json", TEXT | {"steps": 5}), here / "short")
    first, last = (rows_of(here / name / "model.safetensors", "model.embed_positions.weight") for name in ("short", "text"))
    assert len(first) == len(last) == TEXT["length"], (len(first), len(last))
    for row, (a, b) in enumerate(zip(first, last)):  # drawn alike, and each row was learnt since
        assert max(abs(x - y) for x, y in zip(a, b)) > 0.01, row
    # Read again, on the last lines of the file, it says what the training said.
    (here / "last.txt").write_text("\n".join(lines[-80:]) + "\n", encoding="utf-8")
    said = json.loads(call("evaluate", "--model", here / "text", "--corpus", here / "last.txt", "--json").stdout)
    assert said["nats_per_token"] < held_out(done)[-1] * 1.3, (said, done.stdout)
    call("generate", "--model", here / "text", "--text", "the old", "--tokens", 30)  # reads its last 12 tokens
    call("trace", "--model", here / "text", "--text", " ".join(WORDS[:12]), "--shapes")
    said = call("trace", "--model", here / "text", "--text", " ".join(WORDS[:13]), "--shapes", expect=2).stderr
    assert "13 tokens" in said and "12 rows" in said and "shorter text" in said, said
    # Pairs are filled up to a multiple of 8 tokens, but never beyond the table: here of 10 rows.
    (here / "pairs.tsv").write_text("".join(f"{line}\t{' '.join(reversed(line.split()))} . .\n" for line in lines), encoding="utf-8")
    pairs = {key: value for key, value in TEXT.items() if key != "tokenizer"} | {
        "task": "pairs", "corpus": ["pairs.tsv"], "length": 10, "one_tokenizer": True, "tokenizer": TEXT["tokenizer"], "steps": 20}
    train(write(here / "pairs.json", pairs), here / "pairs")
    call("generate", "--model", here / "pairs", "--text", "the old grey mole", "--tokens", 4)


def started(here):
    """A training that begins with a model's weights, its vocabulary and an optimiser of its own."""
    on = {key: value for key, value in TEXT.items() if key != "tokenizer"} | {
        "start": "text", "steps": 20, "warmup": 10, "evaluate_every": 1, "learning_rate": 1e-6, "least_learning_rate": 1e-7, "decay": 0}
    config = write(here / "on.json", on)
    before = held_out(train(here / "text.json", here / "again", "--json"))[-1]
    done = train(config, here / "on", "--json")
    after = held_out(done)
    assert abs(after[0] - before) < 2e-3 and abs(after[-1] - before) < 2e-3, (before, after)  # float16, and hardly a step
    name = "headlight-tokenizer.json"
    assert (here / "on" / name).read_bytes() == (here / "text" / name).read_bytes()
    # Its checkpoint needs the model no more, and belongs to this start alone.
    refused = train(write(here / "other-start.json", on | {"start": "without"}), here / "on", "--resume", expect=1).stderr
    assert "start" in refused, refused
    weights = (here / "on" / "model.safetensors").read_bytes()
    (here / "text").rename(here / "gone")
    train(config, here / "on", "--resume")
    assert (here / "on" / "model.safetensors").read_bytes() == weights
    (here / "gone").rename(here / "text")
    for change, words in (({"length": 16}, "'length' is 12"), ({"start": "without"}, "'position' is none"),
                          ({"model": TEXT["model"] | {"d_model": 64}}, "'d_model' is 32"), ({"tokenizer": {}}, "leave it out"),
                          ({"start": "pairs"}, "'task' is encoder-decoder")):
        said = train(write(here / "bad.json", on | change), here / "bad", expect=1).stderr
        assert words in said, said
    # Random sequences with other symbols are another vocabulary.
    said = train(write(here / "bad.json", SMALL | {"start": "one", "repeat": SMALL["repeat"] | {"symbols": 20}}), here / "bad",
                 expect=1).stderr
    assert "a vocabulary of" in said and "pieces" in said, said


def main():
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name)
        config = write(here / "small.json", SMALL)

        done = train(config, here / "one", "--json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        held_out = [line for line in lines if "held_out" in line]
        assert [line["step"] for line in held_out] == [10, 20, 30], lines
        assert held_out[-1]["held_out"] < held_out[0]["held_out"], held_out
        assert all(line["seconds_left"] >= 0 and line["loss"] > 0 for line in lines)
        assert sorted(p.name for p in (here / "one").iterdir()) == [
            "checkpoint.safetensors", "config.json", "curve.svg", "headlight-tokenizer.json", "model.safetensors"]
        assert "held out" in (here / "one" / "curve.svg").read_text(encoding="utf-8")
        weights = (here / "one" / "model.safetensors").read_bytes()
        state = (here / "one" / "checkpoint.safetensors").read_bytes()

        # One thread or three: the same numbers.
        train(config, here / "three", threads=3)
        assert (here / "three" / "model.safetensors").read_bytes() == weights

        # Products in bfloat16: the same numbers for any number of threads, too, and in float32 where the processor has none.
        assert all(line["products"] == "float32" for line in lines)
        rounding = write(here / "rounding.json", SMALL | {"products": "bfloat16"})
        done = train(rounding, here / "rounding", "--json")
        products = {json.loads(line)["products"] for line in done.stdout.splitlines()}
        if products == {"bfloat16"}:
            assert "products in bf16" in done.stderr, done.stderr
            rounded = (here / "rounding" / "model.safetensors").read_bytes()
            assert rounded != weights
            train(rounding, here / "rounding3", threads=3)
            assert (here / "rounding3" / "model.safetensors").read_bytes() == rounded
        else:
            assert products == {"float32"} and "has no bfloat16 products" in done.stderr, (products, done.stderr)
            assert (here / "rounding" / "model.safetensors").read_bytes() == weights
        done = train(rounding, here / "baseline", "--json", level="baseline")
        assert "has no bfloat16 products" in done.stderr, done.stderr
        assert {json.loads(line)["products"] for line in done.stdout.splitlines()} == {"float32"}
        # A training may go on with other products.
        assert train(rounding, here / "one", "--resume").returncode == 0

        # Stopped in the middle by Ctrl+C, it says how far it came and goes on to the same end.
        slow = write(here / "slow.json", SMALL | {"steps": 3000, "evaluate_every": 1})
        process = subprocess.Popen([HEADLIGHT, "train", "--config", str(slow), "--out", str(here / "stopped")], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout.readline().startswith("step 1 of 3000: loss ")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
        assert process.returncode == -signal.SIGINT and "and saved" in said and "--resume" in said, said
        assert (here / "stopped" / "checkpoint.safetensors").exists()
        refused = train(slow, here / "stopped", expect=2).stderr
        assert "has a training already" in refused and "--resume" in refused, refused
        other = write(here / "other.json", SMALL | {"steps": 3000, "learning_rate": 0.5})
        refused = train(other, here / "stopped", "--resume", expect=1).stderr
        assert "learning_rate" in refused, refused

        # Resumed, it ends as if it had not stopped: a run to step 20 whose schedule is that of 30 steps.
        until = time.time() + 120
        process = subprocess.Popen([HEADLIGHT, "train", "--config", str(config), "--out", str(here / "resumed"), "--json"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in process.stdout:
            if json.loads(line)["step"] >= 10 or time.time() > until:
                process.send_signal(signal.SIGINT)
                break
        process.communicate(timeout=120)
        if process.returncode == -signal.SIGINT:  # otherwise it was done before the signal came
            train(config, here / "resumed", "--resume")
        assert (here / "resumed" / "model.safetensors").read_bytes() == weights
        read = lambda folder: (here / folder / "checkpoint.safetensors").read_bytes()[-100000:]
        assert read("resumed") == state[-100000:]

        # A loss that is no number: a sentence, and the last checkpoint stays.
        wild = write(here / "wild.json", SMALL | {"learning_rate": 10, "least_learning_rate": 10, "clip": 0, "warmup": 1, "checkpoint_every": 1,
                                                  "model": SMALL["model"] | {"norm": "none", "final_norm": False, "layers": 4}})
        said = train(wild, here / "wild", expect=1).stderr
        assert "no finite number" in said and "learning_rate" in said, said
        assert (here / "wild" / "checkpoint.safetensors").exists() and (here / "wild" / "model.safetensors").exists()

        learned(here)
        started(here)

        # Broken input.
        for change, words in (({"model": SMALL["model"] | {"heads": 3}}, "heads"), ({"lenght": 4}, "length"),
                              ({"start": "no-such-model"}, "there is no model"), ({"steps": 0}, "steps")):
            said = train(write(here / "bad.json", SMALL | change), here / "bad", expect=1).stderr
            assert words in said, said
        checkpoint = here / "one" / "checkpoint.safetensors"
        for broken in (state[:1000], b"", state[:-4]):
            checkpoint.write_bytes(broken)
            said = train(config, here / "one", "--resume", expect=1).stderr
            assert "checkpoint.safetensors" in said, said
        said = train(here / "none.json", here / "none", expect=1).stderr
        assert "none.json" in said, said
        said = train(config, "/proc/training", expect=1).stderr
        assert "/proc/training" in said, said
    print("train: ok")


if __name__ == "__main__":
    main()
