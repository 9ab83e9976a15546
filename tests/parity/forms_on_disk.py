#!/usr/bin/env python3
"""Published models as they lie on people's disks: hundreds of random small configurations of every family, each saved in another form: old and
new spellings of keys, keys left out that have their default, names without their prefix, LayerNorm.gamma and beta, buffers beside the weights,
heads that are tied and present all the same, heads of other tasks beside an encoder, float16 and bfloat16, shards with their index, GGUF. The
library transformers (eager, float32) reads the same config.json; Headlight's states, maps and logits are the library's.

    forms_on_disk.py HEADLIGHT BUILD_FOLDER [--count N] [--seed S] [--keep FOLDER] [FAMILY ...]

Exit status 77: PyTorch, transformers, gguf or NumPy are not installed. The seed of a model is in its name, so that one can be made again:
--seed 17 --count 1.
"""
import argparse
import json
import pathlib
import random
import sys
import tempfile

import published_models as parity  # exits with 77 if the libraries are missing
from gguf_forms import write_gguf

import safetensors.torch
import torch
import transformers

LETTERS = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:-?"
ENCODERS = parity.ENCODERS


def divisors(n):
    return [k for k in range(1, n + 1) if n % k == 0]


def rope_of(r, turned, longest):
    """What rope_parameters may hold, and the length below which a scaling does nothing."""
    kinds = ["default"] * 3 + ["linear", "llama3", "yarn", "longrope"] + (["dynamic"] if turned > 2 else [])
    kind = r.choice(kinds)
    rope = {"rope_type": kind, "rope_theta": r.choice([10000.0, 500.0, 100000.0, 1e6, 23.5])}
    original = r.choice([7, 13, 32, 60, 150])
    factor = r.choice([1.5, 2.0, 4.0, 8.0])
    if kind == "linear" or kind == "dynamic":
        rope["factor"] = factor
    if kind == "llama3":
        rope |= dict(factor=factor, low_freq_factor=r.choice([1.0, 1.5]), high_freq_factor=r.choice([4.0, 8.0]),
                     original_max_position_embeddings=original)
    if kind == "yarn":
        rope |= dict(factor=factor, original_max_position_embeddings=original)
        if r.random() < 0.3:
            rope |= dict(beta_fast=r.choice([16.0, 20.0]), beta_slow=2.0)
        if r.random() < 0.3:
            rope |= dict(attention_factor=1.25)
        elif r.random() < 0.3:
            rope |= dict(mscale=0.7, mscale_all_dim=r.choice([0.5, 1.0]))
        if r.random() < 0.3:
            rope |= dict(truncate=False)
    if kind == "longrope":
        pairs = turned // 2
        rope |= dict(short_factor=[round(r.uniform(1, 2), 2) for _ in range(pairs)], original_max_position_embeddings=original,
                     long_factor=[round(r.uniform(1, 9), 2) for _ in range(pairs)])
        if r.random() < 0.4:
            rope |= dict(factor=factor)
        if r.random() < 0.3:
            rope |= dict(attention_factor=1.1)
    return rope


def llama_kin(r, head_dim=None):
    heads = r.choice([1, 2, 3, 4, 5, 6, 8])
    width = 2 * r.randint(1, 9)
    options = dict(num_attention_heads=heads, num_key_value_heads=r.choice(divisors(heads)), num_hidden_layers=r.randint(1, 4),
                   intermediate_size=r.randint(5, 70), vocab_size=259 + r.randint(0, 40), max_position_embeddings=r.choice([9, 20, 64, 131]),
                   hidden_size=heads * width, rms_norm_eps=r.choice([1e-6, 1e-5, 1e-3]), tie_word_embeddings=r.random() < 0.4,
                   pad_token_id=None, bos_token_id=256, eos_token_id=257)
    if head_dim is not False and (head_dim or r.random() < 0.4):
        options["hidden_size"] = heads * r.randint(2, 11)
        options["head_dim"] = width
    options["rope_parameters"] = rope_of(r, width, options["max_position_embeddings"])
    return options


