"""A model of the library transformers as a GGUF file, as llama.cpp's converter writes each family: its names, its keys, rows of rotary q and k in
the order of pairs for Llama and Mistral, GPT-2 turned, GPT-NeoX's q, k, v one behind another, Gemma's norms with their 1 added."""
import math
import re

import gguf
import numpy as np
import torch

ARCH = dict(llama="llama", mistral="llama", qwen2="qwen2", qwen3="qwen3", gemma="gemma", gemma2="gemma2", phi3="phi3", gpt2="gpt2",
            gpt_neox="gptneox", bert="bert", roberta="bert", distilbert="bert", modernbert="modern-bert")
ACTIVATION = dict(gemma="gelu_pytorch_tanh", gemma2="gelu_pytorch_tanh", gpt2="gelu_new", gpt_neox="gelu", bert="gelu", roberta="gelu", distilbert="gelu",
                  modernbert="gelu")
OUTSIDE = {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output", "embed_out": "output", "wte": "token_embd", "wpe": "position_embd",
           "ln_f": "output_norm", "embed_in": "token_embd", "final_layer_norm": "output_norm", "embeddings.word_embeddings": "token_embd",
           "embeddings.position_embeddings": "position_embd", "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm",
           "embeddings.tok_embeddings": "token_embd", "embeddings.norm": "token_embd_norm", "final_norm": "output_norm"}
LLAMA = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "self_attn.qkv_proj": "attn_qkv",
         "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
         "mlp.gate_up_proj": "ffn_up"}
BERT = {"attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v", "attention.output.dense": "attn_output",
        "attention.output.LayerNorm": "attn_output_norm", "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm"}
