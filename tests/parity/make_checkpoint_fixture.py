"""Blocks of every quantised type with what PyPI's `gguf` makes of them, as tests/data/checkpoints/{blocks.gguf,blocks.npz}.

    python3 tests/parity/make_checkpoint_fixture.py tests/data/checkpoints [--blocks N] [--seed S]

The bytes are random; some blocks have scales of 0, -0, infinity, NaN, and the smallest and largest numbers. The metadata has a key
of every type. Made with gguf 0.19.0 and NumPy 2.4.6. unit_tests compares every value to the bit; with more --blocks and another
--seed the script checks more than the repository carries.
"""
import argparse
import pathlib

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T

# Where a block has its float16 scales.
SCALES = {T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q2_K: [80, 82], T.Q3_K: [108], T.Q4_K: [0, 2],
          T.Q5_K: [0, 2], T.Q6_K: [208]}
SPECIAL = [0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0x0001, 0x83FF, 0x7BFF, 0x3C00]
ROWS = 3


def rows_of(kind, blocks, rng):
    """Random bytes [ROWS, bytes of a row]."""
    numbers, size = gguf.GGML_QUANT_SIZES[kind]
    data = rng.integers(0, 256, (ROWS * blocks, size), dtype=np.uint8)
    for place in SCALES.get(kind, []):
        for row in range(ROWS * blocks):
            # Every third block keeps a random scale; the others are usual ones, then the special ones.
            if row % 3 == 0:
                scale = np.float16(rng.normal() * 0.02)
            elif row % 3 == 1:
                scale = np.array([SPECIAL[(row // 3 + place) % len(SPECIAL)]], np.uint16).view(np.float16)[0]
            else:
                continue
            data[row, place : place + 2] = np.array([scale], np.float16).view(np.uint8)
    return data.reshape(ROWS, -1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--blocks", type=int, default=0, help="blocks of a row (default: 2 of 256 numbers, 8 of 32, 40 numbers)")
    parser.add_argument("--seed", type=int, default=38)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    writer = gguf.GGUFWriter(arguments.folder / "blocks.gguf", "llama")
    writer.add_uint8("k.u8", 200)
    writer.add_int8("k.i8", -100)
    writer.add_uint16("k.u16", 60000)
    writer.add_int16("k.i16", -30000)
    writer.add_uint32("k.u32", 4_000_000_000)
    writer.add_int32("k.i32", -2_000_000_000)
    writer.add_float32("k.f32", 0.1)
    writer.add_bool("k.bool", True)
    writer.add_string("k.text", "große Köpfe")
    writer.add_uint64("k.u64", 2**63 - 1)
    writer.add_int64("k.i64", -(2**62))
    writer.add_float64("k.f64", 1 / 3)
    writer.add_array("k.texts", ["a", "", "Ġb"])
    writer.add_array("k.integers", [-1, 2, 3])
    writer.add_array("k.reals", [0.5, -1.25])
    expected = {}
    for kind in [T.F32, T.F16, T.BF16, *SCALES]:
        numbers, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = arguments.blocks or {1: 40, 32: 8, 256: 2}[numbers]
        data = rows_of(kind, blocks, rng)
        name = f"blocks.{kind.name.lower()}"
        if kind in (T.F32, T.F16):  # the writer takes these as numbers
            writer.add_tensor(name, data.view(np.float32 if kind == T.F32 else np.float16))
        else:
            writer.add_tensor(name, data, raw_dtype=kind)
        expected[name] = gguf.quants.dequantize(data, kind).astype(np.float32).reshape(ROWS, -1)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    # As integers, so that NaN keeps its bits.
    np.savez_compressed(arguments.folder / "blocks.npz", **{name: value.view(np.int32) for name, value in expected.items()})


if __name__ == "__main__":
    main()
