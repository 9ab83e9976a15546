#!/usr/bin/env python3
"""Published architectures: random small models of awkward sizes, made and run by the library transformers (eager, float32), are opened by
Headlight, and ids, every hidden state, every attention map and the logits are the library's.

    published_models.py HEADLIGHT BUILD_FOLDER [NAME ...]     exit status 77: PyTorch, transformers, gguf or NumPy are not installed

Adding a family is adding a row to CASES. Models that lie on a disk are compared, too: the folders that HEADLIGHT_PUBLISHED names, divided
by colons, and those of HEADLIGHT_PARITY_DATA/tiny-models.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import gguf
    import numpy as np
    import tokenizers
    import torch
    import transformers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import gguf_forms

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
TEXTS = ["a mole ran", "Behold, a wild pi creature, foraging in its native land!", "x"]
MAP, STATE, LOGIT = 1e-5, 1e-4, 1e-4  # absolute; relative to the largest; relative to the largest

# name: (class of the configuration, its options). The vocabulary is 256 bytes and three special tokens; models have more rows.
SMALL = dict(vocab_size=271, hidden_size=36, num_hidden_layers=3, num_attention_heads=6, intermediate_size=50, max_position_embeddings=77)
LLAMA = SMALL | dict(num_key_value_heads=2, pad_token_id=None, bos_token_id=256, eos_token_id=257)
ROPE = dict(rope_theta=500000.0)
CASES = {
    "llama": ("LlamaConfig", LLAMA | dict(rms_norm_eps=1e-5)),
    "llama_one_key_head": ("LlamaConfig", LLAMA | dict(num_key_value_heads=1, tie_word_embeddings=True)),
    "llama_biased": ("LlamaConfig", LLAMA | dict(num_key_value_heads=6, attention_bias=True, mlp_bias=True, head_dim=10)),
    "llama_llama3": ("LlamaConfig", LLAMA | dict(rope_parameters=dict(
        rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32))),
    "llama_linear": ("LlamaConfig", LLAMA | dict(rope_parameters=dict(rope_type="linear", rope_theta=10000.0, factor=4.0))),
    "llama_dynamic": ("LlamaConfig", LLAMA | dict(max_position_embeddings=20, rope_parameters=dict(rope_type="dynamic", rope_theta=10000.0, factor=4.0))),
    "llama_yarn": ("LlamaConfig", LLAMA | dict(rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=19))),
    "mistral": ("MistralConfig", LLAMA | dict(sliding_window=5)),
    "mistral_no_window": ("MistralConfig", LLAMA | dict(sliding_window=None)),
    "qwen2": ("Qwen2Config", LLAMA),
    "qwen2_window": ("Qwen2Config", LLAMA | dict(use_sliding_window=True, sliding_window=7, max_window_layers=1, tie_word_embeddings=True)),
    "qwen3": ("Qwen3Config", LLAMA | dict(head_dim=14)),
    "gemma": ("GemmaConfig", LLAMA | dict(head_dim=14, num_key_value_heads=1)),
    "gemma2": ("Gemma2Config", LLAMA | dict(head_dim=14, query_pre_attn_scalar=9, sliding_window=4, attn_logit_softcapping=3.0,
                                            final_logit_softcapping=2.0, hidden_activation="gelu_pytorch_tanh")),
    "phi3": ("Phi3Config", LLAMA | dict(sliding_window=6)),
    "phi3_longrope": ("Phi3Config", LLAMA | dict(max_position_embeddings=100, original_max_position_embeddings=20, rope_parameters=dict(
        rope_type="longrope", rope_theta=10000.0, short_factor=[1.0, 1.1, 1.3], long_factor=[1.5, 2.0, 7.5], original_max_position_embeddings=20))),
    "gpt2": ("GPT2Config", dict(vocab_size=271, n_embd=36, n_layer=3, n_head=6, n_positions=77)),
    "gpt2_by_layer": ("GPT2Config", dict(vocab_size=271, n_embd=36, n_layer=3, n_head=4, n_positions=77, n_inner=50, scale_attn_by_inverse_layer_idx=True)),
    "gpt_neox": ("GPTNeoXConfig", SMALL | dict(hidden_size=48, rotary_pct=0.25, pad_token_id=None)),
    "gpt_neox_in_turn": ("GPTNeoXConfig", SMALL | dict(use_parallel_residual=False, rotary_pct=1.0, hidden_act="gelu_fast")),
    "bert": ("BertConfig", SMALL | dict(pad_token_id=0)),
    "roberta": ("RobertaConfig", SMALL | dict(pad_token_id=1, type_vocab_size=1)),
    "distilbert": ("DistilBertConfig", dict(vocab_size=271, dim=36, n_layers=3, n_heads=6, hidden_dim=50, max_position_embeddings=77, pad_token_id=0)),
    "modernbert": ("ModernBertConfig", SMALL | dict(num_hidden_layers=4, local_attention=6, global_attn_every_n_layers=3, pad_token_id=0,
                                                    cls_token_id=256, sep_token_id=257, bos_token_id=256, eos_token_id=257)),
}
# Families as GGUF with quantised matrices: sizes are multiples of a block's 32.
BLOCKS = ("Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1")
WIDE = dict(hidden_size=96, intermediate_size=64)
QUANTISED = {
    "mistral": ("MistralConfig", LLAMA | WIDE | dict(sliding_window=None)),
    "qwen3": ("Qwen3Config", LLAMA | WIDE | dict(head_dim=16)),
    "gemma": ("GemmaConfig", LLAMA | WIDE | dict(head_dim=16, num_key_value_heads=1)),
    "gemma2": ("Gemma2Config", LLAMA | WIDE | dict(head_dim=16, query_pre_attn_scalar=16, sliding_window=4, hidden_activation="gelu_pytorch_tanh")),
    "phi3": ("Phi3Config", LLAMA | WIDE | dict(sliding_window=6)),
    "gpt2": ("GPT2Config", dict(vocab_size=271, n_embd=96, n_layer=3, n_head=6, n_positions=77)),
    "gpt_neox": ("GPTNeoXConfig", SMALL | WIDE | dict(rotary_pct=0.25, pad_token_id=None, hidden_act="gelu")),
    "bert": ("BertConfig", SMALL | WIDE | dict(pad_token_id=0)),
    "roberta": ("RobertaConfig", SMALL | WIDE | dict(pad_token_id=1, type_vocab_size=1)),
    "distilbert": ("DistilBertConfig", dict(vocab_size=271, dim=96, n_layers=3, n_heads=6, hidden_dim=64, max_position_embeddings=77, pad_token_id=0)),
    "modernbert": ("ModernBertConfig", SMALL | WIDE | dict(num_hidden_layers=4, local_attention=6, global_attn_every_n_layers=3, pad_token_id=0,
                                                           cls_token_id=256, sep_token_id=257, bos_token_id=256, eos_token_id=257)),
}
ENCODERS = {"bert", "roberta", "distilbert", "modernbert"}


def byte_tokenizer(encoder):
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: n for n, letter in enumerate(alphabet)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(["[CLS]", "[SEP]", "[PAD]"])
    if encoder:
        tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 256), ("[SEP]", 257)])
    return tokenizer, alphabet


def random_model(name):
    kind, options = CASES[name]
    torch.manual_seed(sum(map(ord, name)))
    config = getattr(transformers, kind)(**options)
    config._attn_implementation = "eager"
    automatic = transformers.AutoModel if config.model_type in ENCODERS else transformers.AutoModelForCausalLM
    model = automatic.from_config(config, attn_implementation="eager").float().eval()
    # Gemma's norms multiply by 1 + w. With the same w its scores would be seven times as large, and their rounding in float32 with them.
    centre = -0.4 if config.model_type.startswith("gemma") else 0.6
    with torch.no_grad():  # far from the small numbers that a new model has, so that every mistake shows
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * (0.2 if parameter.dim() > 1 else 0.3) + (0 if parameter.dim() > 1 else centre))
    return config, model


def llama_gguf(config, model, alphabet, path, quantised):
    """As llama.cpp's converter writes Llama and Qwen2: rows of rotary q and k in the order of pairs for the former."""
    arch = {"llama": "llama", "qwen2": "qwen2"}[config.model_type]
    writer = gguf.GGUFWriter(path, arch)
    writer.add_name("random")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(alphabet + ["[CLS]", "[SEP]", "[PAD]"] + [f"[UNUSED{n}]" for n in range(config.vocab_size - 259)])
    writer.add_token_types([1] * 256 + [3] * 3 + [5] * (config.vocab_size - 259))
    writer.add_token_merges([])
    names = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
             "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
             "post_attention_layernorm": "ffn_norm"}
    stored = {}
    for name, tensor in model.state_dict().items():
        array, heads = tensor.numpy(), 0
        ours = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight", "lm_head.weight": "output.weight"}.get(name)
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        if ours is None:
            _, _, layer, *rest = name.split(".")
            stem, suffix = ".".join(rest[:-1]), rest[-1]
            ours = f"blk.{layer}.{names[stem]}.{suffix}"
            if arch == "llama" and stem.endswith(("q_proj", "k_proj")):
                heads = config.num_attention_heads if stem.endswith("q_proj") else config.num_key_value_heads
                array = array.reshape(heads, 2, -1, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)
        array = np.ascontiguousarray(array)
        if quantised is None or array.ndim == 1:
            writer.add_tensor(ours, array)
            continue
        packed = gguf.quants.quantize(array, quantised)
        writer.add_tensor(ours, packed, raw_dtype=quantised)
        array = gguf.quants.dequantize(packed, quantised)
        if heads:
            array = array.reshape(heads, -1, 2, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)
        stored[name] = torch.from_numpy(np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    model.load_state_dict(stored, strict=False)  # the library computes with the widened numbers


class Report:
    def __init__(self):
        self.rows, self.failed = [], []

    def add(self, name, backend, quantity, value, limit):
        self.rows.append((name, backend, quantity, value))
        if not value <= limit:
            self.failed.append(f"{name} on {backend}: {quantity} differs by {value:.3g}, {limit:.0e} at most")


def relative(a, b):
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30))