LAYER = dict(
    gemma2=LLAMA | {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm"},
    gpt2={"ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"},
    gpt_neox={"input_layernorm": "attn_norm", "attention.query_key_value": "attn_qkv", "attention.dense": "attn_output",
              "post_attention_layernorm": "ffn_norm", "mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down"},
    bert=BERT, roberta=BERT,
    distilbert={"attention.q_lin": "attn_q", "attention.k_lin": "attn_k", "attention.v_lin": "attn_v", "attention.out_lin": "attn_output",
                "sa_layer_norm": "attn_output_norm", "ffn.lin1": "ffn_up", "ffn.lin2": "ffn_down", "output_layer_norm": "layer_output_norm"},
    modernbert={"attn_norm": "attn_norm", "attn.Wqkv": "attn_qkv", "attn.Wo": "attn_output", "mlp_norm": "ffn_norm", "mlp.Wi": "ffn_up", "mlp.Wo": "ffn_down"})


def what_is_not_stored(family, config):
    """Why the file could not say the same; None: it can."""
    activation = getattr(config, "hidden_act", None) or getattr(config, "activation_function", None) or getattr(config, "activation", None) or \
        getattr(config, "hidden_activation", None)
    if activation != ACTIVATION.get(family, "silu"):
        return "activation"
    rope = getattr(config, "rope_parameters", None) or {}
    if rope.get("rope_type") == "dynamic" or rope.get("truncate") is False or rope.get("beta_fast") or rope.get("mscale"):
        return "rope"
    if rope.get("rope_type") == "longrope" and family != "phi3":
        return "rope"
    if family == "phi3" and config.max_position_embeddings < rope.get("original_max_position_embeddings", 0):
        return "rope"
    if family == "mistral" and config.sliding_window is not None:
        return "window"
    if family in ("qwen2", "qwen3") and config.use_sliding_window:
        return "window"
    if family == "gemma2" and (config.query_pre_attn_scalar != config.head_dim or config.attn_logit_softcapping is None
                               or config.final_logit_softcapping is None or config.sliding_window != 4096 and
                               config.layer_types != ["sliding_attention" if n % 2 == 0 else "full_attention" for n in range(config.num_hidden_layers)]):
        return "caps or windows"
    if family == "gpt2" and (config.scale_attn_by_inverse_layer_idx or not config.scale_attn_weights):
        return "scale"
    if family == "modernbert" and any(one["rope_type"] != "default" for one in rope.values()):
        return "rope"
    if family == "modernbert" and config.layer_types != ["full_attention" if n % 3 == 0 else "sliding_attention" for n in range(config.num_hidden_layers)]:
        return "windows"
    return None


def keys(writer, arch, family, config, width, heads, kv):
    writer.add_name("random")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_embedding_length(config.hidden_size)
    writer.add_context_length(config.max_position_embeddings)
    inner = getattr(config, "n_inner", None) or getattr(config, "hidden_dim", None) or getattr(config, "intermediate_size", None) or 4 * config.hidden_size
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    if kv != heads or arch in ("llama", "qwen2"):
        writer.add_head_count_kv(kv)
    if width != config.hidden_size // heads or arch in ("qwen3", "gemma", "gemma2"):
        writer.add_key_length(width)
        writer.add_value_length(width)
    if hasattr(config, "rms_norm_eps"):
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    else:
        writer.add_layer_norm_eps(getattr(config, "layer_norm_eps", None) or getattr(config, "layer_norm_epsilon", None) or getattr(config, "norm_eps", None) or 1e-12)
    if arch == "bert":
        writer.add_causal_attention(getattr(config, "is_decoder", False))
    if arch == "gptneox":
        writer.add_parallel_residual(config.use_parallel_residual)
    if arch == "gemma2":
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
    if arch == "modern-bert":
        writer.add_sliding_window(config.local_attention)
        writer.add_rope_freq_base(config.rope_parameters["full_attention"]["rope_theta"])
        writer.add_float32("modern-bert.rope.freq_base_swa", config.rope_parameters["sliding_attention"]["rope_theta"])
    elif arch in ("gemma2", "phi3") and config.sliding_window:
        writer.add_sliding_window(config.sliding_window)


def rope_keys(writer, family, config, width):
    rope = config.rope_parameters
    turned = int(width * rope.get("partial_rotary_factor", 1.0))
    writer.add_rope_freq_base(rope["rope_theta"])
    if turned != width or family in ("llama", "phi3", "gpt_neox"):
        writer.add_rope_dimension_count(turned)
    kind, factor = rope["rope_type"], rope.get("factor")
    frequencies = rope["rope_theta"] ** (-np.arange(0, turned, 2) / turned)
    if kind == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(factor)
    if kind == "yarn":
        own = 1 + 0.1 * math.log(factor)
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(factor)
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        writer.add_rope_scaling_attn_factors(rope.get("attention_factor", own) / own)
    if kind == "llama3":
        length, low, high = rope["original_max_position_embeddings"], rope["low_freq_factor"], rope["high_freq_factor"]
        divisors = []
        for wave in 2 * np.pi / frequencies:
            part = (length / wave - low) / (high - low)
            divisors.append(1.0 if wave < length / high else factor if wave > length / low else 1 / ((1 - part) / factor + part))
        writer.add_tensor("rope_freqs.weight", np.array(divisors, dtype=np.float32))
    if kind == "longrope":
        length = rope["original_max_position_embeddings"]
        grown = factor or config.max_position_embeddings / length
        magnitude = rope.get("attention_factor") or (1.0 if grown <= 1 else math.sqrt(1 + math.log(grown) / math.log(length)))
        writer.add_rope_scaling_orig_ctx_len(length)
        writer.add_rope_scaling_attn_factors(magnitude)
        writer.add_tensor("rope_factors_long.weight", np.array(rope["long_factor"], dtype=np.float32))
        writer.add_tensor("rope_factors_short.weight", np.array(rope["short_factor"], dtype=np.float32))


def our_name(family, name):
    stem, _, kind = name.rpartition(".")
    stem = re.sub(r"^(model|transformer|gpt_neox|bert|roberta|distilbert)\.(?=embed|layers|norm|wte|wpe|h\.|ln_f|final|encoder|transformer)", "", stem)
    layer = re.match(r"(?:encoder\.layer|transformer\.layer|layers|h)\.(\d+)\.(.*)", stem)
    if layer:
        return f"blk.{layer[1]}.{LAYER.get(family, LLAMA)[layer[2]]}.{kind}"
    return None if stem not in OUTSIDE else f"{OUTSIDE[stem]}.{kind}"


def as_published(family, name, ours, array, heads, kv, width):
    """A matrix of the file as the library has it."""
    if family == "gpt2" and name.split(".")[-2] in ("c_attn", "c_proj", "c_fc"):
        array = array.T
    if family == "gpt_neox" and "query_key_value" in name:
        array = array.reshape(3, heads, width, -1).swapaxes(0, 1).reshape(array.shape)
    if ARCH[family] == "llama" and re.search(r"attn_[qk]\.", ours):
        of = heads if "attn_q" in ours else kv
        array = array.reshape(of, width // 2, 2, -1).swapaxes(1, 2).reshape(array.shape)
    return torch.from_numpy(np.ascontiguousarray(array))


def write_gguf(family, config, model, alphabet, path, notes, quantised=None):
    """Writes the file; False: the format cannot say what the model is. `quantised`: a kind of blocks for the matrices; the model then computes with
    the widened numbers."""
    if what_is_not_stored(family, config):
        return False
    arch, heads = ARCH[family], config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    kv = getattr(config, "num_key_value_heads", None) or heads
    stored = gguf.GGMLQuantizationType.F16 if "float16" in notes else gguf.GGMLQuantizationType.BF16 if "bfloat16" in notes else None
    writer = gguf.GGUFWriter(path, arch)
    keys(writer, arch, family, config, width, heads, kv)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(alphabet + ["[CLS]", "[SEP]", "[PAD]"] + [f"[UNUSED{n}]" for n in range(config.vocab_size - 259)])
    writer.add_token_types([1] * 256 + [3] * 3 + [5] * (config.vocab_size - 259))
    writer.add_token_merges([])
    if getattr(config, "rope_parameters", None) and family != "modernbert":
        rope_keys(writer, family, config, width)
    widened = {}
    for name, tensor in model.state_dict().items():
        ours = our_name(family, name)
        if ours is None or ours == "output.weight" and config.tie_word_embeddings:
            continue
        array = tensor.detach().float().numpy()
        if family == "gpt2" and name.split(".")[-2] in ("c_attn", "c_proj", "c_fc") and array.ndim == 2:
            array = array.T
        if family == "gpt_neox" and "query_key_value" in name:
            array = array.reshape(heads, 3, width, *array.shape[1:]).swapaxes(0, 1).reshape(array.shape)
        if arch == "llama" and re.search(r"attn_[qk]\.", ours):
            of = heads if "attn_q" in ours else kv
            array = array.reshape(of, 2, width // 2, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)
        if family in ("gemma", "gemma2") and "norm" in ours:
            array = array + 1
        if family == "roberta" and ours.startswith("position_embd"):
            array = array[config.pad_token_id + 1:]
        array = np.ascontiguousarray(array)
        if quantised is not None and array.ndim == 2 and not ours.startswith(("position", "token_types")):
            packed = gguf.quants.quantize(array, quantised)
            writer.add_tensor(ours, packed, raw_dtype=quantised)
            widened[name] = as_published(family, name, ours, gguf.quants.dequantize(packed, quantised), heads, kv, width)
            continue
        if stored is None or array.ndim == 1 or ours.startswith(("position", "token_types")):
            writer.add_tensor(ours, array)
        else:
            writer.add_tensor(ours, gguf.quants.quantize(array, stored), raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    model.load_state_dict(widened, strict=False)
    return True
