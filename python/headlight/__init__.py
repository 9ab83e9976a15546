"""Attention from Python: a page to look at in a notebook, figures for papers, and the program's own computations as arrays.

    import headlight
    shown = headlight.attention(outputs.attentions, tokens)   # what transformers, TransformerLens, PyTorch or NumPy give
    shown                                                     # in a notebook: the page with all heads
    shown.figure("head.svg", layer=3, head=1, width="84mm")
    trace = headlight.trace("stories", "once upon a time")    # every step of a bundled model, as arrays

Pictures are drawn by the program `headlight`; `program()` says where it was found.
"""
from ._attention import Attention, attention
from ._compute import Tokens, tokenize, trace
from ._program import HeadlightError, ProgramNotFound, program

__all__ = ["Attention", "HeadlightError", "ProgramNotFound", "Tokens", "attention", "program", "tokenize", "trace"]
__version__ = "0.1.0"
