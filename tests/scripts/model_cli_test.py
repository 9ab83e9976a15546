"""Tests the commands that read trained models: generate, evaluate, heads, context and why, and --model of trace, on small models that this test
writes itself (tests/support/tiny_model.py). model_cli_test.py PROGRAM BUILD_FOLDER."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import tiny_model  # noqa: E402

program = sys.argv[1]
environment = dict(os.environ)


def call(*arguments, stdin=None):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, errors="replace", input=stdin, timeout=120,
                          env=environment)


def output(*arguments, stdin=None):
    done = call(*arguments, stdin=stdin)
    assert done.returncode == 0 and done.stderr == "", (arguments, done)
    return done.stdout


def write_changed(*arguments):
    """A trace with interventions. The CPU computes them by plain loops, which the command says."""
    done = call("trace", *arguments)
    assert done.returncode == 0 and done.stdout == "", (arguments, done)
    assert "by plain loops on the host, since cpu has no way of its own" in done.stderr and done.stderr.count("\n") == 1, (arguments, done)


def answer(*arguments, stdin=None):
    return json.loads(output(*arguments, "--json", stdin=stdin))


def refused(status, words, *arguments, stdin=None):
    done = call(*arguments, stdin=stdin)
    assert done.returncode == status, (arguments, done)
    assert done.stdout == "" and done.stderr.count("\n") == 1, (arguments, done)
    assert words in done.stderr, (arguments, done.stderr)


def array(path, name):
    """A float32 or int32 array of an .npz, as a list of numbers and its shape."""
    import struct
    with zipfile.ZipFile(path) as file:
        raw = file.read(name + ".npy")
    length = struct.unpack("<H", raw[8:10])[0]
    header = eval(raw[10:10 + length])  # a dictionary literal of our own writing
    data = raw[10 + length:]
    return list(struct.unpack(f"<{len(data) // 4}{'f' if header['descr'] == '<f4' else 'i'}", data)), header["shape"]


def generated(folder, model, translator):
    made = answer("generate", "--model", model, "--text", "a mole", "--text", "b", "--tokens", 4)
    assert [one["text"] for one in made] == ["a mole", "b"], made
    # The first token is the best of the trace's probabilities, with that probability.
    npz = folder / "trace.npz"
    output("trace", "--model", model, "--text", "a mole", "--out", npz)
    p, shape = array(npz, "probabilities")
    last = p[(shape[1] - 1) * shape[2]:shape[1] * shape[2]]
    first = made[0]["steps"][0]
    assert first["id"] == max(range(len(last)), key=last.__getitem__), (first, max(last))
    best = first["candidates"][0]
    assert best["id"] == first["id"] and best["token"] == first["token"] and abs(best["probability"] - max(last)) < 1e-5, first
    for one in made:
        assert len(one["steps"]) == 4 or one["steps"][-1]["token"] == "[EOS]", one
        for step in one["steps"]:
            shown = [c["probability"] for c in step["candidates"]]
            assert shown == sorted(shown, reverse=True) and 0 < sum(shown) <= 1 + 1e-9, step
    # One line out for each line in, and the same from a file, standard input and --text.
    lines = output("generate", "--model", model, "--texts", "-", "--tokens", 4, stdin="a mole\nb\n").split("\n")[:-1]
    assert len(lines) == 2, lines
    texts = folder / "texts.txt"
    texts.write_text("a mole\nb\n")
    assert output("generate", "--model", model, "--texts", texts, "--tokens", 4).split("\n")[:-1] == lines
    assert output("generate", "--model", model, "--text", "a mole", "--tokens", 4).split("\n")[:-1] == lines[:1]
    assert output("generate", "--model", model, "--texts", "-", stdin="") == ""
    # Draws are seeded.
    drawn = [output("generate", "--model", model, "--text", "a", "--tokens", 20, "--temperature", 1, "--seed", seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2], drawn
    assert len(output("generate", "--model", translator, "--texts", "-", "--tokens", 9, stdin="a mole\nthe ant\nx\n").split("\n")[:-1]) == 3

    refused(2, "give --text, or --texts", "generate", "--model", model, "--tokens", 3)
    refused(2, "--text excludes --texts", "generate", "--model", model, "--text", "a", "--texts", "-", stdin="a\n")
    refused(2, "--tokens", "generate", "--model", model, "--text", "a", "--tokens", 0)
    refused(2, "--top-p", "generate", "--model", model, "--text", "a", "--top-p", 2)
    refused(2, "the sandbox's weights are random", "generate", "--model", "sandbox", "--text", "a")
    refused(2, "there is no model 'gpt9'; known are sandbox", "generate", "--model", "gpt9", "--text", "a")
    refused(1, "there is no such file", "generate", "--model", model, "--texts", folder / "none.txt")
    refused(1, "text 1: it has 41 tokens, and the model reads at most 32", "generate", "--model", translator, "--text", "a" * 39)


def evaluated(folder, model, translator):
    text = "a mole ran."
    corpus = folder / "corpus.txt"
    corpus.write_text(text)
    found = answer("evaluate", "--model", model, "--corpus", corpus)
    assert list(found) == ["model", "tokens", "bytes", "nats_per_token", "bits_per_byte", "perplexity"], found
    npz = folder / "trace.npz"
    output("trace", "--model", model, "--text", text, "--out", npz)
    p, shape = array(npz, "probabilities")
    ids, _ = array(npz, "tokens")
    nats = -sum(math.log(p[i * shape[2] + ids[i + 1]]) for i in range(len(ids) - 1))
    assert found["tokens"] == found["bytes"] == 11 and len(ids) == 12, (found, ids)
    assert abs(found["nats_per_token"] - nats / 11) < 1e-5, (found, nats)
    assert abs(found["bits_per_byte"] - nats / math.log(2) / 11) < 1e-5 and abs(found["perplexity"] / math.exp(nats / 11) - 1) < 1e-5
    assert answer("evaluate", "--model", model, "--corpus", "-", stdin=text) == found
    assert f"bits per byte   {found['bits_per_byte']:.4f}\n" in output("evaluate", "--model", model, "--corpus", corpus)
    corpus.write_text(text * 20)  # several windows
    assert answer("evaluate", "--model", model, "--corpus", corpus)["tokens"] == 220
    pairs = folder / "pairs.tsv"
    pairs.write_text("a mole\tune taupe\tby somebody\nant\tle rat\n")
    found = answer("evaluate", "--model", translator, "--corpus", pairs)
    assert found["bytes"] == 15 and found["tokens"] == 17, found

    refused(1, "the corpus is empty", "evaluate", "--model", model, "--corpus", "-", stdin="")
    refused(1, "pairs.tsv:1: this line is no pair", "evaluate", "--model", translator, "--corpus", pairs.parent / "bad-pairs.tsv")
    refused(2, "--corpus is required", "evaluate", "--model", model)


def heads_scored(folder, model, translator):
    corpus = folder / "lines.txt"
    corpus.write_text("a mole ran. the mole sat.\nthe ant.\n\nb\n")
    found = answer("heads", "--model", model, "--corpus", corpus)
    patterns = ["previous", "next", "first", "sentence", "same", "induction", "punctuation", "previous_punctuation", "pieces", "adjective",
                "determiner", "subject", "object", "pronoun", "pair", "alignment"]
    assert [(h["site"], h["layer"], h["head"]) for h in found] == [("self", n, h) for n in (0, 1) for h in (0, 1)], found
    for head in found:
        assert list(head["scores"]) == list(head["chance"]) == patterns, head
        assert head["role"] is None or head["scores"][head["role"]] > head["chance"][head["role"]], head
        assert head["scores"]["next"] is None and head["scores"]["alignment"] is None, head  # behind a causal mask; of one text
        assert all(s is None or 0 <= s <= 1 for s in head["scores"].values()), head
        assert head["scores"]["induction"] is not None and head["scores"]["same"] is not None
    # The mean of one text's cells, from its trace.
    corpus.write_text("a mole ran.\n")
    npz = folder / "trace.npz"
    output("trace", "--model", model, "--text", "a mole ran.", "--out", npz)
    w, shape = array(npz, "layer.1.weights")
    n = shape[2]
    previous = sum(w[(1 * n + i) * n + i - 1] for i in range(1, n)) / (n - 1)
    first = sum(w[(1 * n + i) * n] for i in range(1, n)) / (n - 1)
    scores = answer("heads", "--model", model, "--corpus", corpus)[3]["scores"]
    assert abs(scores["previous"] - previous) < 1e-6 and abs(scores["first"] - first) < 1e-6, (scores, previous, first)
    table = output("heads", "--model", model, "--corpus", corpus)
    assert "best for previous" in table and f"{scores['first']:.3f}" in table, table
    # What gives the heads their names in the window: all of them, with the checksum of the weights.
    kept = pathlib.Path(model) / "heads.json"
    assert output("heads", "--model", model, "--corpus", corpus, "--out", kept) == table
    written = json.loads(kept.read_text())
    weights = zlib.crc32((pathlib.Path(model) / "model.safetensors").read_bytes())
    assert written["headlight"] == {"version": 1, "weights": f"{weights:08x}", "corpus": "lines.txt", "texts": 1,
                                    "marked": written["headlight"]["marked"]}, written["headlight"]
    assert len(written["heads"]) == 4 and abs(written["heads"][3]["scores"]["first"] - scores["first"]) < 1e-6, written
    refused(1, "nowhere", "heads", "--model", model, "--corpus", corpus, "--out", folder / "nowhere" / "heads.json")
    kept.unlink()
    pairs = folder / "pairs.tsv"
    sites = answer("heads", "--model", translator, "--corpus", pairs)
    assert [s for s in dict.fromkeys(h["site"] for h in sites)] == ["encoder", "decoder", "cross"], sites
    cross = [h["scores"] for h in sites if h["site"] == "cross"]
    assert all(s["alignment"] is not None and s["previous"] is None for s in cross), cross
    # From "mole" to "red" and "big" of a user's own lists, which the bundled ones do not have all of.
    lists, text = folder / "lists.txt", "a red zig mole"
    lists.write_text("adjective: red zig\nnoun: mole\n")
    corpus.write_text(text + "\n")
    output("trace", "--model", model, "--text", text, "--out", npz)
    w, shape = array(npz, "layer.0.weights")
    n = shape[2]
    # Characters behind [BOS].
    expected = sum(w[(n - 1) * n + j] for j in (3, 4, 5, 7, 8, 9))
    scores = answer("heads", "--model", model, "--corpus", corpus, "--words", lists)[0]["scores"]
    assert abs(scores["adjective"] - expected) < 1e-6, (scores, expected)
    assert answer("heads", "--model", model, "--corpus", corpus)[0]["scores"]["adjective"] is None
    lists.write_text("adjective: red\nnoun: red\n")
    refused(1, "lists.txt:2: 'red' is in both lists", "heads", "--model", model, "--corpus", corpus, "--words", lists)
    refused(1, "nowhere.txt", "heads", "--model", model, "--corpus", corpus, "--words", folder / "nowhere.txt")
    refused(1, "no line of it has two tokens", "heads", "--model", model, "--corpus", "-", stdin="\n\n")


def interventions(folder, model, translator):
    """Heads taken out: the trace, generation, evaluation and all heads in turn agree; what is not there is named."""
    npz, changed = folder / "plain.npz", folder / "changed.npz"
    text = ("--model", model, "--text", "a mole")
    output("trace", *text, "--out", npz)

    def logits(path):
        values, shape = array(path, "logits")
        return values[(shape[1] - 1) * shape[2]:shape[1] * shape[2]]

    made = answer("heads", *text, "--matter")
    assert made["id"] == max(range(len(logits(npz))), key=logits(npz).__getitem__) and len(made["heads"]) == 4, made
    moved = 0
    for head in made["heads"]:
        place = f"layer.{head['layer']}.head.{head['head']}"
        write_changed("--out", changed, *text, "--without", place)
        context, shape = array(changed, f"layer.{head['layer']}.context")
        each = len(context) // shape[1]
        assert all(x == 0 for x in context[head["head"] * each:(head["head"] + 1) * each]), place
        assert any(x != 0 for x in array(changed, f"layer.{head['layer']}.context_own")[0]), place
        change = logits(changed)[made["id"]] - logits(npz)[made["id"]]
        assert abs(head["logit"] - change) < 1e-4, (place, head, change)
        moved = max(moved, abs(change))
        p, shape = array(changed, "probabilities")
        best = answer("generate", *text, "--tokens", 1, "--without", place)[0]["steps"][0]["candidates"][0]
        assert abs(best["probability"] - max(p[(shape[1] - 1) * shape[2]:shape[1] * shape[2]])) < 1e-5, place
    assert moved > 1e-3, "no head matters"
    table = output("heads", *text, "--matter", "--word", "m", "--position", 2, "--replaced-by", "mean").splitlines()
    assert table[0].startswith("behind position 2: 'm'") and table[-1].split()[0] == "1" and len(table[-1].split()) == 3, table

    # A list, both options at once, and a session that keeps them.
    both = ("--without", "layer.0.head.1,layer.1.feed_forward", "--scale-head", "layer.1.head.0=2")
    write_changed("--out", changed, *text, *both)
    session = folder / "changed.json"
    session.write_text(json.dumps({"model": str(model), "texts": ["a mole"], "without": ["layer.0.head.1", "layer.1.feed_forward"],
                                   "scale_head": ["layer.1.head.0=2"]}))
    again = folder / "again.npz"
    write_changed("--out", again, "--session", session)
    assert logits(changed) == logits(again) != logits(npz)
    corpus = folder / "sentences.txt"
    corpus.write_text("the mole ran\nthe ant\n")
    loss = [answer("evaluate", "--model", model, "--corpus", corpus, *more)["nats_per_token"] for more in ((), both, ("--uniform", "layer.0.attention"))]
    assert len({round(x, 6) for x in loss}) == 3, loss

    pair = ("--model", translator, "--text", "a mole", "--target", "le")
    assert [one["site"] for one in answer("heads", *pair, "--matter")["heads"]] == ["encoder"] * 4 + ["decoder"] * 4 + ["cross"] * 4
    refused(2, "layer.9.head.0: " + str(model) + " has layers 0 to 1", "generate", *text, "--without", "layer.9.head.0")
    refused(2, "layer.1.head.5: " + str(model) + " has heads 0 to 1 in each layer", "evaluate", "--model", model, "--corpus", corpus,
            "--mean", "layer.1.head.5")
    refused(2, "there is no 'heads', did you mean 'head'?", "trace", *text, "--shapes", "--without", "layer.1.heads.1")
    refused(2, "has no encoder and decoder here", "trace", *text, "--shapes", "--without", "decoder.layer.0")
    refused(2, "has an encoder and a decoder here; write encoder.layer.0 or decoder.layer.0", "generate", "--model", translator, "--text",
            "a", "--without", "layer.0")
    refused(2, "layer.1.head.0: it is replaced twice", "trace", *text, "--shapes", "--without", "layer.1.head.0", "--mean", "layer.1.head.0")
    refused(2, "'xx' has length", "trace", *text, "--out", changed, "--pattern-from", "layer.1.head.0=xx")
    refused(2, "there is no text to take heads out of", "heads", "--model", model, "--matter")
    refused(2, "there is no text to score the heads on", "heads", "--model", model)
    # All heads by the weight that they give some cells.
    output("trace", *text, "--out", npz)
    layers = [array(npz, f"layer.{n}.weights") for n in (0, 1)]
    n = layers[0][1][2]
    cells = [(4, 1), (5, 2)]
    expected = {(layer, head): sum(w[(head * n + i) * n + j] for i, j in cells) / 2 for layer, (w, _) in enumerate(layers) for head in (0, 1)}
    sorted_heads = answer("heads", *text, "--cell", "4,1", "--cell", "5,2")
    assert [h["weight"] for h in sorted_heads] == sorted((h["weight"] for h in sorted_heads), reverse=True), sorted_heads
    for head in sorted_heads:
        assert head["site"] == "self" and abs(head["weight"] - expected[head["layer"], head["head"]]) < 1e-6, (head, expected)
    assert output("heads", *text, "--cell", "4,1").startswith("cell 4,1  "), "the tokens of the cell"
    refused(2, "'4:1' is no cell", "heads", *text, "--cell", "4:1")
    refused(2, "no map has all of these cells", "heads", *text, "--cell", "40,1")
    refused(2, "there is no text whose maps have cells", "heads", "--model", model, "--cell", "4,1")
    refused(2, "the text has positions 0 to 6", "heads", *text, "--matter", "--position", 40)
    refused(2, "leave the interventions out", "heads", "--model", model, "--corpus", corpus, "--out", folder / "h.json", "--without", "layer.0")


def contexts(model, translator):
    texts = ["a mole ran", "the old mole ran", "a mole. sat"]
    found = answer("context", "--model", model, "--word", "mole", "--probe", "ant", *texts)
    assert [layer["layer"] for layer in found["layers"]] == [0, 1, 2], found
    # Rotary positions add nothing to the embedding, so that the word is one vector there; then its neighbours tell the texts apart.
    for layer in found["layers"]:
        for i in range(3):
            assert layer["distance"][i][i] == 0 and abs(layer["cosine"][i][i] - 1) < 1e-12, layer
            for j in range(3):
                assert layer["distance"][i][j] == layer["distance"][j][i], layer
                assert (layer["distance"][i][j] > 1e-3) == (layer["layer"] > 0 and {i, j} not in ({0}, {1}, {2}, {0, 2})), (i, j, layer)
        assert list(layer["probes"]) == ["ant"] and len(layer["probes"]["ant"]) == 3, layer
    assert "layer 1  texts 1 and 2  cosine " in output("context", "--model", model, "--word", "mole", *texts)
    # With positions added, the same word at two places is two vectors from the beginning.
    at_two = answer("context", "--model", translator, "--word", "mole", "a mole", "the old mole")
    assert at_two["layers"][0]["distance"][0][1] > 0.1, at_two
    refused(2, "text 2: the text has no word 'mole'", "context", "--model", model, "--word", "mole", "a mole", "some moles")
    refused(2, "give at least two", "context", "--model", model, "--word", "mole", "a mole")


def reasons(model, translator):
    """why: edges of a route, and the parts of a difference of two scores."""
    text = ("why", "--model", model, "--text", "a mole dug")
    made = answer(*text, "--threshold", "0.01", "--for", "m", "--over", "x", "--removed", 2)
    assert made["adds_up"] and len(made["edges"]) > 5 and made["position"] == len(made["tokens"]) - 1, made
    shares = [edge["share"] for edge in made["edges"]]
    assert shares == sorted(shares, reverse=True) and 0.01 <= shares[-1] and shares[0] < 1, shares
    assert all(edge["key"] < edge["query"] and edge["from"]["level"] + 1 == edge["to"]["level"] for edge in made["edges"]), made["edges"]
    over = made["over"]
    assert over["word"] == "x" and abs(sum(part["logit"] for part in over["parts"]) - over["difference"]) < 1e-3, over
    assert abs(sum(over["by_layer"]) - over["difference"]) < 1e-3 and len(over["by_layer"]) == 3, over
    by_source = sum(over["by_source"]) + sum(over["by_source_of_other_text"]) + over["without_heads"]
    assert over["adds_up"] and abs(by_source - over["difference"]) < 1e-3 and over["by_source_of_other_text"] == [], over
    assert 0 < made["bytes"] < made["bytes_while_computed"] < 1e8, made
    taken = over["removed"][0]
    left = answer(*text, "--over", "x", "--for", "m", "--removed", 0, "--without", taken["part"])["over"]["difference"]
    assert abs(left - taken["difference_without"]) < 1e-3, (left, taken)
    assert len(answer(*text, "--threshold", "0.3")["edges"]) < len(shares)
    assert answer(*text, "--threshold", "0.01", "--without-first")["hidden"] > 0
    both = json.loads(call("why", "--model", translator, "--text", "a mole", "--target", "le", "--threshold", "0.001", "--json").stdout)
    assert any(edge["from"]["stack"] == "encoder." and edge["to"]["stack"] == "decoder." for edge in both["edges"]), both["edges"]
    table = output(*text, "--over", "x").splitlines()
    assert table[0].startswith("behind 'g': '") and "edges of at least 4%" in table[1] and "without it" in table[-1], table
    refused(2, "the model's vocabulary does not have 'greece'", "why", "--model", "course", "--text", "Ankara is", "--over", "greece")
    refused(2, "the text has positions 0 to", *text, "--position", 40)


def documents(folder, model):
    shapes = output("trace", "--model", model, "--text", "a mole", "--shapes").splitlines()
    assert shapes[-2:] == ["logits [batch, position, token] [1, 7, 288]", "probabilities [batch, position, token] [1, 7, 288]"], shapes[-2:]
    # What comes after --model may change what a document may change, wherever the option stands.
    masks = output("trace", "--mask", "none", "--model", model, "--text", "a mole", "--shapes")
    assert "causal_mask" not in masks and "causal_mask" in "\n".join(shapes)
    refused(2, "has 2 heads, the document asks for 4", "trace", "--model", model, "--heads", 4, "--text", "a", "--shapes")
    refused(2, "reads one sentence, and there is a second one", "trace", "--model", model, "--text", "a", "--target", "b", "--shapes")
    damaged = tiny_model.write_model(folder / "damaged")
    weights = damaged / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-2])
    refused(1, "model.safetensors: the tensor 'model.layers.1.post_attention_layernorm.weight' is said to end at byte", "trace", "--model", damaged,
            "--text", "a", "--out", folder / "no.npz")
    assert not (folder / "no.npz").exists()


def bundled(folder, model, translator):
    """What lies in the assets' folder of models goes by its name; a name of a folder without weights is none."""
    by_path = {m: output("generate", "--model", m, "--text", "a mole", "--tokens", 5) for m in (model, translator)}
    assets, own = folder / "assets", pathlib.Path(__file__).resolve().parents[2] / "assets"
    (assets / "models").mkdir(parents=True)
    for part in own.iterdir():
        if part.name != "models":
            (assets / part.name).symlink_to(part)
    (assets / "models/without").mkdir()
    for one in (model, translator):
        (assets / "models" / one.name).symlink_to(one)
    environment["HEADLIGHT_ASSETS_DIR"] = str(assets)
    try:
        for one in (model, translator):
            assert output("generate", "--model", one.name, "--text", "a mole", "--tokens", 5) == by_path[one]
        assert "decoder, translator, or a trained model's folder" in " ".join(output("generate", "--help").split())
        assert output("tokenize", "--tokenizer", "decoder", "--ids", "a") == output("tokenize", "--tokenizer", model, "--ids", "a")
        session = folder / "session.json"
        session.write_text(json.dumps({"model": "translator", "texts": ["a mole"], "targets": ["le rat"]}))
        shapes = output("trace", "--session", session, "--shapes").splitlines()
        assert shapes[-1] == "probabilities [batch, position, token] [1, 8, 273]", shapes[-1]  # [BOS], six letters, [EOS]
        refused(2, "there is no model 'without'; known are sandbox, decoder, translator; or give a name that `headlight models` lists",
                "generate", "--model", "without", "--text", "a")
    finally:
        del environment["HEADLIGHT_ASSETS_DIR"]


with tempfile.TemporaryDirectory() as name:
    top = pathlib.Path(name)
    decoder = tiny_model.write_model(top / "decoder")
    both = tiny_model.write_model(top / "translator", "encoder-decoder")
    (top / "bad-pairs.tsv").write_text("no tab\n")
    generated(top, decoder, both)
    evaluated(top, decoder, both)
    heads_scored(top, decoder, both)
    interventions(top, decoder, both)
    contexts(decoder, both)
    reasons(decoder, both)
    documents(top, decoder)
    bundled(top, decoder, both)
print("generate, evaluate, heads, context, why and trace --model: all as they should be")
