"""Writes colormap_tables.cpp from matplotlib's colour maps (python3 make_colormap_tables.py; needs matplotlib).

viridis and magma: N. J. Smith, S. van der Walt, E. Firing, released as CC0. cividis: J. R. Nunez, C. R. Anderton,
R. S. Renslow, "Optimizing colormaps with consideration for color vision deficiency", PLOS ONE 13(7), 2018, in
matplotlib under CC0 as well.
"""
import pathlib

import matplotlib

lines = [
    "// Made by make_colormap_tables.py from matplotlib " + matplotlib.__version__ + " (its CC0 tables); do not edit.",
    '#include "app/figures/base/colormap_tables.h"', "", "namespace headlight::figures {", "", "// clang-format off",
]
for name in ("viridis", "magma", "cividis"):
    colours = (matplotlib.colormaps[name](range(256)) * 255).round().astype(int)
    hexes = [f"0x{r:02x}{g:02x}{b:02x}" for r, g, b, _ in colours]
    lines.append(f"const ColormapTable k{name.capitalize()} = {{")
    lines += ["    " + ", ".join(hexes[i:i + 12]) + "," for i in range(0, 256, 12)]
    lines += ["};", ""]
lines += ["// clang-format on", "}  // namespace headlight::figures", ""]
pathlib.Path(__file__).with_name("colormap_tables.cpp").write_text("\n".join(lines))
