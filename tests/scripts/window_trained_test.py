"""Drives a real window through what one does with trained models: take a candidate for the next word, switch a head off, translate
while typing, train a small model for some seconds, save it, open it again, and miss its folder."""
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from real_window import HEADLIGHT, Failed, Window, check, tell, wait_for


def words_and_heads(screen, folder):
    """The next word by the mouse and by the palette; a head taken out and brought back by undo."""
    window = Window(screen, folder / "words.json", folder / "configuration", first_visit=True)
    try:
        window.opened()
        window.write("once upon a")
        window.command("next word", "the view", lambda s: s["view"]["tab"] == "next")
        # The place of the list depends on fonts, so the test clicks at several heights until a candidate is followed.
        followed = None
        for y in (520, 560, 600, 480, 640):
            screen.do("mousemove", "230", str(y), "click", "1")
            try:
                followed = window.wait_saved("a followed candidate", lambda s: s["view"]["next_word"]["tracked"], 6)
                break
            except Failed:
                continue
        check(followed, f"a click follows a candidate, but: {window.saved()['view']}")
        check(followed["document"]["texts"] == ["once upon a"], "the first click takes nothing")
        screen.do("click", "1")
        taken = window.wait_saved("the candidate behind the sentence", lambda s: s["document"]["texts"] != ["once upon a"])
        check(taken["document"]["texts"][0].startswith("once upon a"), f"... behind it, but: {taken['document']['texts']}")
        longer = window.command("take the next word", "one word more", lambda s: len(s["document"]["texts"][0]) >
                                len(taken["document"]["texts"][0]))
        window.command("selected head out", "a head taken out", lambda s: s["document"].get("without"))
        window.key("ctrl+z")
        saved = window.wait_saved("undo brings the head back", lambda s: not s["document"].get("without"))
        check(saved["document"]["texts"] == longer["document"]["texts"], "and nothing else")
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
    finally:
        window.process.kill()


def translating(screen, folder):
    """A model that translates is chosen, and its translation follows what is typed."""
    window = Window(screen, folder / "translating.json", folder / "configuration", first_visit=True)
    try:
        window.opened()
        window.command("english-french", "the model", lambda s: s["document"]["model"] == "english-french")
        window.key("ctrl+l")
        window.write("The cat is black.")
        saved = window.wait_saved("its translation", lambda s: s["document"]["targets"] and "chat" in s["document"]["targets"][0])
        check(saved["view"]["translates"], "the second sentence is the model's own")
        window.write("Thank you.")
        window.wait_saved("another translation", lambda s: "chat" not in s["document"]["targets"][0] and s["document"]["targets"][0])
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
    finally:
        window.process.kill()


def training(screen, folder):
    """Induction is trained for some seconds, saved as a model, and the picker's list then has it."""
    session, configuration = folder / "training.json", folder / "configuration"
    models = configuration / "models"
    window = Window(screen, session, configuration, first_visit=True)
    try:
        window.opened()
        window.command("view train", "the view", lambda s: s["view"]["tab"] == "train")
        window.key("ctrl+p")
        window.type("train: play")
        window.key("Return")

        def stored():
            made = [path for path in models.glob("*") if (path / "model.safetensors").exists() and int(path.name.split("-")[1]) >= 40]
            if made:
                return made[0]
            window.key("ctrl+p")
            window.type("train: save")
            window.key("Return")
            return None
        model = wait_for("a saved model", stored, 100)
        check(model.name.startswith("induction-"), f"its name says task and step, but: {model.name}")
        window.key("Escape", "ctrl+l")
        window.write("still typing while it learns")
        saved = window.command("model " + model.name, "the new model", lambda s: s["document"]["model"] == str(model))
        check("causal" in json.dumps(saved["document"]["masks"]), f"it comes with its mask: {saved['document']['masks']}")
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
    finally:
        window.process.kill()
    return session, model, configuration


def reopened(screen, folder, session, model, configuration):
    """The session opens with the saved model; without its folder nothing is lost."""
    left = json.loads(session.read_text())["document"]
    traced = subprocess.run([HEADLIGHT, "trace", "--session", str(session), "--shapes"], env=screen.environment, capture_output=True)
    check(traced.returncode == 0 and b"logits" in traced.stdout, f"the session is computed, but: {traced.stderr.decode()}")
    for there in (True, False):
        if not there:
            shutil.rmtree(model)
        window = Window(screen, session, configuration)
        try:
            window.opened()
            if there:
                window.key("alt+Right")
                saved = window.wait_saved("another head", lambda s: s["view"]["head"] == 1)
                check(saved["document"] == left, f"the document is as it was left, but: {saved['document']}")
            else:
                window.type(" indeed")
                saved = window.wait_saved("typing", lambda s: s["document"]["texts"][0].endswith(" indeed"))
                check({**saved["document"], "texts": left["texts"]} == left, f"nothing else is lost, but: {saved['document']}")
            window.key("ctrl+q")
            check(window.wait_end() == 0, "Ctrl+Q ends well")
        finally:
            window.process.kill()


tell([(training, reopened), (words_and_heads,), (translating,)])
print("trained models did as they were told")
