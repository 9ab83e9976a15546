#!/usr/bin/env python3
"""Writes tests/data/published: for each family a random model of a few KB, as the library transformers saves it (float16), and what the
library makes of one text (eager, float32). The C++ tests read them, so that ./test alone covers each family.

    make_published_fixtures.py
"""
import json
import pathlib
import tempfile

import gguf
import torch
import transformers

import published_models as parity

OUT = pathlib.Path(__file__).resolve().parents[1] / "data/published"
TEXT = "a mole ran"
SMALL = dict(vocab_size=260, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12, max_position_embeddings=24)
ONE_KEY = SMALL | dict(num_key_value_heads=1, pad_token_id=None, bos_token_id=256, eos_token_id=257)
CASES = {
    "llama": ("LlamaConfig", ONE_KEY | dict(rms_norm_eps=1e-5, rope_parameters=dict(
        rope_type="llama3", rope_theta=500.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=12))),
    "mistral": ("MistralConfig", ONE_KEY | dict(sliding_window=4, tie_word_embeddings=True)),
    "qwen2": ("Qwen2Config", ONE_KEY | dict(use_sliding_window=True, sliding_window=3, max_window_layers=1)),
    "qwen3": ("Qwen3Config", ONE_KEY | dict(head_dim=6)),
    "gemma": ("GemmaConfig", ONE_KEY | dict(head_dim=6, hidden_activation="gelu_pytorch_tanh")),
    "gemma2": ("Gemma2Config", ONE_KEY | dict(head_dim=6, query_pre_attn_scalar=9, sliding_window=4, attn_logit_softcapping=3.0, final_logit_softcapping=2.0)),
    "phi3": ("Phi3Config", ONE_KEY | dict(sliding_window=None, original_max_position_embeddings=6, rope_parameters=dict(
        rope_type="longrope", rope_theta=10000.0, short_factor=[1.0, 1.3], long_factor=[1.5, 7.5], original_max_position_embeddings=6))),
    "gpt2": ("GPT2Config", dict(vocab_size=260, n_embd=8, n_layer=2, n_head=2, n_positions=24, scale_attn_by_inverse_layer_idx=True)),
    "gpt_neox": ("GPTNeoXConfig", SMALL | dict(rotary_pct=0.5, pad_token_id=None)),
    # An odd number of dimensions turns; a window of the token alone.
    "gpt_neox_odd": ("GPTNeoXConfig", SMALL | dict(rotary_pct=0.75, pad_token_id=None)),
    "mistral_alone": ("MistralConfig", ONE_KEY | dict(sliding_window=1)),
    "bert": ("BertConfig", SMALL | dict(pad_token_id=0)),
    "roberta": ("RobertaConfig", SMALL | dict(pad_token_id=1, type_vocab_size=1)),
    "distilbert": ("DistilBertConfig", dict(vocab_size=260, dim=8, n_layers=2, n_heads=2, hidden_dim=12, max_position_embeddings=24, pad_token_id=0)),
    "modernbert": ("ModernBertConfig", SMALL | dict(local_attention=6, global_attn_every_n_layers=2, pad_token_id=0, cls_token_id=256,
                                                    sep_token_id=257, bos_token_id=256, eos_token_id=257)),
}


def numbers(tensor):
    return [round(float(x), 6) for x in tensor.reshape(-1)]


def expected(model, tokenizer):
    ids = tokenizer.encode(TEXT).ids
    with torch.no_grad():
        outputs = model(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
    made = {"text": TEXT, "ids": ids, "states": [numbers(state) for state in outputs.hidden_states],
            "maps": [numbers(attention) for attention in outputs.attentions]}
    if getattr(outputs, "logits", None) is not None:
        made["logits"] = numbers(outputs.logits[0, -1])
    return made


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    parity.CASES.update(CASES)
    for encoder in (False, True):
        tokenizer, _ = parity.byte_tokenizer(encoder)
        tokenizer.save(str(OUT / ("encoder-tokenizer.json" if encoder else "tokenizer.json")), pretty=False)
    for name in CASES:
        config, model = parity.random_model(name)
        with torch.no_grad():  # not model.half(), which rounds Gemma's factor of embeddings, too
            for parameter in model.parameters():
                parameter.copy_(parameter.half().float())
        tokenizer, alphabet = parity.byte_tokenizer(config.model_type in parity.ENCODERS)
        made = expected(model, tokenizer)
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            model.half().save_pretrained(place)
            made["config"] = json.loads((place / "config.json").read_text())
            (OUT / f"{name}.safetensors").write_bytes((place / "model.safetensors").read_bytes())
        (OUT / f"{name}.json").write_text(json.dumps(made, separators=(",", ":")) + "\n")
        if name == "qwen2":  # its windows are not written in a GGUF
            parity.CASES["qwen2"] = ("Qwen2Config", ONE_KEY)
            config, model = parity.random_model("qwen2")
            parity.llama_gguf(config, model, alphabet, OUT / "qwen2.gguf", gguf.GGMLQuantizationType.F16)
            (OUT / "qwen2-gguf.json").write_text(json.dumps(expected(model, tokenizer), separators=(",", ":")) + "\n")
    parity.CASES["llama"] = ("LlamaConfig", ONE_KEY | dict(hidden_size=32, intermediate_size=32, tie_word_embeddings=True, rope_theta=100000.0))
    config, model = parity.random_model("llama")
    tokenizer, alphabet = parity.byte_tokenizer(False)
    parity.llama_gguf(config, model, alphabet, OUT / "llama.gguf", gguf.GGMLQuantizationType.Q8_0)
    (OUT / "llama-gguf.json").write_text(json.dumps(expected(model, tokenizer), separators=(",", ":")) + "\n")
    (OUT / "VERSIONS.txt").write_text(f"transformers {transformers.__version__}, torch {torch.__version__}\n")


if __name__ == "__main__":
    main()
