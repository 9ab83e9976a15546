"""Attention that was computed elsewhere, as something to look at."""
from __future__ import annotations

import html
import os
import pathlib
import tempfile
import webbrowser
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ._arrays import kinds_of, to_numpy
from ._program import ProgramNotFound, call, start

# What a line end would do to a file with a label a line.
_LINES = str.maketrans({"\n": "↵", "\r": "↵", "\u2028": "↵", "\u2029": "↵", "\x0b": "↵", "\x0c": "↵", "\x85": "↵", "\x1c": "↵", "\x1d": "↵", "\x1e": "↵"})


class Attention:
    """Maps of every head, with their tokens. Made by `headlight.attention()`.

    maps: by name ("weights", or "encoder", "decoder", "cross"), float32 [layer, 1, head, query, key].
    tokens, source_tokens: one a query, one a key where keys are other tokens; None: unknown.
    """

    def __init__(self, maps: Mapping[str, NDArray[np.float32]], tokens: list[str] | None, source_tokens: list[str] | None, model: str = "",
                 scores: NDArray[np.float32] | None = None) -> None:
        self.maps, self.tokens, self.source_tokens, self.model, self.scores = dict(maps), tokens, source_tokens, model, scores
        self._pages: dict[tuple[Any, ...], str] = {}

    def __repr__(self) -> str:
        parts = []
        for name, values in self.maps.items():
            layers, _, heads, queries, keys = values.shape
            parts.append(f"{name}: {layers} layers of {heads} heads, {queries} x {keys}")
        return f"<headlight.Attention {'; '.join(parts)}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an .npz with the maps, the arrays of text "tokens" and "source_tokens", and the scores if there are any."""
        arrays: dict[str, NDArray[Any]] = dict(self.maps)
        for name, tokens in (("tokens", self.tokens), ("source_tokens", self.source_tokens), ("model", [self.model] if self.model else None)):
            if tokens:
                arrays[name] = np.array(tokens, dtype=str)
        if self.scores is not None:
            arrays["scores"] = self.scores
        with open(path, "wb") as file:  # savez would add .npz to a name without it
            np.savez_compressed(file, **arrays)

    def page(self, path: str | os.PathLike[str] | None = None, *, layer: int = 0, head: int = 0, theme: str = "", language: str = "",
             view: str = "", numbers: str = "") -> str:
        """The page as HTML, written to `path` if one is given.

        layer, head: shown first. theme: "light" or "dark", else the reader's. language: "zh" or another that Headlight speaks.
        view: "dots" or "arcs". numbers: "float16" or "bytes".
        """
        key = (layer, head, theme, language, view, numbers)
        if key not in self._pages:
            with tempfile.TemporaryDirectory(prefix="headlight-") as folder:
                arrays, out = os.path.join(folder, "attention.npz"), os.path.join(folder, "page.html")
                self.save(arrays)
                options = [("--layer", str(layer)), ("--head", str(head)), ("--theme", theme), ("--language", language), ("--view", view),
                           ("--page-numbers", numbers)]
                call(["export", "--in", arrays, "--out", out, *(part for option in options if option[1] for part in option)])
                self._pages[key] = pathlib.Path(out).read_text(encoding="utf-8")
        if path is not None:
            pathlib.Path(path).write_text(self._pages[key], encoding="utf-8")
        return self._pages[key]

    def _repr_html_(self) -> str:
        """What a notebook shows: the page in a frame that may run its own script and nothing else."""
        try:
            page = self.page()
        except ProgramNotFound as problem:
            return f"<p>{html.escape(repr(self))}</p><p>{html.escape(str(problem))}</p>"
        return (f'<iframe sandbox="allow-scripts allow-modals" title="{html.escape(repr(self), quote=True)}" width="100%" height="780" '
                f'style="border:0" srcdoc="{html.escape(page, quote=True)}"></iframe>')

    def open(self) -> str:
        """Opens the window on it, and returns the path of the file that the window reads. The window goes on when Python ends.

        Raises HeadlightError where the window cannot open, as without a display.
        """
        folder = tempfile.mkdtemp(prefix="headlight-")
        path = os.path.join(folder, "attention.npz")
        self.save(path)
        start(["open", path, "--axes", "layer,sentence,head,query,key"])
        return path

    def browse(self, **options: Any) -> str:
        """Shows the page in the browser, and returns the path of its file. Options are those of page()."""
        folder = tempfile.mkdtemp(prefix="headlight-")
        path = os.path.join(folder, "attention.html")
        self.page(path, **options)
        webbrowser.open(pathlib.Path(path).as_uri())
        return path

    def figure(self, path: str | os.PathLike[str], layer: int = 0, head: int | str | Sequence[int] = 0, *, site: str = "", **options: Any) -> None:
        """Writes one head, or several, as .png, .svg or .pdf, or as data (.csv, .npy, .npz), by the program's own exporter.

        head: a number, several, "all", "mean" or "max". site: "encoder", "decoder" or "cross" where there are several.
        options: those of `headlight export`: width="84mm", view="dots", title=False, font_size="8pt", tokens="0,2-5", background="white", ...
        """
        name = site or next(iter(self.maps))
        if name not in self.maps:
            raise ValueError(f"there is no {name!r}; there are {', '.join(self.maps)}")
        with tempfile.TemporaryDirectory(prefix="headlight-") as folder:
            arrays = os.path.join(folder, name + ".npy")
            np.save(arrays, self.maps[name][:, 0] if self.maps[name].shape[0] > 1 else self.maps[name][0, 0])
            several = self.maps[name].shape[0] > 1
            heads = str(head) if isinstance(head, (int, np.integer, str)) else ",".join(map(str, head))
            arguments = ["export", "--in", arrays, "--head", heads, "--out", os.fspath(path)]
            if several:
                arguments += ["--layer", str(layer)]
            elif layer != 0:
                raise ValueError(f"there is no layer {layer}: the only one is 0")
            for number, tokens in enumerate(self._labels(name)):
                labels = os.path.join(folder, f"labels{number}.txt")
                pathlib.Path(labels).write_text("".join(token.translate(_LINES) + "\n" for token in tokens), encoding="utf-8")
                arguments += ["--labels", labels]
            for option, value in options.items():
                text = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
                arguments += ["--" + option.replace("_", "-"), text]
            call(arguments)

    def _labels(self, name: str) -> list[list[str]]:
        rows = self.source_tokens if name == "encoder" and self.source_tokens else self.tokens
        if not rows:
            return []
        columns = rows if name in ("encoder", "decoder") else self.source_tokens or rows
        return [rows, columns]


