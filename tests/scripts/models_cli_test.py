"""The bundled models do what their cards say, asked through the command line."""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

HEADLIGHT = sys.argv[1]
MODELS = pathlib.Path(__file__).resolve().parents[2] / "assets" / "models"
ROWS = ["pa lar vu so mi ken pa lar vu", "ba ke mo ti la pu ba ke"]


def run(*arguments, text=""):
    done = subprocess.run([HEADLIGHT, *arguments], input=text, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def heads(model, lines=ROWS):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as corpus:
        corpus.write("\n".join(lines) + "\n")
        corpus.flush()
        return json.loads(run("heads", "--model", model, "--corpus", corpus.name, "--json"))


def best(model, pattern):
    return max(head["scores"][pattern] for head in heads(model))


def induction():
    assert run("generate", "--model", "induction", "--texts", "-", "--tokens", "6", text="\n".join(ROWS)).splitlines() == [
        "so mi ken pa lar vu", "mo ti la pu ba ke"]
    assert best("induction", "induction") > 0.8
    assert best("induction", "previous") > 0.9
    # What one layer cannot do.
    assert best("induction-one-layer", "induction") < 0.1
    assert run("generate", "--model", "induction-one-layer", "--text", ROWS[0], "--tokens", "6").split() != ROWS[0].split()[3:6] + ROWS[0].split()[:3]


def course():
    """What questions.tsv asks: the most probable next word, by topic."""
    lines = [line.split("\t") for line in (MODELS / "course" / "questions.tsv").read_text(encoding="utf-8").splitlines()
             if line and not line.startswith("#")]
    answers = json.loads(run("generate", "--model", "course", "--texts", "-", "--tokens", "1", "--json",
                             text="".join(text + "\n" for _, text, _ in lines)))
    right = collections.defaultdict(list)
    for (topic, _, words), answer in zip(lines, answers, strict=True):
        said = answer["steps"][0]["candidates"][0]["token"] if answer["steps"] else ""
        right[topic].append(said.strip(" ·") in words.split("|"))
    share = {topic: sum(all_) / len(all_) for topic, all_ in right.items()}
    assert share["capitals"] >= 0.95 and share["moles"] >= 0.95, share
    layers = json.loads(run("context", "--model", "course", "--word", "mole", "--json", "American shrew mole",
                            "one mole of carbon dioxide", "take a biopsy of the mole"))["layers"]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        distances = [layer["distance"][a][b] for layer in layers]
        assert distances[0] == 0 and distances == sorted(distances) and distances[-1] > distances[1], distances


def adjectives():
    """course has heads that go from a noun to its two adjectives, in sentences of a form that it has not read."""
    questions = (MODELS / "course" / "questions.tsv").read_text(encoding="utf-8")
    phrases = [line.split("\t")[1] for line in questions.splitlines() if line.startswith("adjectives\tA ")]
    assert len(phrases) >= 20
    whole = [phrase.replace("A", "a", 1) + " roamed the verdant forest" for phrase in phrases[:20]]
    for lines, least in ((phrases, 0.9), (whole, 0.75)):
        best_of = max(heads("course", lines), key=lambda head: head["scores"]["adjective"])
        assert best_of["scores"]["adjective"] > least, best_of
        # It is no head that looks at the token before: of two adjectives that one sees the second.
        assert best_of["scores"]["adjective"] > best_of["scores"]["previous"] + 0.2, best_of


def english_french():
    """Sentences of its kind are translated, and one head of cross-attention says from which word: scripts/alignments asks for more."""
    pairs = {"He never drinks coffee.": ("boit", "jamais", "café"), "She reads a book.": ("Elle lit un livre.",),
             "My father is a doctor.": ("Mon père est médecin.",), "I lost my keys.": ("perdu mes clés.",),
             "Where is the train station?": ("Où est la gare",), "I do not want to pet it.": ("Je ne veux pas",)}
    said = run("generate", "--model", "english-french", "--texts", "-", "--tokens", "40", text="".join(one + "\n" for one in pairs)).splitlines()
    for (source, parts), translation in zip(pairs.items(), said, strict=True):
        assert all(part in translation for part in parts), (source, translation)
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as corpus:
        lines = (MODELS / "english-french" / "alignments.tsv").read_text(encoding="utf-8").splitlines()
        corpus.write("".join("\t".join(line.split("\t")[:2]) + "\n" for line in lines if not line.startswith("#")))
        corpus.flush()
        found = json.loads(run("evaluate", "--model", "english-french", "--corpus", corpus.name, "--json"))
        assert found["nats_per_token"] < 1.6, found


# The beginning of A Christmas Carol (Charles Dickens, 1843), which no bundled model was trained on.
UNREAD = """Marley was dead: to begin with. There is no doubt whatever about that. The register of his burial was signed by the clergyman, the clerk, the undertaker, and the chief mourner. Scrooge signed it.
Scrooge knew he was dead? Of course he did. How could it be otherwise? Scrooge and he were partners for I don't know how many years.
The door of Scrooge's counting-house was open that he might keep his eye upon his clerk, who in a dismal little cell beyond, a sort of tank, was copying letters.
Scrooge had a very small fire, but the clerk's fire was so very much smaller that it looked like one coal."""


def stories():
    """It predicts a book that it has not read, the words of its first sentence are tokens, and what it says depends on what is read."""
    found = json.loads(run("evaluate", "--model", "stories", "--corpus", "-", "--json", text=UNREAD))
    assert found["bits_per_byte"] < 2.0, found
    pieces = run("tokenize", "--tokenizer", "stories", "a creature roamed the forest").split()
    assert len([piece for piece in pieces if piece.strip("·Ġ") in ("creature", "roamed", "forest")]) == 3, pieces
    once, = json.loads(run("generate", "--model", "stories", "--text", "Once upon a", "--tokens", "1", "--json"))
    assert once["steps"][0]["candidates"][0]["token"].strip("·Ġ ") == "time", once
    told = run("generate", "--model", "stories", "--text", "The king said to his daughter", "--tokens", "40")
    assert len(set(told.split())) > 8, told


def fill_in():
    """It sees both sides of what it fills in: far more often right than the most frequent pieces after the one before would be."""
    found = json.loads(run("evaluate", "--model", "fill-in", "--corpus", "-", "--json", text=UNREAD))
    assert found["top_5"] > 0.45 and found["top_1"] > 0.25, found


def every_model():
    """Each has its card and configuration, opens, and says what it was trained on."""
    found = sorted(folder.parent.name for folder in MODELS.glob("*/model.safetensors"))
    assert {"course", "english-french", "fill-in", "induction", "induction-one-layer", "stories"} <= set(found), found
    for name in found:
        folder = MODELS / name
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))["headlight"]
        assert config["trained_on"], name
        assert (folder / "train.json").is_file() and (folder / "curve.svg").is_file(), name
        card = (folder / "README.md").read_text(encoding="utf-8")
        assert card.startswith(f"# {name}\n") and "curve.svg" in card and "What it cannot do" in card, name
        assert sum(f.stat().st_size for f in folder.rglob("*")) < 12e6, name
        target = ("--target", "b") if config["task"] == "encoder-decoder" else ()
        assert "probabilities [" in run("trace", "--model", name, "--text", "a", *target, "--shapes"), name


every_model()
induction()
course()
adjectives()
english_french()
stories()
fill_in()
print("models: ok")
