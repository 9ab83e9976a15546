#!/usr/bin/env python3
"""Registers and spills of every CUDA kernel, against the table of docs/cuda.md (tests/gpu/sass_check).

usage: cuda_resources_test.py HEADLIGHT BUILD_FOLDER
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
sys.exit(subprocess.run([sys.executable, script, "--resources", "--nvcc", nvcc[1]]).returncode)
