#!/usr/bin/env python3
"""The CUDA kernels' machine code, if nvdisasm is installed (tests/gpu/sass_check).

usage: cuda_machine_code_test.py HEADLIGHT BUILD_FOLDER
"""
import re
import subprocess
import sys
from pathlib import Path

cache = Path(sys.argv[2], "CMakeCache.txt").read_text()
nvcc = re.search(r"^CMAKE_CUDA_COMPILER:\w+=(.*nvcc.*)$", cache, re.M)
if not nvcc:
    print("skipped: this build has no nvcc")
    sys.exit(77)
script = Path(__file__).resolve().parents[1] / "gpu/sass_check"
sys.exit(subprocess.run([sys.executable, script, "--code", "--nvcc", nvcc[1]]).returncode)
