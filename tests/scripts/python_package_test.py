"""Tests the Python package `headlight` with NumPy alone: what it takes, what it refuses, its page, figures, files and computations.
python_package_test.py PROGRAM BUILD_FOLDER."""

import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(missing)  # No module named 'numpy'
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
os.environ["HEADLIGHT_PROGRAM"] = str(pathlib.Path(sys.argv[1]).resolve())
import headlight  # noqa: E402


def refused(words, call):
    try:
        call()
    except (ValueError, headlight.HeadlightError) as problem:
        assert words in str(problem) and "\n" not in str(problem), problem
    else:
        raise AssertionError("not refused: " + words)


def weights(*shape):
    array = np.random.default_rng(7).random(shape)
    return array / array.sum(-1, keepdims=True)


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


if "no pages" in subprocess.run([os.environ["HEADLIGHT_PROGRAM"], "export", "--text", "a", "--out", "/nonexistent/a.html"],
                                capture_output=True, text=True).stderr:
    sys.exit(0)  # a build without figures

with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)

    # Every form gives [layer, 1, head, query, key].
    whole = weights(3, 2, 4, 5, 5).astype("f4")
    one = whole[:, :1]
    tokens = ["the", "<b>", "\"quoted\"", "two\nlines", "a\0b"]

    class Tensor:  # what offers nothing but DLPack
        def __init__(self, array):
            self.array, self.ndim = array, array.ndim

        def __dlpack__(self, **options):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    class Output:
        encoder_attentions = [layer for layer in weights(2, 1, 2, 4, 4)]
        decoder_attentions = [layer for layer in weights(2, 1, 2, 3, 3)]
        cross_attentions = [layer for layer in weights(2, 1, 2, 3, 4)]

    forms = {
        "five axes": (whole, {"sentence": 0}, (3, 1, 4, 5, 5)), "a list of layers": ([layer for layer in one], {}, (3, 1, 4, 5, 5)),
        "a tuple without sentences": (tuple(layer[0] for layer in one), {}, (3, 1, 4, 5, 5)), "layer, head": (one[:, 0], {}, (3, 1, 4, 5, 5)),
        "one layer": (one[0, 0], {}, (1, 1, 4, 5, 5)), "one head": (one[0, 0, 0], {}, (1, 1, 1, 5, 5)),
        "nested lists": (one[0, 0, 0].tolist(), {}, (1, 1, 1, 5, 5)), "float16": (one.astype("f2"), {}, (3, 1, 4, 5, 5)),
        "big-endian, Fortran": (np.asfortranarray(one.astype(">f8")), {}, (3, 1, 4, 5, 5)),
        "DLPack": ([Tensor(np.ascontiguousarray(layer)) for layer in one], {}, (3, 1, 4, 5, 5)),
        "TransformerLens's cache": ({f"blocks.{i}.attn.hook_pattern": layer for i, layer in enumerate(one)} | {"blocks.0.hook_z": one}, {}, (3, 1, 4, 5, 5)),
    }
    for name, (form, options, shape) in forms.items():
        shown = headlight.attention(form, tokens, **options)
        assert shown.maps["weights"].shape == shape and shown.maps["weights"].dtype == np.float32, name
        first = shown.maps["weights"][0, 0, 0]
        assert np.abs(first - one[0, 0, 0]).max() < (1e-3 if name == "float16" else 1e-7), name
    second = headlight.attention(whole, tokens, sentence=1)
    assert np.array_equal(second.maps["weights"][:, 0], whole[:, 1])

    # The page has these numbers and tokens, and shows itself in a frame without rights. Labels stay text.
    shown = headlight.attention(one, tokens, model="mine")
    page = shown.page(path("page.html"), layer=1, head=2, language="zh")
    run = data_of(page)["runs"][0]
    assert (run["model"], run["sites"][0]["layers"], run["sites"][0]["heads"]) == ("mine", 3, 4) and data_of(page)["start"]["head"] == 2
    assert run["texts"][0]["pieces"] == ["the", "<b>", '"quoted"', "two↵lines", "a0x00b"], run["texts"]
    assert pathlib.Path(path("page.html")).read_text(encoding="utf-8") == page and "<b>" not in page
    frame = shown._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts allow-modals"') and "allow-same-origin" not in frame
    inside = html.unescape(re.search(r'srcdoc="(.*?)"></iframe>$', frame, re.S)[1])
    assert inside == shown.page() and inside.startswith("<!doctype html>")

    # Encoder, decoder and cross-attention of one output, with tokens of their own.
    translation = headlight.attention(Output(), ["le", "chien", "."], ["the", "dog", "runs", "."])
    sites = data_of(translation.page())["runs"][0]["sites"]
    assert [(site["rows"], site["columns"], site["rows_of"], site["columns_of"]) for site in sites] == [(4, 4, 1, 1), (3, 3, 0, 0), (3, 4, 0, 1)], sites

    # Figures by the same exporter, of any head and kind; the numbers written are those given.
    shown.figure(path("head.svg"), layer=2, head=1, width="84mm", title=False)
    svg = pathlib.Path(path("head.svg")).read_text(encoding="utf-8")
    assert 'width="84mm"' in svg and "&lt;b&gt;" in svg and "<b>" not in svg and "\0" not in svg
    shown.figure(path("head.npy"), layer=2, head=1)
    assert np.array_equal(np.load(path("head.npy")), one[2, 0, 1])
    shown.figure(path("mean.npy"), layer=0, head="mean")
    assert np.allclose(np.load(path("mean.npy")), one[0, 0].mean(0), atol=1e-6)
    translation.figure(path("cross.png"), layer=1, head=[0, 1], site="cross", view="dots")
    assert pathlib.Path(path("cross.png")).read_bytes().startswith(b"\x89PNG")

    # Files: what is saved is what was given, and the program reads it.
    translation.save(path("t.npz"))
    with np.load(path("t.npz")) as arrays:
        assert sorted(arrays.files) == ["cross", "decoder", "encoder", "source_tokens", "tokens"] and arrays["tokens"].tolist() == ["le", "chien", "."]
    headlight.attention(one, tokens, scores=np.log(one)).save(path("no_ending"))
    with np.load(path("no_ending")) as arrays:
        assert np.allclose(arrays["scores"], np.log(one)) and arrays["weights"].shape == one.shape

    # The program's own computations. Offsets are bytes of the text.
    text = "a fluffy blue créature"
    cut = headlight.tokenize(text, "wordpiece")
    assert cut.offsets.shape == (len(cut.ids), 2) and len(cut.pieces) == len(cut.ids)
    assert text.encode()[cut.offsets[1][0]:cut.offsets[1][1]].decode().strip() in text
    trace = headlight.trace("stories", "--once upon a time")
    own = trace["layer.0.weights"]
    assert own.ndim == 4 and np.allclose(own.sum(-1), 1, atol=1e-5) and trace["layer.0.q"].shape[:3] == own.shape[:3]
    sandbox = headlight.trace("sandbox", "the mole", layers=1, heads=2, d_model=8, mask="causal", tokenizer="words", bias=False)
    assert sandbox["layer.0.weights"].shape == (1, 2, 2, 2) and sandbox["layer.0.weights"][0, 0, 0, 1] == 0

    # What cannot be shown is refused in one sentence.
    refused("there are 4 tokens for its 5 queries", lambda: headlight.attention(one, tokens[:4]))
    refused("2 sentences: choose one", lambda: headlight.attention(whole, tokens))
    refused("no sentence 2", lambda: headlight.attention(whole, tokens, sentence=2))
    refused('attn_implementation="eager"', lambda: headlight.attention([None, None]))
    refused("not of object", lambda: headlight.attention(np.array([{}, {}])))
    refused("2 to 5 axes", lambda: headlight.attention(np.zeros(3)))
    refused("no attention in an array", lambda: headlight.attention(np.zeros((2, 0, 0))))
    refused("different shapes", lambda: headlight.attention([one[0], one[0, :, :2]]))
    refused("a list of texts", lambda: headlight.attention(one, "the mole"))
    refused("keys encoder, decoder and cross", lambda: headlight.attention({"attentions": {}}))
    refused("there is no head 9", lambda: shown.figure(path("x.svg"), head=9))
    refused("there is no 'cross'", lambda: shown.figure(path("x.svg"), site="cross"))

    # The program is found by name or on the PATH; without it a notebook still says what there is, and how to get the program.
    os.environ["HEADLIGHT_PROGRAM"] = path("nothing")
    refused("is no program", headlight.program)
    fresh = headlight.attention(one, tokens)
    assert "HEADLIGHT_PROGRAM" in fresh._repr_html_() and "iframe" not in fresh._repr_html_()
    del os.environ["HEADLIGHT_PROGRAM"]
    os.symlink(pathlib.Path(sys.argv[1]).resolve(), path("headlight"))
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
    assert headlight.program() == path("headlight")
