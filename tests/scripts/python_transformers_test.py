"""Tests the recipe of README.md: a transformers model's attention, from its output to a page. The model is small and random.
python_transformers_test.py PROGRAM BUILD_FOLDER."""

import json
import os
import pathlib
import re
import sys
import tempfile

try:
    import numpy as np
    import torch
    from transformers import BartConfig, BartModel, GPT2Config, GPT2LMHeadModel
except ImportError as missing:
    print(missing)  # No module named 'transformers'
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
os.environ["HEADLIGHT_PROGRAM"] = str(pathlib.Path(sys.argv[1]).resolve())
import headlight  # noqa: E402


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


torch.manual_seed(3)
with tempfile.TemporaryDirectory() as folder:
    # A decoder: the list of a tensor a layer, the output itself, bfloat16 with gradients, one sentence of a batch.
    model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=24, n_layer=3, n_head=4, attn_implementation="eager")).eval()
    ids = torch.randint(0, 50, (2, 7))
    tokens = [f"\u0120t{i}" for i in ids[1].tolist()]
    outputs = model(ids, output_attentions=True)
    for form in (outputs.attentions, outputs, [layer.bfloat16() for layer in outputs.attentions]):
        shown = headlight.attention(form, tokens, sentence=1)
        wanted = torch.stack(outputs.attentions)[:, 1].detach().numpy()
        assert np.abs(shown.maps["weights"][:, 0] - wanted).max() < (1e-7 if form is not outputs and not isinstance(form, list) else 5e-3)
    shown = headlight.attention(outputs.attentions, tokens, sentence=1)
    run = data_of(shown.page())["runs"][0]
    site = run["sites"][0]
    assert (site["layers"], site["heads"], site["rows"], site["masks"], site["sums"]) == (3, 4, 7, ["causal"], True), site
    assert run["texts"][0]["pieces"] == ["·t%d" % i for i in ids[1].tolist()]
    shown.figure(os.path.join(folder, "head.pdf"), layer=2, head=3, width="84mm")
    assert pathlib.Path(folder, "head.pdf").read_bytes().startswith(b"%PDF")
    # A model that was not asked for attention, or computes it without weights.
    for silent in (model(ids), type("Output", (), {"attentions": (None, None)})()):
        try:
            headlight.attention(silent, tokens)
            raise AssertionError("not refused")
        except ValueError as problem:
            assert "eager" in str(problem), problem

    # An encoder and a decoder, with tokens of their own.
    pair = BartModel(BartConfig(vocab_size=50, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
                                encoder_ffn_dim=16, decoder_ffn_dim=16, max_position_embeddings=16, attn_implementation="eager")).eval()
    outputs = pair(torch.randint(3, 50, (1, 11)), decoder_input_ids=torch.randint(3, 50, (1, 7)), output_attentions=True)
    shown = headlight.attention(outputs, [f"q{i}" for i in range(7)], [f"k{i}" for i in range(11)])
    sites = data_of(shown.page())["runs"][0]["sites"]
    assert [(site["rows"], site["columns"]) for site in sites] == [(11, 11), (7, 7), (7, 11)] and sites[1]["masks"] == ["causal"], sites