def compare(report, headlight, name, place, text, ids, outputs, layers):
    for backend in ("reference", "cpu"):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "trace.npz"
            done = subprocess.run([headlight, "trace", "--model", str(place), "--text", text, "--backend", backend, "--out", str(out)],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                report.failed.append(f"{name} on {backend}: {done.stderr.strip()}")
                return
            trace = np.load(out)
            steps = {key: trace[key] for key in trace.files}
        report.add(name, backend, "ids", float(steps["tokens"][0].tolist() != ids), 0)
        if steps["tokens"][0].tolist() != ids:
            return
        hidden = [state.numpy() for state in outputs.hidden_states]
        report.add(name, backend, "states", relative(steps["input"], hidden[0]), STATE)
        for n in range(layers):
            last = n + 1 == layers
            behind = "final_norm" if last and "final_norm" in steps else \
                f"layer.{n}.mlp_norm" if "final_norm" not in steps else f"layer.{n}.mlp_residual"
            report.add(name, backend, "states", relative(steps[behind], hidden[n + 1]), STATE)
            report.add(name, backend, "maps", float(np.abs(steps[f"layer.{n}.weights"] - outputs.attentions[n].numpy()).max()), MAP)
        if getattr(outputs, "logits", None) is not None:
            report.add(name, backend, "logits", relative(steps["logits"], outputs.logits.numpy()), LOGIT)


def check(report, headlight, name, place, tokenizer, config, model):
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        with torch.no_grad():
            outputs = model(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
        compare(report, headlight, name, place, text, ids, outputs, config.num_hidden_layers)


def check_folder(report, headlight, place):
    """A model as it lies on someone's disk: the library reads the same folder."""
    config = transformers.AutoConfig.from_pretrained(place)
    automatic = transformers.AutoModel if config.model_type in ENCODERS else transformers.AutoModelForCausalLM
    model = automatic.from_pretrained(place, attn_implementation="eager", dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    if hasattr(tokenizer, "backend_tokenizer"):
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
        check(report, headlight, place.name, place, tokenizer.backend_tokenizer, config, model)


def print_table(report):
    table = {}
    for name, backend, quantity, value in report.rows:
        key = (name, backend)
        table.setdefault(key, {})[quantity] = max(value, table.get(key, {}).get(quantity, 0))
    print(f"{'model':28} {'backend':10} {'states':>9} {'maps':>9} {'logits':>9}   (largest differences; ids are equal)")
    for (name, backend), row in table.items():
        print(f"{name:28} {backend:10} " + " ".join(f"{row[q]:9.1e}" if q in row else f"{'-':>9}" for q in ("states", "maps", "logits")))
    for line in report.failed:
        print("FAILED", line)
    print(f"{len(table)} rows, {len(report.failed)} failures")


def main():
    headlight, wanted = sys.argv[1], sys.argv[3:]
    report = Report()
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, tokenizers {tokenizers.__version__}, numpy {np.__version__}")
    for name in CASES:
        if wanted and name not in wanted:
            continue
        config, model = random_model(name)
        tokenizer, alphabet = byte_tokenizer(config.model_type in ENCODERS)
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder) / name
            model.save_pretrained(place)
            tokenizer.save(str(place / "tokenizer.json"))
            check(report, headlight, name, place, tokenizer, config, model)
            if name in ("llama", "llama_one_key_head", "qwen2"):
                for kind in (None, gguf.GGMLQuantizationType.F16, gguf.GGMLQuantizationType.Q8_0):
                    label = f"{name}.{kind.name if kind is not None else 'F32'}.gguf"
                    wide, model_of_kind = config, model
                    if kind is not None:  # blocks of 32
                        options = CASES[name][1] | dict(hidden_size=96, intermediate_size=64)
                        CASES["wide"] = (CASES[name][0], options)
                        wide, model_of_kind = random_model("wide")
                        del CASES["wide"]
                    place = pathlib.Path(folder) / label
                    place.mkdir()
                    llama_gguf(wide, model_of_kind, alphabet, place / "model.gguf", kind)
                    tokenizer.save(str(place / "tokenizer.json"))
                    check(report, headlight, label, place, tokenizer, wide, model_of_kind)
    for name, (kind, wide) in QUANTISED.items():
        if wanted and name not in wanted:
            continue
        for blocks in BLOCKS:
            CASES["quantised"] = (kind, wide)
            config, model = random_model("quantised")
            del CASES["quantised"]
            tokenizer, alphabet = byte_tokenizer(config.model_type in ENCODERS)
            with tempfile.TemporaryDirectory() as folder:
                place = pathlib.Path(folder)
                if not gguf_forms.write_gguf(name, config, model, alphabet, place / "model.gguf", [], gguf.GGMLQuantizationType[blocks]):
                    print(f"{name}: GGUF cannot say what it is")
                    break
                tokenizer.save(str(place / "tokenizer.json"))
                check(report, headlight, f"{name}.{blocks}.gguf", place, tokenizer, config, model)
    for folder in filter(None, os.environ.get("HEADLIGHT_PUBLISHED", "").split(":")):
        check_folder(report, headlight, pathlib.Path(folder))
    data = os.environ.get("HEADLIGHT_PARITY_DATA")
    for config in sorted(pathlib.Path(data, "tiny-models").glob("*/config.json")) if data and not wanted else []:
        check_folder(report, headlight, config.parent)
    print_table(report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
