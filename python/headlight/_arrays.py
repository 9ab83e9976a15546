"""Turns what libraries give into NumPy arrays [layer, sentence, head, query, key]."""
from __future__ import annotations

import re
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

# The keys of TransformerLens's cache.
_HOOK = re.compile(r"^blocks\.(\d+)\.attn\.hook_pattern$")


def to_numpy(values: Any) -> NDArray[Any]:
    """One tensor as an array of float32: of NumPy, of PyTorch on any device and of any type, of anything with DLPack."""
    if values is None:
        raise ValueError("a layer's attention is None: load the model with attn_implementation=\"eager\", and call it with output_attentions=True")
    if hasattr(values, "detach"):  # PyTorch, also on a GPU, with gradients, as bfloat16
        values = values.detach().cpu()
        values = (values.float() if values.is_floating_point() else values).numpy()
    elif not isinstance(values, np.ndarray) and hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        values = np.from_dlpack(values)
    array = np.asarray(values)
    if array.dtype == object or array.dtype.kind not in "fiub":
        raise ValueError(f"attention is an array of numbers, not of {array.dtype}")
    return array.astype(np.float32)


def with_five_axes(values: Any, sentence: int | None) -> NDArray[np.float32]:
    """[layer, 1, head, query, key] of one array, or of a list with an array a layer.

    An array is [query, key] behind up to three axes: [head, ...], [layer, head, ...], [layer, sentence, head, ...]; a layer's array in a list is
    [head, query, key] or [sentence, head, query, key].
    """
    if isinstance(values, (list, tuple)) and len(values) and not np.isscalar(values[0]) and (values[0] is None or getattr(values[0], "ndim", None) is not None):
        layers = [to_numpy(layer) for layer in values]
        if len({layer.shape for layer in layers}) > 1:
            raise ValueError(f"the layers have different shapes: {sorted({layer.shape for layer in layers})}; pass those of one shape")
        if layers[0].ndim not in (3, 4):
            raise ValueError(f"a layer's attention is [head, query, key] or [sentence, head, query, key], and this one has {layers[0].ndim} axes")
        array = np.stack([layer if layer.ndim == 4 else layer[None] for layer in layers])
    else:
        array = to_numpy(values)
        if not 2 <= array.ndim <= 5:
            raise ValueError(f"attention has 2 to 5 axes, and this array has {array.ndim}: {array.shape}")
        if array.ndim == 4:
            array = array[:, None]
        while array.ndim < 5:
            array = array[None]
    if 0 in array.shape:
        raise ValueError(f"there is no attention in an array of shape {array.shape}")
    sentences = array.shape[1]
    if sentence is None and sentences > 1:
        raise ValueError(f"there are {sentences} sentences: choose one with sentence=0 to {sentences - 1}, and give its tokens")
    chosen = 0 if sentence is None else sentence
    if not -sentences <= chosen < sentences:
        raise ValueError(f"there is no sentence {chosen}: they go from 0 to {sentences - 1}")
    return np.ascontiguousarray(array[:, [chosen]])


def kinds_of(attentions: Any, sentence: int | None) -> dict[str, NDArray[np.float32]]:
    """By name: "weights" of one attention, or those of "encoder", "decoder" and "cross" that there are."""
    cached = getattr(attentions, "cache_dict", attentions)
    if isinstance(cached, Mapping) and any(_HOOK.match(str(key)) for key in cached):  # TransformerLens
        found = sorted((int(_HOOK.match(key)[1]), value) for key, value in cached.items() if _HOOK.match(str(key)))
        return {"weights": with_five_axes([value for _, value in found], sentence)}
    kinds = {}
    for kind in ("encoder", "decoder", "cross"):
        for name in (kind, kind + "_attentions"):
            values = attentions.get(name) if isinstance(attentions, Mapping) else getattr(attentions, name, None)
            if values is not None and not (isinstance(values, (list, tuple)) and len(values) == 0):
                kinds[kind] = with_five_axes(values, sentence)
    if kinds:
        return kinds
    alone = attentions.get("attentions") if isinstance(attentions, Mapping) else getattr(attentions, "attentions", attentions)
    if alone is None or (isinstance(alone, (list, tuple)) and len(alone) == 0):
        raise ValueError("the output has no attentions: call the model with output_attentions=True, and load it with attn_implementation=\"eager\"")
    if isinstance(alone, Mapping):
        raise ValueError("a mapping of attention has the keys encoder, decoder and cross, or TransformerLens's blocks.0.attn.hook_pattern, …")
    return {"weights": with_five_axes(alone, sentence)}
