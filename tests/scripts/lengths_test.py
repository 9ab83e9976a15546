"""No file of engine/ and app/ has more than 600 lines."""
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
MOST = 600


def main():
    files = [path for folder in ("engine", "app") for path in sorted((TOP / folder).rglob("*"))
             if path.suffix in (".h", ".cpp", ".cu", ".cuh")]
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in files}
    too_long = [path for path in files if lengths[path] > MOST]
    for path in too_long:
        print(f"{path.relative_to(TOP).as_posix()} has {lengths[path]} lines")
    print(f"{len(files)} files, the longest of {max(lengths.values(), default=0)} lines, {len(too_long)} too long")
    assert len(files) > 1000, "the files were not found"
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