def llama(r):
    return "LlamaConfig", llama_kin(r) | dict(attention_bias=r.random() < 0.3, mlp_bias=r.random() < 0.3, hidden_act=r.choice(["silu", "silu", "gelu", "relu"]))


def mistral(r):
    return "MistralConfig", llama_kin(r) | dict(sliding_window=r.choice([None, 1, 2, 5, 17, 4096]))


def qwen(r, kind, **kw):
    options = llama_kin(r, **kw)
    if r.random() < 0.5:
        options |= dict(use_sliding_window=True, sliding_window=r.choice([1, 3, 9, None]), max_window_layers=r.randint(0, 3))
        if options["sliding_window"] and r.random() < 0.3:
            options["layer_types"] = [r.choice(["sliding_attention", "full_attention"]) for _ in range(options["num_hidden_layers"])]
    return kind, options


def qwen2(r):
    return qwen(r, "Qwen2Config")


def qwen3(r):
    kind, options = qwen(r, "Qwen3Config", head_dim=True)
    return kind, options | dict(attention_bias=r.random() < 0.4)


def gemma(r):
    return "GemmaConfig", llama_kin(r, head_dim=True) | dict(attention_bias=r.random() < 0.3, tie_word_embeddings=r.random() < 0.8,
                                                             hidden_act=r.choice(["gelu_pytorch_tanh", "gelu", "gelu_new", "relu"]))


def gemma2(r):
    options = llama_kin(r, head_dim=True) | dict(
        attention_bias=r.random() < 0.3, tie_word_embeddings=r.random() < 0.8, query_pre_attn_scalar=r.choice([256, 9, 33]),
        sliding_window=r.choice([1, 4, 9, 4096]), attn_logit_softcapping=r.choice([50.0, 3.0, None]),
        final_logit_softcapping=r.choice([30.0, 2.0, None]), hidden_activation=r.choice(["gelu_pytorch_tanh", "gelu"]))
    if r.random() < 0.4:
        options["layer_types"] = [r.choice(["sliding_attention", "full_attention"]) for _ in range(options["num_hidden_layers"])]
    elif r.random() < 0.5:  # as the published ones
        options |= dict(query_pre_attn_scalar=options["head_dim"], attn_logit_softcapping=5.0, final_logit_softcapping=3.0,
                        hidden_activation="gelu_pytorch_tanh", hidden_act="gelu_pytorch_tanh")
    return "Gemma2Config", options


def phi3(r):
    options = llama_kin(r, head_dim=False)
    width = options["hidden_size"] // options["num_attention_heads"]
    part = r.choice([1.0, 1.0, 0.75, 0.5])
    if int(width * part) < 4:
        part = 1.0
    turned = int(width * part)
    rope = rope_of(r, turned, options["max_position_embeddings"])
    while rope["rope_type"] not in ("default", "longrope"):
        rope = rope_of(r, turned, options["max_position_embeddings"])
    original = rope.pop("original_max_position_embeddings", 4096)
    if rope["rope_type"] == "longrope":
        rope["original_max_position_embeddings"] = original
    options |= dict(rope_parameters=rope | dict(partial_rotary_factor=part), original_max_position_embeddings=original,
                    sliding_window=r.choice([None, 1, 6, 2047]))
    if rope["rope_type"] == "longrope":
        options["max_position_embeddings"] = original * r.choice([1, 4, 7])
    return "Phi3Config", options


def gpt2(r):
    heads = r.randint(1, 6)
    return "GPT2Config", dict(
        vocab_size=259 + r.randint(0, 40), n_head=heads, n_embd=heads * r.randint(1, 13), n_layer=r.randint(1, 4), n_positions=r.choice([60, 77]),
        n_inner=r.choice([None, r.randint(5, 70)]), scale_attn_by_inverse_layer_idx=r.random() < 0.3, scale_attn_weights=r.random() < 0.8,
        reorder_and_upcast_attn=r.random() < 0.2, activation_function=r.choice(["gelu_new", "gelu", "relu", "gelu_fast"]),
        layer_norm_epsilon=r.choice([1e-5, 1e-3]), tie_word_embeddings=r.random() < 0.8, bos_token_id=256, eos_token_id=257)


