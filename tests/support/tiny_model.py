"""Writes a small stored model with seeded numbers into a folder, with nothing but the standard library: what a test from outside gives to
--model. A Llama decoder over characters, two layers of two heads; or an encoder-decoder with biases and LayerNorm."""
import json
import pathlib
import random
import struct

SPECIALS = ["[PAD]", "[UNK]", "[BOS]", "[EOS]"]
FIELDS = {"d_model": 16, "heads": 2, "layers": 2, "d_ff": 24, "projected": True, "bias": False, "residual": True, "norm": "pre",
          "norm_kind": "rms", "final_norm": True, "feed_forward": True, "activation": "silu", "gated": True, "position": "rotary",
          "combiner": "concat", "add_begin": True, "add_end": False, "masks": ["causal", "padding"], "mask_fill": "-inf",
          "score": "scaled_dot", "scale": "sqrt", "temperature": 1.0}


def write_tokenizer(folder, letters):
    pieces = SPECIALS + [f"<0x{byte:02X}>" for byte in range(256)] + list(letters)
    plan = {"format": "headlight.tokenizer", "version": 2, "normalizers": [], "splitters": ["graphemes"], "model": "characters",
            "post_processor": {"type": "template", "single": "[BOS] $A [EOS]", "pair": "[BOS] $A [EOS] $B:1 [EOS]:1"}, "decoder": "byte_fallback",
            "special_tokens": [{"role": role, "id": n} for n, role in enumerate(("pad", "unknown", "begin", "end"))], "vocabulary": pieces}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "headlight-tokenizer.json").write_text(json.dumps(plan))
    return len(pieces)


def write_safetensors(path, tensors):
    """tensors: {name: (shape, floats)}, written as float16."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}e", *values)
        header[name] = {"dtype": "F16", "shape": list(shape), "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def decoder_shapes(size, f):
    d, wide = f["d_model"], f["d_ff"]
    shapes = {"model.embed_tokens.weight": (size, d), "model.norm.weight": (d,)}
    for n in range(f["layers"]):
        at = f"model.layers.{n}."
        shapes |= {at + f"self_attn.{p}_proj.weight": (d, d) for p in "qkvo"}
        shapes |= {at + "mlp.gate_proj.weight": (wide, d), at + "mlp.up_proj.weight": (wide, d), at + "mlp.down_proj.weight": (d, wide),
                   at + "input_layernorm.weight": (d,), at + "post_attention_layernorm.weight": (d,)}
    return shapes


def translator_shapes(size, targets, f):
    d, wide = f["d_model"], f["d_ff"]
    shapes = {"model.encoder.embed_tokens.weight": (size, d), "model.decoder.embed_tokens.weight": (targets, d)}
    for stack in ("encoder", "decoder"):
        shapes |= {f"model.{stack}.layer_norm.{p}": (d,) for p in ("weight", "bias")}
        for n in range(f["layers"]):
            at = f"model.{stack}.layers.{n}."
            for attention in ("self_attn",) if stack == "encoder" else ("self_attn", "encoder_attn"):
                for p in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    shapes |= {at + f"{attention}.{p}.weight": (d, d), at + f"{attention}.{p}.bias": (d,)}
                shapes |= {at + f"{attention}_layer_norm.{p}": (d,) for p in ("weight", "bias")}
            shapes |= {at + "fc1.weight": (wide, d), at + "fc1.bias": (wide,), at + "fc2.weight": (d, wide), at + "fc2.bias": (d,)}
            shapes |= {at + f"final_layer_norm.{p}": (d,) for p in ("weight", "bias")}
    return shapes


def write_model(folder, task="decoder", length=32, seed=1):
    folder, fields, targets = pathlib.Path(folder), dict(FIELDS), 0
    size = write_tokenizer(folder, "abcdefghijklmnopqrstuvwxyz .")
    if task == "encoder-decoder":
        fields |= {"bias": True, "norm_kind": "layer", "activation": "gelu", "gated": False, "position": "sinusoidal", "add_end": True}
        targets = write_tokenizer(folder / "target", "aeioulmnrst '")
    own = {"version": 1, "name": folder.name, "trained_on": "a test's seeded numbers", "task": task, "length": length, "tied": True,
           "vocabulary": size, "target_vocabulary": targets, **fields}
    config = {"headlight": own}
    if task == "decoder":
        config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": size, "hidden_size": 16, "intermediate_size": 24,
                  "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2, "hidden_act": "silu", "rms_norm_eps": 1e-5,
                  "rope_theta": 10000.0, "max_position_embeddings": length, "tie_word_embeddings": True, "attention_bias": False,
                  "mlp_bias": False, **config}
    (folder / "config.json").write_text(json.dumps(config))
    shapes = decoder_shapes(size, fields) if task == "decoder" else translator_shapes(size, targets, fields)
    draw, tensors = random.Random(seed), {}
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        middle = 1.0 if "norm" in name and name.endswith("weight") else 0.0
        values = [middle + draw.gauss(0, 0.5 if len(shape) > 1 else 0.2) for _ in range(count)]
        if "embed_tokens" in name:
            values[:shape[1]] = [0.0] * shape[1]  # the row of [PAD]
        tensors[name] = (shape, values)
    write_safetensors(folder / "model.safetensors", tensors)
    return folder
