"""Published models that are damaged, or of another kind than is read here: each is refused with one sentence that names the place and the mend, in
bounded time and memory."""
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HEADLIGHT = sys.argv[1]
PUBLISHED = pathlib.Path(__file__).resolve().parents[1] / "data" / "published"
LLAMA = json.loads((PUBLISHED / "llama.json").read_text())
CONFIG = LLAMA["config"]


def read_safetensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: (one["dtype"], one["shape"], data[8 + size + one["data_offsets"][0]:8 + size + one["data_offsets"][1]]) for name, one in header.items()}


def safetensors(tensors, change=lambda header: None):
    header, body = {}, b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    change(header)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


TENSORS = read_safetensors(PUBLISHED / "llama.safetensors")
DOWN = "model.layers.1.mlp.down_proj.weight"


def small_limits():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def say(folder, *more, user=None):
    begun = time.time()
    done = subprocess.run([HEADLIGHT, "trace", "--model", str(folder), "--text", "a mole ran", "--out", "-", *more], capture_output=True, timeout=60,
                          preexec_fn=small_limits, user=user, check=False)
    words = done.stderr.decode()
    assert time.time() - begun < 20, (folder, time.time() - begun)
    return done.returncode, words


def refused(folder, *expected, user=None):
    status, words = say(folder, user=user)
    assert status == 1, (folder.name, status, words)
    assert words.count("\n") == 1 and words.startswith("headlight trace: "), (folder.name, words)
    for word in expected:
        assert word in words, (folder.name, word, words)
    assert "; " in words, (folder.name, "no mend", words)
    if "-v" in sys.argv:
        print(f"{folder.name}: {words.strip()}")


class Places:
    def __init__(self, root):
        self.root, self.count = root, 0

    def folder(self, tensors=None, config=None, weights=None, name="case", tokenizer=True):
        """A whole model, with what is given in place of its own."""
        self.count += 1
        place = self.root / f"{self.count:02}-{name}"
        place.mkdir()
        if tokenizer:
            shutil.copy(PUBLISHED / "tokenizer.json", place / "tokenizer.json")
        (place / "config.json").write_text(config if isinstance(config, str) else json.dumps(config or CONFIG))
        (place / "model.safetensors").write_bytes(weights if weights is not None else safetensors(tensors or TENSORS))
        return place


