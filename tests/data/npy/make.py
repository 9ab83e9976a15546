"""Makes the .npy and .npz files beside it with NumPy (written with 1.24.2); npy_test.cpp knows their values."""
import pathlib
import zipfile

import numpy as np

here = pathlib.Path(__file__).parent
matrix = np.arange(6).reshape(2, 3)
for name, array in {
    "f2": np.array([0.5, -2, 65504, 2.0**-24, np.inf, -np.inf, np.nan, -0.0], "<f2"),
    "f4_fortran": np.asfortranarray(np.arange(24, dtype="<f4").reshape(2, 3, 4)),
    "f8_big": (matrix / 3).astype(">f8"),
    "f4": (matrix + 0.25).astype("<f4"),
    "bool": matrix % 2 == 1,
    "u1": matrix.astype("u1") + 250,
    "i1": matrix.astype("i1") - 3,
    "i2_big": (matrix * -1000).astype(">i2"),
    "u4": matrix.astype("<u4"),
    "i8": matrix.astype("<i8") - 2**31,
    "u8_too_large": np.array([1, 2**40], "<u8"),
    "scalar": np.float64(2.5),
    "empty": np.zeros((0, 3), "<f4"),
    "c8": np.zeros(2, "<c8"),
    "text": np.array(["a", "bc"]),
    "records": np.zeros(2, [("x", "<f4"), ("y", "<i4")]),
}.items():
    np.save(here / f"{name}.npy", array)
with open(here / "version2.npy", "wb") as f:
    np.lib.format.write_array(f, matrix.astype("<f4"), version=(2, 0))
arrays = {"q": matrix.astype("<f4"), "mask": matrix > 2, "größe": np.zeros((64, 64), "<f8")}
np.savez(here / "stored.npz", **{"q": arrays["q"], "mask": arrays["mask"]})
np.savez_compressed(here / "packed.npz", **arrays)
zipfile.ZIP64_LIMIT = 10  # every size and offset goes to the zip64 fields
zipfile.ZIP_FILECOUNT_LIMIT = 1
np.savez(here / "zip64.npz", **{"q": arrays["q"], "mask": arrays["mask"]})
