"""headlight train-embeddings and what embeddings says of its vectors: losses, neighbours, an analogy, and what is refused."""

import json
import pathlib
import subprocess
import sys
import tempfile

HEADLIGHT = sys.argv[1]


def run(*arguments):
    return subprocess.run([HEADLIGHT, *arguments], capture_output=True, text=True)


def refused(words, *arguments):
    done = run(*arguments)
    assert done.returncode in (1, 2) and words in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, (arguments, done)


# Two worlds: who rules and who works, each as a man and as a woman. Only neighbours tell the words apart.
lines = []
for i in range(600):
    for word, place, title in (("king", "palace", "he"), ("queen", "palace", "she"), ("man", "field", "he"), ("woman", "field", "she")):
        lines.append(f"{title} is the {word} of the {place}")
corpus = "\n".join(lines)

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    text = folder / "worlds.txt"
    text.write_text(corpus)
    for kind in ("skipgram", "cbow"):
        out = str(folder / kind)
        train = ["train-embeddings", "--kind", kind, "--corpus", str(text), "--out", out, "--d-model", "12", "--epochs", "6",
                 "--subsample", "0", "--rate", "0.05"]
        done = run(*train, "--json")
        assert done.returncode == 0 and not done.stderr, done
        epochs = [json.loads(line) for line in done.stdout.splitlines()]
        assert [one["epoch"] for one in epochs] == [1, 2, 3, 4, 5, 6] and epochs[-1]["loss"] < epochs[0]["loss"], epochs
        again = run(*train)
        assert [f"epoch {one['epoch']}: loss {one['loss']:.4f}" for one in epochs] == again.stdout.splitlines(), again
        answer = json.loads(run("embeddings", "--model", out, "--json", "--count", "3", "king - man + woman").stdout)
        assert answer["nearest"][0]["token"] == "queen", (kind, answer["nearest"])
    arrays = run("embeddings", "--model", str(folder / "cbow"), "palace")
    assert arrays.returncode == 0 and len(arrays.stdout.splitlines()) > 3, arrays

    # The film of such a training, in a session: its words' ways in a plane, and its losses.
    session = folder / "film.headlight"
    session.write_text(json.dumps({"headlight": 1, "document": {"version": 1, "texts": ["king"]}, "view": {"tab": "embeddings",
        "embeddings": {"page": "learn", "text": "file", "path": str(text), "width": 8, "epochs": 2,
                       "shown_words": "king queen man woman"}}}))
    for what in ("word-plane", "word-losses"):
        data = folder / (what + ".csv")
        done = run("export", "--session", str(session), "--what", what, "--out", str(data))
        assert done.returncode == 0 and data.stat().st_size > 300, (what, done)
    again = folder / "again.csv"
    assert run("export", "--session", str(session), "--what", "word-losses", "--out", str(again)).returncode == 0
    assert again.read_text() == data.read_text(), "the same settings learn the same"

    refused("weave", "train-embeddings", "--kind", "weave", "--corpus", str(text), "--out", str(folder / "no"))
    refused("fewer than two words", "train-embeddings", "--corpus", str(text), "--out", str(folder / "no"), "--min-count", "100000")
    refused("missing.txt", "train-embeddings", "--corpus", str(folder / "missing.txt"), "--out", str(folder / "no"))
    refused("cannot be made", "train-embeddings", "--corpus", str(text), "--out", str(text / "x"))
    refused("zeppelin", "embeddings", "--model", str(folder / "cbow"), "zeppelin")
    (folder / "cbow" / "vectors.npz").write_bytes(b"PK")
    refused("vectors.npz", "embeddings", "--model", str(folder / "cbow"), "king")
print("word vectors are learnt, asked and refused as they should be")
