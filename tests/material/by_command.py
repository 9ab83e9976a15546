"""What the rows of the material share: commands of headlight and what they print or write, comparisons, a softmax, a PNG file."""
import contextlib
import io
import json
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no NumPy")
    sys.exit(77)

HEADLIGHT = sys.argv[1]


def text_of(*arguments, stdin=None):
    """What the command prints; it must succeed."""
    done = subprocess.run([HEADLIGHT, *arguments], capture_output=True, text=True, input=stdin)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def json_of(*arguments, stdin=None):
    return json.loads(text_of(*arguments, "--json", stdin=stdin))


@contextlib.contextmanager
def in_folder():
    with tempfile.TemporaryDirectory(prefix="headlight-material-") as folder:
        yield Path(folder)


def arrays_of(*arguments):
    """The arrays that a command writes as .npz to standard output."""
    done = subprocess.run([HEADLIGHT, *arguments, "--out", "-"], capture_output=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return dict(np.load(io.BytesIO(done.stdout)))


def computed(command, arrays, *options):
    """The arrays that a command makes of arrays."""
    with in_folder() as folder:
        np.savez(folder / "in.npz", **arrays)
        return arrays_of(command, "--in", str(folder / "in.npz"), *options)


def shapes_of(*arguments):
    """Of trace --shapes: each step's list of sizes by name, and the whole lines by name."""
    lines = [line for line in text_of("trace", *arguments, "--shapes").splitlines() if "] [" in line]
    words = {line.split(" ")[0]: line for line in lines}
    return {name: json.loads("[" + line.split("] [")[1].split("]")[0] + "]") for name, line in words.items()}, words


def close(a, b, tolerance=2e-5):
    a, b = np.asarray(a, "f8"), np.asarray(b, "f8")
    assert a.shape == b.shape, (a.shape, b.shape)
    error = np.abs(a - b).max() if a.size else 0
    assert error <= tolerance * max(1, np.abs(b).max()), error


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def png_of(pixels):
    """An RGB picture u8 [height, width, 3] as the bytes of a PNG file (specification, chapters 5 and 11)."""
    height, width, _ = pixels.shape
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))
