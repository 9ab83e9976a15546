"""The program's own computations as arrays."""
from __future__ import annotations

import json
import os
import tempfile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._program import call


class Tokens(NamedTuple):
    """ids int32 [token]; pieces: a text a token; offsets int64 [token, 2]: the bytes of the text, as UTF-8, that each token stands for."""

    ids: NDArray[np.int32]
    pieces: list[str]
    offsets: NDArray[np.int64]


def tokenize(text: str, tokenizer: str = "bpe") -> Tokens:
    """Cuts a text with a bundled tokenizer (characters, words, bpe, wordpiece), a model's, or one in a folder or file.

    tokenize("a blue creature").pieces
    """
    tokens = json.loads(call(["tokenize", "--tokenizer", tokenizer, "--json", "--", text]))["tokens"]
    return Tokens(np.array([token["id"] for token in tokens], np.int32), [token["piece"] for token in tokens],
                  np.array([[token["start"], token["end"]] for token in tokens], np.int64).reshape(-1, 2))


def trace(model: str, text: str, target: str | None = None, **fields: Any) -> dict[str, NDArray[Any]]:
    """Every step of a model's computation by its name: "layer.0.q" [sentence, head, position, d_k], "layer.0.weights" [sentence, head, query, key].

    model: a bundled model ("stories"), "sandbox", a fetched one, a folder or a .gguf file. target: the second text of a model that reads two.
    fields: further fields of the document, as options of `headlight trace` have them: mask="causal", layers=2, seed=7.
    """
    with tempfile.TemporaryDirectory(prefix="headlight-") as folder:
        out = os.path.join(folder, "trace.npz")
        arguments = ["trace", "--model", model, f"--text={text}", "--out", out]
        if target is not None:
            arguments.append(f"--target={target}")
        for field, value in fields.items():
            arguments += ["--" + field.replace("_", "-"), {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)]
        call(arguments)
        with np.load(out) as arrays:
            return {name: arrays[name] for name in arrays.files if arrays[name].dtype.kind != "U"}