def gpt_neox(r):
    heads, width = r.randint(1, 6), r.randint(4, 17)
    part = r.choice([0.25, 0.25, 0.5, 1.0, 0.4])
    turned = int(width * part)
    while turned < 1 or turned + turned % 2 > width:
        width += 1
        turned = int(width * part)
    longest = r.choice([20, 77])
    rope = rope_of(r, turned, longest)
    while rope["rope_type"] == "longrope" or (rope["rope_type"] != "default" and turned % 2 == 1):
        rope = rope_of(r, turned, longest)
    return "GPTNeoXConfig", dict(
        vocab_size=259 + r.randint(0, 40), hidden_size=heads * width, num_attention_heads=heads, num_hidden_layers=r.randint(1, 4),
        intermediate_size=r.randint(5, 70), max_position_embeddings=longest, use_parallel_residual=r.random() < 0.6,
        attention_bias=r.random() < 0.7, hidden_act=r.choice(["gelu", "gelu_fast", "gelu_new", "relu"]), layer_norm_eps=r.choice([1e-5, 1e-3]),
        tie_word_embeddings=r.random() < 0.3, rope_parameters=rope | dict(partial_rotary_factor=part), bos_token_id=256, eos_token_id=257)


def bert(r):
    heads = r.randint(1, 6)
    return "BertConfig", dict(
        vocab_size=259 + r.randint(0, 40), hidden_size=heads * r.randint(1, 13), num_attention_heads=heads, num_hidden_layers=r.randint(1, 4),
        intermediate_size=r.randint(5, 70), max_position_embeddings=r.choice([64, 77]), type_vocab_size=r.choice([1, 2, 3]),
        hidden_act=r.choice(["gelu", "gelu_new", "relu"]), layer_norm_eps=r.choice([1e-12, 1e-5, 1e-3]), is_decoder=r.random() < 0.15)


def roberta(r):
    _, options = bert(r)
    return "RobertaConfig", options | dict(pad_token_id=r.choice([0, 1, 3]))


def distilbert(r):
    heads = r.randint(1, 6)
    return "DistilBertConfig", dict(
        vocab_size=259 + r.randint(0, 40), dim=heads * r.randint(1, 13), n_heads=heads, n_layers=r.randint(1, 4), hidden_dim=r.randint(5, 70),
        max_position_embeddings=r.choice([64, 77]), activation=r.choice(["gelu", "relu"]), sinusoidal_pos_embds=r.random() < 0.2)


def modernbert(r):
    heads, width = r.randint(1, 5), 2 * r.randint(1, 9)
    options = dict(
        vocab_size=259 + r.randint(0, 40), hidden_size=heads * width, num_attention_heads=heads, num_hidden_layers=r.randint(1, 5),
        intermediate_size=r.randint(5, 70), max_position_embeddings=r.choice([64, 77]), local_attention=r.choice([1, 2, 5, 6, 128]),
        norm_bias=r.random() < 0.3, attention_bias=r.random() < 0.3, mlp_bias=r.random() < 0.3, norm_eps=r.choice([1e-5, 1e-3]),
        hidden_activation=r.choice(["gelu", "gelu_pytorch_tanh", "silu"]), pad_token_id=258, cls_token_id=256, sep_token_id=257, bos_token_id=256,
        eos_token_id=257)
    options["global_attn_every_n_layers"] = r.choice([1, 2, 3])
    options["rope_parameters"] = {kind: {"rope_type": "default", "rope_theta": r.choice([160000.0, 10000.0, 77.0])}
                                  for kind in ("full_attention", "sliding_attention")}
    if r.random() < 0.2:
        options["rope_parameters"][r.choice(["full_attention", "sliding_attention"])] |= dict(rope_type="linear", factor=2.5)
    return "ModernBertConfig", options


