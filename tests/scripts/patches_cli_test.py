"""headlight patches: sizes, what is left out, every kind of PNG, what it refuses, and, with NumPy, its steps again."""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

HEADLIGHT = sys.argv[1]
MODE = {"grey": 0, "rgb": 2, "palette": 3, "grey alpha": 4, "rgba": 6}


def run(*arguments):
    return subprocess.run([HEADLIGHT, "patches", *arguments], capture_output=True, text=True)


def looked(*arguments):
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(words, *arguments):
    done = run(*arguments)
    assert done.returncode in (1, 2) and words in done.stderr and not done.stdout, (arguments, done)
    assert done.stderr.count("\n") == 1, done.stderr


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width, height, depth, mode, row, extra=b""):
    """A picture whose rows are all the bytes `row`."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, MODE[mode], 0, 0, 0))
    body = zlib.compress((b"\0" + row) * height)
    return b"\x89PNG\r\n\x1a\n" + head + extra + chunk(b"IDAT", body) + chunk(b"IEND", b"")


lake = looked()
assert (lake["width"], lake["height"], lake["rows"], lake["columns"], lake["inputs"]) == (256, 160, 10, 16, 768), lake
assert lake["left_out"] == {"right": 0, "below": 0} and lake["query"] == {"row": 5, "column": 8} and lake["weights_are"] == "random"
assert len(lake["weights"]) == 160 and abs(sum(lake["weights"]) - 1) < 1e-12
other = looked("--patch", "30", "--head", "3", "--row", "0", "--column", "1", "--seed", "7")
assert (other["rows"], other["columns"], other["left_out"]) == (5, 8, {"right": 16, "below": 10}), other
assert looked("--seed", "1")["weights"] != lake["weights"] and looked()["weights"] == lake["weights"]
assert looked("--position", "none")["weights"] != lake["weights"]
table = run("--patch", "30").stdout
for words in ("256 x 160 pixels", "5 rows of 8 patches of 30 x 30 pixels; left out: 16 pixels at the right, 10 at the bottom",
              "patches  [40, 2700]", "tokens   [40, 64]", "random weights, seed 0", "weights  [4, 40, 40]", "patch (2, 4) in head 0 looks at"):
    assert words in table, (words, table)

refused("there is no head 4", "--head", "4")
refused("there is no row 10", "--row", "10")
refused("there is no column 16", "--column", "16")
refused("patches of 161 pixels a side do not fit into a picture of 256 x 160", "--patch", "161")
refused("--patch", "--patch", "0")
refused("d_model 66 is no multiple of 4", "--d-model", "66")
refused("cannot be divided among 5 heads", "--heads", "5")
refused("takes too many weights", "--patch", "1")
refused("nowhere.png", "--in", "nowhere.png")

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "picture.png")

    def written(content):
        path.write_bytes(content)
        return str(path)

    good = png(8, 4, 8, "rgb", bytes(range(24)))
    refused("this is no PNG file", "--in", written(b"GIF89a"))
    refused("this is no PNG file", "--in", written(b""))
    refused("this PNG file is broken", "--in", written(good[:60]))
    refused("this PNG file is broken", "--in", written(good[:50] + bytes([good[50] ^ 255]) + good[51:]))
    refused("the picture has no pixels: 0 x 4", "--in", written(png(0, 4, 8, "rgb", b"")))
    refused("the picture has 20000 x 4 pixels", "--in", written(png(20000, 4, 8, "grey", bytes(20000))))
    refused("--out", "--in", written(good), "--patch", "2", "--out", str(path))
    assert path.read_bytes() == good

    try:
        import numpy as np
    except ImportError:
        print("skipped: the steps again need NumPy")
        sys.exit(77)

    out = str(pathlib.Path(folder, "steps.npz"))

    def steps(content, *arguments):
        done = run("--in", written(content), "--out", out, *arguments)
        assert done.returncode == 0, done.stderr
        return np.load(out)

    def first_pixel(content):
        return ((steps(content, "--patch", "1")["patches"][0] + 1) * 127.5).round(6).tolist()

    assert first_pixel(png(2, 2, 8, "grey", b"\x50\x60")) == [80, 80, 80]
    assert first_pixel(png(2, 2, 1, "grey", b"\x80")) == [255, 255, 255]
    assert first_pixel(png(2, 2, 16, "rgb", bytes([10, 10, 20, 20, 30, 30] * 2))) == [10, 20, 30]
    assert first_pixel(png(2, 2, 8, "palette", b"\1\0", chunk(b"PLTE", bytes([1, 2, 3, 40, 50, 60])))) == [40, 50, 60]
    assert first_pixel(png(2, 2, 8, "rgba", bytes([200, 0, 100, 255] * 2))) == [200, 0, 100]
    assert first_pixel(png(2, 2, 8, "rgba", bytes([200, 0, 100, 0] * 2))) == [255, 255, 255]
    assert first_pixel(png(2, 2, 8, "grey alpha", bytes([0, 51] * 2))) == [204, 204, 204]
    assert "over white" in run("--in", str(path), "--patch", "1").stdout

    made = steps(good, "--patch", "2", "--d-model", "8", "--heads", "2")
    pixels = np.tile(np.arange(24).reshape(1, 8, 3), (4, 1, 1)) / 127.5 - 1
    cut = pixels.reshape(2, 2, 4, 2, 3).transpose(0, 2, 1, 3, 4).reshape(8, 12)
    assert np.array_equal(made["patches"], cut)
    x = cut @ made["w_e"] + made["positions"]
    x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    q, k = ((x @ made[w]).reshape(8, 2, 4).transpose(1, 0, 2) for w in ("wq", "wk"))
    scores = q @ k.transpose(0, 2, 1) / 2
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    assert np.abs(made["scores"] - scores).max() < 1e-12 and np.abs(made["weights"] - weights).max() < 1e-12
print("patches: ok")
