"""A model whose numbers overflow: every command that runs it says on standard error what is not finite, and --strict makes it an error.
not_finite_cli_test.py PROGRAM BUILD_FOLDER."""
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HEADLIGHT = sys.argv[1]
PUBLISHED = pathlib.Path(__file__).resolve().parents[1] / "data" / "published"


def broken_model(folder):
    """The small Llama whose second layer has queries and keys beyond the range of its scores."""
    data = (PUBLISHED / "llama.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header, out, body = json.loads(data[8:8 + size]), {}, b""
    for name, one in header.items():
        if name == "__metadata__":
            continue
        begin, end = one["data_offsets"]
        part, kind = data[8 + size + begin:8 + size + end], one["dtype"]
        if re.search(r"layers\.1\.self_attn\.[qk]_proj", name):
            count = one["shape"][0] * one["shape"][1]
            part, kind = struct.pack(f"<{count}f", *(1e30 * (1 + i % 3) for i in range(count))), "F32"
        out[name] = {"dtype": kind, "shape": one["shape"], "data_offsets": [len(body), len(body) + len(part)]}
        body += part
    text = json.dumps(out).encode()
    folder.mkdir()
    shutil.copy(PUBLISHED / "tokenizer.json", folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps(json.loads((PUBLISHED / "llama.json").read_text())["config"]))
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)
    return folder


def call(*arguments):
    return subprocess.run([HEADLIGHT, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


with tempfile.TemporaryDirectory() as place:
    root = pathlib.Path(place)
    model = broken_model(root / "broken")
    corpus = root / "corpus.txt"
    corpus.write_text("a mole ran\nthe mole dug a hole\n")
    said = {
        "generate": (["--text", "a mole", "--tokens", "3"], "text 1: the scores for its added token 1 hold 260 NaN"),
        "evaluate": (["--corpus", corpus], r"the scores of \d+ of \d+ predicted tokens are not finite"),
        "heads": (["--corpus", corpus], "2 of 4 heads have weights that are not finite"),
        "heads --matter": (["--text", "a mole ran"], r"step 'layer\.1\..*' holds \d+ (NaN|inf)"),
        "context": (["--word", "mole", "a mole ran", "the mole dug"], "text 1: the vector of 'mole' is not finite from layer 2 on"),
        "why": (["--text", "a mole ran"], r"step 'layer\.1\..*' holds \d+ (NaN|inf)"),
        "scores": (["--text", "a mole ran", "--layer", "1"], r"step 'layer\.1\..*' holds \d+ (NaN|inf)"),
    }
    for command, (options, words) in said.items():
        plain = call(*command.split(), "--model", model, *options)
        assert plain.returncode == 0 and plain.stdout, (command, plain)
        begin = "headlight " + command.split()[0] + ": "
        assert any(line.startswith(begin) and re.search(words, line) for line in plain.stderr.splitlines()), (command, plain.stderr)
        strict = call(*command.split(), "--model", model, *options, "--strict")
        assert strict.returncode == 1 and not strict.stdout and re.search(words, strict.stderr), (command, strict)
        assert "leave out --strict" in strict.stderr, strict.stderr
        sound = call(*command.split(), "--model", "stories", *options, "--strict")
        assert sound.returncode == 0 and "finite" not in sound.stderr and "NaN" not in sound.stderr, (command, sound)