def tensors_of_a_model(places):
    status, words = say(places.folder(name="whole"))
    assert status == 0, words
    refused(places.folder({k: v for k, v in TENSORS.items() if k != DOWN}, name="missing"), f"the tensor '{DOWN}' is missing")
    refused(places.folder(TENSORS | {"model.layers.1.mlp.extra.weight": ("F32", [2], bytes(8))}, name="extra"),
            "'model.layers.1.mlp.extra.weight' has no place in a model of the architecture llama")
    dtype, (rows, columns), data = TENSORS[DOWN]
    refused(places.folder(TENSORS | {DOWN: (dtype, [columns, rows], data)}, name="misshapen"), DOWN, f"is [{columns}, {rows}]", f"makes it [{rows}, {columns}]")
    nan = struct.pack("<e", float("nan"))
    for name in (DOWN, "model.norm.weight", "model.embed_tokens.weight", "model.layers.0.input_layernorm.weight", "lm_head.weight"):
        kind, shape, own = TENSORS[name]
        refused(places.folder(TENSORS | {name: (kind, shape, nan * (len(own) // 2))}, name="nan"), name, "not finite")
    refused(places.folder(TENSORS | {DOWN: ("I32", [rows, columns], bytes(4 * rows * columns))}, name="integers"), DOWN, "I32")
    refused(places.folder(TENSORS | {DOWN: ("F8_E4M3", [rows, columns], bytes(rows * columns))}, name="float8"), DOWN, "F8_E4M3")


def headers(places):
    def lie(name, change):
        return places.folder(weights=safetensors(TENSORS, change), name=name)
    refused(lie("outside", lambda h: h[DOWN].update(data_offsets=[0, 1 << 40])), DOWN)
    refused(lie("backwards", lambda h: h[DOWN].update(data_offsets=[96, 0])), DOWN)
    refused(lie("overlap", lambda h: h[DOWN].update(data_offsets=h["model.layers.0.mlp.down_proj.weight"]["data_offsets"])), "model.safetensors")
    refused(lie("product", lambda h: h[DOWN].update(shape=[1 << 40, 1 << 40])), DOWN)
    refused(lie("negative", lambda h: h[DOWN].update(shape=[-1, -96])), DOWN)
    whole = safetensors(TENSORS)
    refused(places.folder(weights=struct.pack("<Q", 1 << 60) + whole[8:], name="long-header"), "header")
    refused(places.folder(weights=whole[:-5], name="cut"), "model.safetensors")
    refused(places.folder(weights=whole[:100], name="cut-header"), "model.safetensors")
    refused(places.folder(weights=b"", name="empty"), "empty")
    refused(places.folder(weights=struct.pack("<Q", 200_000) + b"[" * 200_000, name="deep"), "model.safetensors")
    twice = json.dumps({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})
    twice = "{" + twice[1:-1] + ", " + twice[1:-1] + "}"
    refused(places.folder(weights=struct.pack("<Q", len(twice)) + twice.encode() + bytes(4), name="twice"), "a")


def configs(places):
    def with_key(name, **keys):
        return places.folder(config=CONFIG | keys, name=name)
    refused(with_key("mixtral", model_type="mixtral"), "the architecture 'mixtral' is not known", "known are llama")
    refused(with_key("gemma3n", model_type="gemma3n"), "the architecture 'gemma3n' is not known")
    for method in ("bitsandbytes", "gptq", "awq", "fp8"):
        refused(with_key(method, quantization_config={"quant_method": method}), f"quantised by {method}", "GGUF")
    refused(places.folder(TENSORS | {"model.layers.0.mlp.up_proj.qweight": ("I32", [1], bytes(4))}, name="gptq-tensors"), "GPTQ or AWQ")
    refused(places.folder(TENSORS | {"model.layers.0.mlp.up_proj.weight.absmax": ("F32", [1], bytes(4))}, name="bnb-tensors"), "bitsandbytes")
    for text in ("", "{", "[]", "nonsense", "[" * 100_000):
        refused(places.folder(config=text, name="config"), "config.json")
    for key, value in (("hidden_size", -8), ("hidden_size", 1e300), ("hidden_size", "8"), ("num_attention_heads", 0), ("num_hidden_layers", 1 << 62),
                       ("vocab_size", [1]), ("rms_norm_eps", "small"), ("hidden_act", "snake"), ("num_key_value_heads", 3), ("head_dim", 0)):
        refused(with_key(key, **{key: value}), key if key != "hidden_act" else "snake" , "config.json") if key != "num_key_value_heads" else \
            refused(with_key(key, **{key: value}), "key heads")
    refused(with_key("rope", rope_parameters={"rope_type": "spiral"}), "the rope type 'spiral'")
    refused(with_key("rope", rope_parameters={"rope_type": "linear", "factor": 0}), "rotary")


def tokenizers(places):
    more = json.loads((PUBLISHED / "tokenizer.json").read_text())
    more["added_tokens"] += [dict(more["added_tokens"][0], id=259 + n, content=f"[MORE{n}]") for n in range(40)]
    place = places.folder(name="more-ids")
    (place / "tokenizer.json").write_text(json.dumps(more))
    refused(place, "its tokenizer has 299 pieces", "260")
    refused(places.folder(name="no-tokenizer", tokenizer=False), "tokenizer")
    place = places.folder(name="bad-tokenizer")
    (place / "tokenizer.json").write_text("{}")
    refused(place, "tokenizer.json")


def files(places):
    place = places.folder(name="pickled")
    (place / "model.safetensors").unlink()
    (place / "pytorch_model.bin").write_bytes(b"PK\x03\x04" + bytes(60))
    refused(place, "pytorch_model.bin", "pickled", "import torch", "weights_only=True", "save_file")
    (place / "pytorch_model.bin").rename(place / "model.pt")
    refused(place, "model.pt", "pickled", "weights_only=True")
    place = places.folder(name="nothing")
    (place / "model.safetensors").unlink()
    refused(place, "no .safetensors")
    (place / "model.safetensors").mkdir()
    refused(place, "model.safetensors")
    names = list(TENSORS)
    halves = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}

    def sharded(name):
        place = places.folder(name=name)
        (place / "model.safetensors").unlink()
        for file, own in halves.items():
            (place / file).write_bytes(safetensors({one: TENSORS[one] for one in own}))
        index = {"weight_map": {one: file for file, own in halves.items() for one in own}}
        (place / "model.safetensors.index.json").write_text(json.dumps(index))
        return place, index
    place, index = sharded("shards")
    status, words = say(place)
    assert status == 0, words
    second = place / "model-00002-of-00002.safetensors"
    second.write_bytes(second.read_bytes()[:-7])
    refused(place, second.name)
    second.unlink()
    refused(place, f"the file {second.name} is missing")
    place, index = sharded("other-shard")
    index["weight_map"][names[0]] = second.name
    (place / "model.safetensors.index.json").write_text(json.dumps(index))
    refused(place, f"the tensor '{names[0]}' is missing")
    index["weight_map"][names[0]] = "../outside.safetensors"
    (place / "model.safetensors.index.json").write_text(json.dumps(index))
    refused(place, "no name of a file beside the index")


def ggufs(places):
    whole = (PUBLISHED / "llama.gguf").read_bytes()

    def file(name, data):
        places.count += 1
        path = places.root / f"{places.count:02}-{name}.gguf"
        path.write_bytes(data)
        return path
    status, words = say(file("whole", whole))
    assert status == 0, words
    refused(file("version", whole[:4] + struct.pack("<I", 1) + whole[8:]), "version 1")
    refused(file("tensors", whole[:8] + struct.pack("<Q", 10**9) + whole[16:]), "claims 1000000000 tensors")
    refused(file("keys", whole[:16] + struct.pack("<Q", 1 << 60) + whole[24:]), "keys")
    refused(file("cut", whole[:-100]), ".gguf")
    refused(file("cut-header", whole[:1000]), "more than the file can have")
    deep = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k" + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 10_000
    refused(file("nested", deep), "'k'")
    at = whole.index(b"blk.0.attn_q.weight") + len(b"blk.0.attn_q.weight") + 4 + 16
    refused(file("type", whole[:at] + struct.pack("<I", 23) + whole[at + 4:]), "blk.0.attn_q.weight")
    refused(file("offset", whole[:at + 4] + struct.pack("<Q", 1 << 50) + whole[at + 12:]), "blk.0.attn_q.weight")
    refused(file("arch", whole.replace(b"general.architecture" + struct.pack("<I", 8) + struct.pack("<Q", 5) + b"llama",
                                       b"general.architecture" + struct.pack("<I", 8) + struct.pack("<Q", 5) + b"mamba")), "the architecture 'mamba' is not known")


def a_file_that_shrinks(places):
    """The bytes go while the model is open: generate waits for its texts, which come behind the change."""
    place = places.folder(name="shrinks")
    child = subprocess.Popen([HEADLIGHT, "generate", "--model", str(place), "--texts", "-", "--tokens", "4"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    time.sleep(1)
    os.truncate(place / "model.safetensors", 4096)
    _, words = child.communicate(b"a mole ran\n", timeout=60)
    assert child.returncode == 1, (child.returncode, words)
    assert b"model.safetensors" in words and b"; " in words, words


def permissions(places):
    if os.getuid() != 0:
        return
    os.chmod(places.root, 0o755)
    place = places.folder(name="closed")
    os.chmod(place, 0o700)
    status, words = say(place, user=65534)
    assert status == 1 and words.count("\n") == 1 and "; " in words, words
    os.chmod(place, 0o755)
    os.chmod(place / "model.safetensors", 0o600)
    refused(place, "model.safetensors", user=65534)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = os.environ["XDG_DATA_HOME"] = folder
        places = Places(pathlib.Path(folder))
        for check in (tensors_of_a_model, headers, configs, tokenizers, files, ggufs, a_file_that_shrinks, permissions):
            check(places)
            print(f"{check.__name__}: {places.count} so far")


if __name__ == "__main__":
    main()