FAMILIES = dict(llama=llama, mistral=mistral, qwen2=qwen2, qwen3=qwen3, gemma=gemma, gemma2=gemma2, phi3=phi3, gpt2=gpt2, gpt_neox=gpt_neox,
                bert=bert, roberta=roberta, distilbert=distilbert, modernbert=modernbert)

# Classes with heads of other tasks, whose tensors lie beside the encoder's.
WITH_HEADS = dict(
    bert=["BertModel", "BertForMaskedLM", "BertForPreTraining", "BertForSequenceClassification", "BertForQuestionAnswering", "BertForTokenClassification"],
    roberta=["RobertaModel", "RobertaForMaskedLM", "RobertaForSequenceClassification", "RobertaForQuestionAnswering"],
    distilbert=["DistilBertModel", "DistilBertForMaskedLM", "DistilBertForSequenceClassification", "DistilBertForQuestionAnswering"],
    modernbert=["ModernBertModel", "ModernBertForMaskedLM", "ModernBertForSequenceClassification", "ModernBertForTokenClassification"])
PREFIX = dict(gpt2="transformer.", gpt_neox="gpt_neox.", bert="bert.", roberta="roberta.", distilbert="distilbert.")


def scramble(model):
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            wide = parameter.dim() > 1
            middle = 0 if wide or "Gemma" in type(model).__name__ else 0.6  # Gemma adds 1
            parameter.copy_(torch.randn_like(parameter) * (0.2 if wide else 0.3) + middle)


def old_rope(r, config, family):
    """The keys that were written before `rope_parameters`."""
    rope = config.pop("rope_parameters")
    if family == "modernbert":
        if any(one["rope_type"] != "default" for one in rope.values()):
            config["rope_parameters"] = rope
            return
        config["global_rope_theta"] = rope["full_attention"]["rope_theta"]
        config["local_rope_theta"] = rope["sliding_attention"]["rope_theta"]
        return
    theta, part = rope.pop("rope_theta"), rope.pop("partial_rotary_factor", None)
    config["rotary_emb_base" if family == "gpt_neox" else "rope_theta"] = theta
    if part is not None:
        config["rotary_pct" if family == "gpt_neox" else "partial_rotary_factor"] = part
    kind = rope.pop("rope_type")
    if kind == "default":
        if r.random() < 0.5:
            config["rope_scaling"] = None
        return
    if family == "phi3":
        rope.pop("original_max_position_embeddings", None)
        kind = r.choice(["longrope", "su"])
    elif "original_max_position_embeddings" in rope and r.random() < 0.2:
        config["original_max_position_embeddings"] = rope["original_max_position_embeddings"] * 2
    config["rope_scaling"] = {r.choice(["type", "rope_type"]): kind} | rope
    if r.random() < 0.3:
        config["rope_scaling"] |= {"type": kind, "rope_type": kind}


def leave_out(r, config, defaults):
    for key, value in list(config.items()):
        if key in defaults and defaults[key] == value and key != "model_type" and r.random() < 0.7:
            del config[key]


