#!/usr/bin/env python3
"""Tests tests/gpu/sass_check with made-up compiler output: it finds every fault and reports no false ones."""
import importlib.machinery
import importlib.util
from pathlib import Path

script = Path(__file__).resolve().parents[1] / "gpu/sass_check"
loader = importlib.machinery.SourceFileLoader("sass_check", str(script))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("sass_check", loader))
loader.exec_module(check)


def listing(*lines):
    text = [".text.kernel:", ".L_x_1:"] + [line if line.startswith(".L") else f"        /*{16 * n:04x}*/   {line} ;" for n, line in enumerate(lines)]
    return "\n".join(text)


def found(*lines):
    wrong, loops = check.wrong_in(listing(*lines))
    assert loops == 1, loops
    return "\n".join(wrong)


SCORES = ["WARPGROUP.ARRIVE", "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], RZ, !UPT", "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24, gsb0",
          "WARPGROUP.DEPBAR.LE gsb0, 0x0"]
PACKED = ["FADD R24, R24, -R20", "MUFU.EX2 R25, R24", "F2FP.BF16.F32.PACK_AB R88, R25, R24", "F2FP.BF16.F32.PACK_AB R89, R27, R26",
          "F2FP.BF16.F32.PACK_AB R90, R29, R28", "F2FP.BF16.F32.PACK_AB R91, R31, R30"]
SUM = ["WARPGROUP.ARRIVE", "HGMMA.64x64x16.F32.BF16 R56, R88, gdesc[UR8].tnspB, R56, gsb0", "@!P0 BRA `(.L_x_1)"]

assert found(*SCORES, *PACKED, *SUM) == ""
# The first operand of the first product is in registers that the loop writes: in the second round it has another value.
assert "R88 was not made anew" in found(SCORES[0], "HGMMA.64x64x16.F32.BF16 R24, R88, gdesc[UR4], RZ, !UPT, gsb0", SCORES[3], *PACKED, *SUM)
# Registers that the loop never writes may be read by as many products as there are.
assert found(SCORES[0], "HGMMA.64x64x16.F32.BF16 R24, R92, gdesc[UR4], RZ, !UPT, gsb0", SCORES[3], *PACKED, *SUM) == ""
assert "R91 was last written by IMAD.MOV.U32" in found(*SCORES, *PACKED, "@P1 IMAD.MOV.U32 R91, RZ, RZ, R3", *SUM)
assert "R90 belongs to the product" in found("CS2R R90, SRZ", *SCORES, *PACKED, *SUM), "the weights are still being read"
assert "R57 belongs to the product" in found("FMUL R3, R57, R2", *SCORES, *PACKED, *SUM), "the sum is not there yet"
assert "R56 belongs to the product" in found("LDS.128 R53, [R3]", *SCORES, *PACKED, *SUM), "four registers from R53"
assert "each is waited for by itself" in found(*SCORES[:2], SCORES[3], SCORES[0], SCORES[2], SCORES[3], *PACKED, *SUM[:2], SCORES[3], SUM[2])
wrong, loops = check.wrong_in(listing("LDG.E R2, desc[UR4][R4.64]", "STL.64 [R1+0x8], R2", "@P0 BRA `(.L_x_1)"))
assert loops == 0 and len(wrong) == 1 and "local memory" in wrong[0], wrong

SAID = """ptxas info    : (C7515) Potential Performance Loss: wgmma.mma_async instructions are serialized due to something in 'one'
ptxas info    : Compiling entry function '_Z3onei' for 'sm_90a'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 112 registers, used 1 barriers
ptxas info    : Compiling entry function '_Z3twoi' for 'sm_90a'
    32 bytes stack frame, 28 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers"""
kernels, waits = check.resources_of(SAID)
assert kernels == {"_Z3onei": {"registers": 112, "spilled": 0, "stack": 0}, "_Z3twoi": {"registers": 255, "spilled": 48, "stack": 32}}, kernels
assert len(waits) == 1 and "serialized" in waits[0]

table = check.table_of("""| file | what |
| --- | --- |
| a | b |

| kernel | threads | registers 7.5 | registers 9.0 |
| --- | --- | --- | --- |
| one | 128 | not compiled | 112 |
| both | 128 | 9 | 112 / 250 |
""")
assert set(table) == {"one", "both"}, table
made = {"7.5": {}, "9.0": kernels}
assert check.compare(table, made, {"one": ["3one"]}) == []
wrong = check.compare(table, {"9.0": kernels}, {"both": ["3one", "3two"], "gone": ["3one"], "one": ["4four"]})
assert any("it says 112 / 250, ptxas 112 / 255" in w for w in wrong) and any("no row 'gone'" in w for w in wrong), wrong
assert any("no kernel is called 4four" in w for w in wrong), wrong