def _texts(tokens: Any) -> list[str] | None:
    if tokens is None:
        return None
    if isinstance(tokens, str):
        raise ValueError("tokens are a list of texts, one a token; tokenizer.convert_ids_to_tokens(ids) gives one")
    return [token.decode("utf-8", "replace") if isinstance(token, bytes) else str(token) for token in tokens]


def attention(attentions: Any, tokens: Sequence[str] | None = None, source_tokens: Sequence[str] | None = None, *, scores: Any = None,
              sentence: int | None = None, model: str = "") -> Attention:
    """Attention weights to look at.

    attentions: what a model gave. An array or tensor [query, key] behind up to three axes: [head, ...], [layer, head, ...],
        [layer, sentence, head, ...]; a list with a tensor a layer, [sentence, head, query, key] (transformers' `outputs.attentions`); such an
        output itself, with encoder_attentions, decoder_attentions and cross_attentions too; a mapping with the keys encoder, decoder, cross;
        TransformerLens's cache. Tensors may be on a GPU, bfloat16, with gradients, or anything with DLPack.
    tokens: one a query. source_tokens: one a key, where keys are other tokens: of an encoder and of cross-attention.
    scores: what the softmax was taken of, of the same shape; it is kept by save().
    sentence: which of a batch. model: its name, which the page shows.

    Raises ValueError, with a sentence, if the numbers of tokens do not fit or it is no attention.
    """
    shown = Attention(kinds_of(attentions, sentence), _texts(tokens), _texts(source_tokens), model, None if scores is None else to_numpy(scores))
    for name, values in shown.maps.items():
        labels = shown._labels(name)
        for axis, list_, size in zip(("queries", "keys"), labels, values.shape[3:]):
            if len(list_) != size:
                raise ValueError(f"{name} is {list(values.shape)}, and there are {len(list_)} tokens for its {size} {axis}")
    return shown