def respelled(r, family, config, defaults, notes):
    """config.json as another version of the library wrote it."""
    if "rope_parameters" in config and r.random() < 0.6:
        old_rope(r, config, family)
        notes.append("old rope")
    if family == "modernbert" and r.random() < 0.5:
        config.pop("layer_types", None)
    elif family == "modernbert":
        config.pop("global_attn_every_n_layers", None)
    if family in ("qwen2", "qwen3", "gemma2") and r.random() < 0.4 and "own layer types" not in notes:
        config.pop("layer_types", None)
    if r.random() < 0.5:
        leave_out(r, config, defaults)
        notes.append("defaults left out")
    for key in ("num_key_value_heads", "head_dim"):
        if key in config and "num_attention_heads" in config and config[key] == (
                config["num_attention_heads"] if key.startswith("num") else config["hidden_size"] // config["num_attention_heads"]) \
                and family not in ("qwen3", "gemma", "gemma2") and r.random() < 0.3:
            config[key] = None
    kind = config.pop("dtype", "float32")
    if r.random() < 0.5:
        config["torch_dtype"] = kind
    elif r.random() < 0.5:
        config["dtype"] = kind
    return config


def renamed(r, family, state, notes):
    prefix = PREFIX.get(family, "model.")
    if r.random() < 0.3 and any(name.startswith(prefix) for name in state):
        state = {name.removeprefix(prefix): tensor for name, tensor in state.items()}
        notes.append("no prefix")
    if family in ("bert", "roberta") and r.random() < 0.3:
        state = {name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor for name, tensor in state.items()}
        notes.append("gamma")
    return state


def with_buffers(r, family, state, config, notes):
    if r.random() < 0.6:
        return
    notes.append("buffers")
    own = PREFIX.get(family, "model.") if any(name.startswith(PREFIX.get(family, "model.")) for name in state) else ""
    for n in range(config.num_hidden_layers):
        if family == "gpt2":
            state[f"{own}h.{n}.attn.bias"] = torch.ones(1, 1, 8, 8).tril() if r.random() < 0.5 else torch.ones(1, 1, 8, 8, dtype=torch.bool).tril()
            state[f"{own}h.{n}.attn.masked_bias"] = torch.tensor(-1e4)
        if family == "gpt_neox":
            state[f"{own}layers.{n}.attention.bias"] = torch.ones(1, 1, 8, 8, dtype=torch.uint8).tril()
            state[f"{own}layers.{n}.attention.masked_bias"] = torch.tensor(-1e9)
            state[f"{own}layers.{n}.attention.rotary_emb.inv_freq"] = torch.ones(2)
        if family in ("llama", "mistral", "qwen2", "gemma"):
            state[f"{own}layers.{n}.self_attn.rotary_emb.inv_freq"] = torch.ones(3)
    if family in ("bert", "roberta", "distilbert"):
        state[f"{own}embeddings.position_ids"] = torch.arange(9)[None]
        if r.random() < 0.5:
            state[f"{own}embeddings.token_type_ids"] = torch.zeros(1, 9, dtype=torch.int64)


def save(r, state, place, notes):
    state = {name: tensor.contiguous().clone() for name, tensor in state.items()}
    shards = r.choice([1, 1, 2, 3])
    if shards == 1:
        safetensors.torch.save_file(state, place / "model.safetensors", metadata={"format": "pt"})
        return
    notes.append(f"{shards} shards")
    names = list(state)
    r.shuffle(names)
    where = {}
    for part in range(shards):
        file = f"model-{part + 1:05}-of-{shards:05}.safetensors"
        own = {name: state[name] for name in names[part::shards]}
        safetensors.torch.save_file(own, place / file, metadata={"format": "pt"})
        where |= {name: file for name in own}
    (place / "model.safetensors.index.json").write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": where}))


def make(family, seed, place):
    """Writes the model's files. Gives the library's model and the words of its form."""
    r = random.Random(f"{family} {seed}")
    torch.manual_seed(seed)
    kind, options = FAMILIES[family](r)
    notes = ["own layer types"] if "layer_types" in options else []
    config = getattr(transformers, kind)(**options)
    if family in ENCODERS:
        model = getattr(transformers, r.choice(WITH_HEADS[family]))(config)
    else:
        model = transformers.AutoModelForCausalLM.from_config(config)
    notes.append(type(model).__name__)
    scramble(model)
    stored = r.choice([torch.float32, torch.float32, torch.float16, torch.bfloat16])
    notes.append(str(stored).removeprefix("torch."))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.to(stored).float())
    model.save_pretrained(place)
    state = safetensors.torch.load_file(place / "model.safetensors")
    if family == "gpt_neox" and r.random() < 0.5:
        state = {"embed_out.weight" if name == "lm_head.weight" else name: tensor for name, tensor in state.items()}
    if family not in ENCODERS and config.tie_word_embeddings and r.random() < 0.4:
        notes.append("tied head present")
        table = next(tensor for name, tensor in state.items() if name.endswith(("embed_tokens.weight", "wte.weight", "embed_in.weight")))
        state["embed_out.weight" if family == "gpt_neox" and r.random() < 0.5 else "lm_head.weight"] = table
    (place / "model.safetensors").unlink()
    state = renamed(r, family, {name: tensor.to(stored) for name, tensor in state.items()}, notes)
    with_buffers(r, family, state, config, notes)
    save(r, state, place, notes)
    written = json.loads((place / "config.json").read_text())
    written.setdefault("global_attn_every_n_layers", options.get("global_attn_every_n_layers"))
    written = {key: value for key, value in written.items() if key != "global_attn_every_n_layers" or value is not None}
    written = respelled(r, family, written, type(config)().to_dict(), notes)
    (place / "config.json").write_text(json.dumps(written, indent=1))
    tokenizer, alphabet = parity.byte_tokenizer(family in ENCODERS)
    tokenizer.save(str(place / "tokenizer.json"))
    # The library's model by the config.json as it was written, with the same numbers.
    again = transformers.AutoConfig.from_pretrained(place)
    again._attn_implementation = "eager"
    automatic = transformers.AutoModel if family in ENCODERS else transformers.AutoModelForCausalLM
    library = automatic.from_config(again, attn_implementation="eager").float().eval()
    own = getattr(model, model.base_model_prefix) if family in ENCODERS and not type(model).__name__.endswith("Model") else model
    missing, _ = library.load_state_dict(own.state_dict(), strict=False)
    assert all("pooler" in name for name in missing), missing
    return r, again, library, tokenizer, alphabet, notes


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("headlight")
    arguments.add_argument("build")
    arguments.add_argument("families", nargs="*")
    arguments.add_argument("--count", type=int, default=8)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--keep", type=pathlib.Path)
    arguments.add_argument("--gguf", action="store_true", help="each as GGUF, too")
    asked = arguments.parse_args()
    report = parity.Report()
    for family in asked.families or FAMILIES:
        for seed in range(asked.seed, asked.seed + asked.count):
            with tempfile.TemporaryDirectory() as folder:
                place = pathlib.Path(asked.keep or folder) / f"{family}-{seed}"
                place.mkdir(parents=True, exist_ok=True)
                try:
                    r, config, model, tokenizer, alphabet, notes = make(family, seed, place)
                    lengths = [1, 2, 5, 12, 25, 50] + [90] * hasattr(config, "rope_parameters")
                    text = "".join(r.choice(LETTERS) for _ in range(r.choice(lengths))).strip() or "x"
                    ids = tokenizer.encode(text).ids
                    with torch.no_grad():
                        outputs = model(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
                except Exception as wrong:  # the library refuses its own configuration
                    print(f"{family} {seed}: the library says {type(wrong).__name__}: {str(wrong)[:200]}")
                    continue
                before = len(report.failed)
                parity.compare(report, asked.headlight, family, place, text, ids, outputs, config.num_hidden_layers)
                if asked.gguf:
                    target = place / "gguf"
                    target.mkdir(exist_ok=True)
                    if write_gguf(family, config, model, alphabet, target / "model.gguf", notes):
                        tokenizer.save(str(target / "tokenizer.json"))
                        parity.compare(report, asked.headlight, family + ".gguf", target, text, ids, outputs, config.num_hidden_layers)
                for line in report.failed[before:before + 1]:
                    print(f"{family} {seed} [{', '.join(notes)}; {len(ids)} tokens]: {line}", flush=True)
    parity.print_table(report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
