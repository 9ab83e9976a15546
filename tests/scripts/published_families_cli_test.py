"""Every published family answers every question that the command line asks of a model, or says why not: its continuation, interventions, gradients,
heads, context, embeddings, evaluation, and pictures of its maps."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HEADLIGHT = sys.argv[1]
PUBLISHED = pathlib.Path(__file__).resolve().parents[1] / "data" / "published"
TEXT = "a mole ran"


def run(*arguments):
    done = subprocess.run([HEADLIGHT, *map(str, arguments)], capture_output=True, check=False, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode()


def models(root):
    for file in sorted([*PUBLISHED.glob("*.safetensors"), *PUBLISHED.glob("*.gguf")]):
        place = root / file.name.replace(".", "-")
        place.mkdir()
        encoder = "bert" in file.name
        shutil.copy(PUBLISHED / ("encoder-tokenizer.json" if encoder else "tokenizer.json"), place / "tokenizer.json")
        if file.suffix == ".gguf":
            shutil.copy(file, place / file.name)
        else:
            (place / "config.json").write_text(json.dumps(json.loads((PUBLISHED / f"{file.stem}.json").read_text())["config"]))
            shutil.copy(file, place / "model.safetensors")
        yield place, encoder


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        corpus = root / "corpus.txt"
        corpus.write_text("the mole ran away\na cat sat on a mat\n" * 2)
        count = 0
        for place, encoder in models(root):
            count += 1
            model = ("--model", place)
            for questions, need_head in (
                    (("generate", *model, "--text", TEXT, "--tokens", "3", "--json"), True),
                    (("generate", *model, "--text", TEXT, "--tokens", "3", "--without", "layer.0.head.1"), True),
                    (("evaluate", *model, "--corpus", corpus, "--json"), True),
                    (("trace", *model, "--text", TEXT, "--gradients", "--out", "-"), True),
                    (("trace", *model, "--text", TEXT, "--without", "layer.0.head.1", "--out", "-"), False),
                    (("trace", *model, "--text", TEXT, "--text", "the longer mole", "--out", "-"), False),
                    (("heads", *model, "--corpus", corpus, "--json"), False),
                    (("context", *model, "--word", "a", "--json", "a cat", "the a mole"), False),
                    (("embeddings", *model, "a + b - c"), False),
                    (("params", *model, "--json"), False),
                    (("export", *model, "--text", TEXT, "--what", "layer.0.weights", "--head", "0", "--out", root / "weights.csv"), False)):
                status, out, said = run(*questions)
                if encoder and need_head:
                    assert status == 2 and said.count("\n") == 1, (place.name, questions[0], said)
                    assert "no language head" in said or "nothing of the next token" in said, (place.name, questions[0], said)
                else:
                    assert status == 0, (place.name, questions[0], said)
                    assert out or questions[0] == "export", (place.name, questions[0])
        print(f"{count} models")


if __name__ == "__main__":
    main()
