"""headlight corpus: what it says a configuration reads, and what it writes as held out, against files that this test makes."""
import json
import pathlib
import subprocess
import sys
import tempfile

HEADLIGHT = sys.argv[1]
MODEL = {"d_model": 8, "heads": 2, "layers": 1, "d_ff": 16}


def run(*arguments, expect=0):
    done = subprocess.run([HEADLIGHT, "corpus", *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == expect, (done.returncode, done.stdout, done.stderr)
    return done.stdout if expect == 0 else done.stderr


def written(folder, name, config):
    (folder / name).write_text(json.dumps(config), encoding="utf-8")
    return folder / name


with tempfile.TemporaryDirectory() as name:
    here = pathlib.Path(name)
    pairs = [(f"sentence {i // 2}", f"phrase {i}") for i in range(400)]  # every source has two targets
    (here / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    (here / "text.txt").write_text("".join(f"the cat sat {i}\n" for i in range(200)), encoding="utf-8")
    words = {"kind": "words", "size": 0}
    translator = written(here, "pairs.json", {"task": "pairs", "corpus": ["pairs.tsv"], "held_out": 0.2, "tokenizer": words,
                                              "target_tokenizer": words, "model": MODEL, "length": 16, "batch": 4})
    reader = written(here, "text.json", {"task": "text", "corpus": ["text.txt"], "held_out": 0.1, "tokenizer": words,
                                         "model": MODEL, "length": 8, "batch": 4})

    # Pairs: both targets of a source are held out, or none; what is counted is what is written.
    run("--config", translator, "--held-out", here / "held.tsv")
    held = [tuple(line.split("\t")) for line in (here / "held.tsv").read_text(encoding="utf-8").splitlines()]
    assert held and set(held) < set(pairs), held
    assert sorted(held) == sorted(pair for pair in pairs if pair[0] in {source for source, _ in held})
    sizes = json.loads(run("--config", translator, "--json"))
    assert sizes["held_out_texts"] == len(held) and sizes["training_texts"] == len(pairs) - len(held), sizes

    # Text: the last tenth of the file. "the cat sat" can be counted, the number behind it cannot.
    run("--config", reader, "--held-out", here / "held.txt")
    lines = (here / "held.txt").read_text(encoding="utf-8").splitlines()
    assert lines == [f"the cat sat {i}" for i in range(200 - len(lines), 200)] and 15 <= len(lines) <= 25, lines
    counts = json.loads(run("--config", reader, "--counts", "--json"))
    assert 0.5 < counts["bigram_top_1"] <= counts["bigram_top_5"] < 0.9, counts
    assert counts["unigram_top_1"] < counts["bigram_top_1"] and counts["unigram_top_5"] >= 0.6, counts
    table = run("--config", reader, "--counts")
    assert f"{100 * counts['bigram_top_5']:.1f}%" in table and "held out" in table, table

    # What it cannot do.
    endless = written(here, "repeat.json", {"task": "repeat", "model": MODEL, "length": 80})
    for more in ([], ["--held-out", here / "x.txt"]):
        assert "endless" in run("--config", endless, *more, expect=2)
    assert not (here / "x.txt").exists()
    assert "no folder" not in run("--config", here / "none.json", expect=1)
    assert "does not exist" in run("--config", reader, "--held-out", here / "no" / "x.txt", expect=1)
    assert run("--config", reader, "--data", here / "nowhere", expect=1).startswith("headlight corpus: ")
print("corpus: ok")
