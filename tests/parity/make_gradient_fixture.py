"""Gradients and 200 training steps of two small models in PyTorch, as tests/data/training/*.npz.

    python3 tests/parity/make_gradient_fixture.py tests/data/training

The models are those of engine/models/composed_plan.cpp, written again in PyTorch: a decoder (RMSNorm, rotary positions, gated
SiLU, tied output) and an encoder-decoder (LayerNorm, sinusoidal positions, ReLU, biases, padding, label smoothing), and both with
other positions: learned tables, ALiBi, none. Arrays:
parameters.NAME and grad.NAME (y = x W, so a matrix is [in, out]), ids, targets, labels, lengths, target_lengths, loss; of the
decoder also batches.ids [steps, rows, length], batches.labels and losses [steps] of AdamW with warm-up, cosine, clipping.
Made with PyTorch 2.15.0 (CPU, float64 for gradients, float32 for the training) and NumPy.
"""
import math
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F


def rotate(x):
    """Pairs (2i, 2i+1) of the last axis turn by t / 10000^(2i / d_k) (Su et al. 2021)."""
    n, d = x.shape[-2], x.shape[-1]
    angle = torch.arange(n, dtype=x.dtype)[:, None] * 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)[None, :]
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


def sinusoidal(n, d, dtype):
    angle = torch.arange(n, dtype=dtype)[:, None] / 10000.0 ** (torch.arange(0, d, 2, dtype=dtype) / d)[None, :]
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)


def alibi(heads, n, dtype):
    """What is added to the scores: head h takes 2^(-8 (h + 1) / heads) off for each place between query and key."""
    slopes = torch.exp2(-8 * torch.arange(1, heads + 1, dtype=dtype) / heads)
    place = torch.arange(n, dtype=dtype)
    return -slopes[:, None, None] * (place[:, None] - place[None, :]).abs()


class Model:
    def __init__(self, parameters, heads, layers, gated, rms, position):
        self.p, self.heads, self.layers, self.gated, self.rms, self.position = parameters, heads, layers, gated, rms, position

    def norm(self, name, x):
        if self.rms:
            return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.p[name + ".gamma"]
        return F.layer_norm(x, x.shape[-1:], self.p[name + ".gamma"], self.p[name + ".beta"], 1e-5)

    def linear(self, x, weight, bias):
        y = x @ self.p[weight]
        return y + self.p[bias] if bias in self.p else y

    def embedded(self, prefix, table, ids):
        x = self.p[table][ids]
        if self.position == "sinusoidal":
            return x + sinusoidal(ids.shape[1], x.shape[-1], x.dtype)
        return x + self.p[prefix + "position"][: ids.shape[1]] if self.position == "learned" else x

    def attention(self, place, x, y, keep):
        def split(z):
            return z.view(z.shape[0], z.shape[1], self.heads, -1).transpose(1, 2)
        q, k, v = (split(self.linear(z, place + "w" + n, place + "b" + n)) for n, z in (("q", x), ("k", y), ("v", y)))
        if self.position == "rotary":
            q, k = rotate(q), rotate(k)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if self.position == "alibi":
            scores = scores + alibi(self.heads, scores.shape[-1], scores.dtype)
        weights = torch.softmax(scores.masked_fill(~keep, -math.inf), -1)
        merged = (weights @ v).transpose(1, 2).flatten(-2)
        return self.linear(merged, place + "wo", place + "bo")

    def feed_forward(self, place, x):
        if self.gated:
            hidden = F.silu(self.linear(x, place + "w_gate", place + "b_gate")) * self.linear(x, place + "w_up", place + "b_up")
        else:
            hidden = F.relu(self.linear(x, place + "w_up", place + "b_up"))
        return self.linear(hidden, place + "w_down", place + "b_down")

    def stack(self, prefix, x, keep, source=None, keep_source=None):
        for i in range(self.layers):
            place = f"{prefix}layer.{i}."
            n = self.norm(place + "attention_norm", x)
            x = x + self.attention(place, n, n, keep)
            if source is not None:
                n = self.norm(place + "cross.attention_norm", x)
                x = x + self.attention(place + "cross.", n, source, keep_source)
            x = x + self.feed_forward(place, self.norm(place + "mlp_norm", x))
        return self.norm(prefix + "final_norm", x)

    def decoder(self, ids):
        n = ids.shape[1]
        keep = torch.ones(n, n, dtype=torch.bool).tril()
        return self.stack("", self.embedded("", "embedding", ids), keep) @ self.p["embedding"].T

    def encoder_decoder(self, ids, targets, lengths, target_lengths):
        keep = (torch.arange(ids.shape[1])[None, :] < lengths[:, None])[:, None, None, :]
        m = targets.shape[1]
        keep_targets = (torch.arange(m)[None, :] < target_lengths[:, None])[:, None, None, :] & torch.ones(m, m, dtype=torch.bool).tril()
        source = self.stack("encoder.", self.embedded("encoder.", "embedding", ids), keep)
        target = self.embedded("decoder.", "target_embedding", targets)
        return self.stack("decoder.", target, keep_targets, source, keep) @ self.p["output"]


def shapes(prefixes, d, ff, layers, gated, bias, rms):
    all_ = {}
    def norm(name):
        all_[name + ".gamma"] = (d,)
        if not rms:
            all_[name + ".beta"] = (d,)
    def linear(weight, name, shape):
        all_[weight] = shape
        if bias:
            all_[name] = (shape[1],)
    for prefix, cross in prefixes:
        for i in range(layers):
            place = f"{prefix}layer.{i}."
            for part in ("", "cross.") if cross else ("",):
                norm(place + part + "attention_norm")
                for n in "qkvo":
                    linear(place + part + "w" + n, place + part + "b" + n, (d, d))
            norm(place + "mlp_norm")
            for n in (("gate", "up") if gated else ("up",)):
                linear(place + "w_" + n, place + "b_" + n, (d, ff))
            linear(place + "w_down", place + "b_down", (ff, d))
        norm(prefix + "final_norm")
    return all_


def is_table(name):
    return "embedding" in name or name.endswith("position")


def drawn(all_, generator):
    """float32 numbers: norms about 1, the rest with deviation 1 / sqrt(rows), so that no part is negligible."""
    parameters = {}
    for name, shape in all_.items():
        if name.endswith(".gamma"):
            x = 1 + 0.1 * torch.randn(shape, generator=generator)
        elif len(shape) == 1:
            x = 0.1 * torch.randn(shape, generator=generator)
        else:
            x = torch.randn(shape, generator=generator) / math.sqrt(shape[1] if is_table(name) else shape[0])
        parameters[name] = x.float()
    return parameters


def smoothed(logits, labels, smoothing):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten().long(), ignore_index=-1, label_smoothing=smoothing)


def save(path, arrays):
    np.savez_compressed(path, **{name: np.asarray(a) for name, a in arrays.items()})


def gradients_of(parameters, loss_of):
    leaves = {name: p.double().requires_grad_() for name, p in parameters.items()}
    loss = loss_of(leaves)
    loss.backward()
    arrays = {"parameters." + name: p.numpy() for name, p in parameters.items()}
    arrays |= {"grad." + name: leaf.grad.float().numpy() for name, leaf in leaves.items()}
    return arrays | {"loss": np.float32(loss.item())}


def decoder(folder):
    d, ff, heads, layers, vocabulary, rows, length, steps = 16, 24, 4, 2, 23, 4, 12, 200
    g = torch.Generator().manual_seed(1)
    all_ = {"embedding": (vocabulary, d)} | shapes([("", False)], d, ff, layers, True, False, True)
    parameters = drawn(all_, g)
    stream = torch.randint(vocabulary, (steps, rows, length // 2), generator=g)
    stream = torch.cat([stream, stream, stream[..., :1]], -1)  # what repeats can be learnt
    ids, labels = stream[..., :-1].int(), stream[..., 1:].clone().int()
    labels[..., : length // 2 - 1] = -1
    def loss_of(p, i=0):
        return smoothed(Model(p, heads, layers, True, True, "rotary").decoder(ids[i].long()), labels[i], 0)
    arrays = gradients_of(parameters, loss_of)
    leaves = {name: p.clone().requires_grad_() for name, p in parameters.items()}
    matrices = [p for p in leaves.values() if p.dim() > 1]
    others = [p for p in leaves.values() if p.dim() == 1]
    optimiser = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
                                  lr=1, betas=(0.9, 0.95), eps=1e-8)
    losses, most, least, warmup = [], 1e-2, 1e-3, 20
    for step in range(1, steps + 1):
        rate = most * step / warmup if step <= warmup else \
            least + (most - least) * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.zero_grad()
        loss = loss_of(leaves, step - 1)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(leaves.values()), 1.0)
        optimiser.step()
        losses.append(loss.item())
    arrays |= {"ids": ids[0].numpy(), "labels": labels[0].flatten().numpy(), "batches.ids": ids.numpy(),
               "batches.labels": labels.flatten(1).numpy(), "losses": np.float32(losses)}
    save(folder / "decoder.npz", arrays)
    return losses


def decoder_with(folder, position):
    """Gradients alone: positions that are no input's part (alibi), or a table with more rows than the text has tokens (learned)."""
    d, ff, heads, layers, vocabulary, rows, length = 16, 24, 4, 1, 23, 3, 9
    g = torch.Generator().manual_seed(3)
    all_ = {"embedding": (vocabulary, d)} | shapes([("", False)], d, ff, layers, True, False, True)
    if position == "learned":
        all_["position"] = (12, d)
    parameters = drawn(all_, g)
    ids = torch.randint(vocabulary, (rows, length + 1), generator=g)
    ids, labels = ids[:, :-1], ids[:, 1:]
    def loss_of(p):
        return smoothed(Model(p, heads, layers, True, True, position).decoder(ids), labels, 0)
    arrays = gradients_of(parameters, loss_of)
    arrays |= {"ids": ids.int().numpy(), "labels": labels.flatten().int().numpy()}
    save(folder / f"decoder_{position}.npz", arrays)


def encoder_decoder(folder, position, layers, name):
    d, ff, heads, rows = 16, 24, 2, 3
    g = torch.Generator().manual_seed(2)
    all_ = {"embedding": (19, d), "target_embedding": (21, d)}
    if position == "learned":
        all_ |= {"encoder.position": (10, d), "decoder.position": (10, d)}
    all_ |= shapes([("encoder.", False), ("decoder.", True)], d, ff, layers, False, True, False) | {"output": (d, 21)}
    parameters = drawn(all_, g)
    lengths, target_lengths = torch.tensor([7, 4, 6]), torch.tensor([5, 8, 3])
    ids = torch.randint(1, 19, (rows, 7), generator=g) * (torch.arange(7)[None, :] < lengths[:, None])
    inside = torch.arange(8)[None, :] < target_lengths[:, None]
    targets = torch.randint(1, 21, (rows, 8), generator=g) * inside
    labels = torch.where(inside, torch.randint(1, 21, (rows, 8), generator=g), -1)
    def loss_of(p):
        # The row of the padding token, id 0, is looked up at places that nobody attends to.
        logits = Model(p, heads, layers, False, False, position).encoder_decoder(ids, targets, lengths, target_lengths)
        return smoothed(logits, labels, 0.1)
    arrays = gradients_of(parameters, loss_of)
    arrays |= {"ids": ids.int().numpy(), "targets": targets.int().numpy(), "labels": labels.flatten().int().numpy(),
               "lengths": lengths.int().numpy(), "target_lengths": target_lengths.int().numpy()}
    save(folder / name, arrays)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    losses = decoder(folder)
    encoder_decoder(folder, "sinusoidal", 2, "encoder_decoder.npz")
    encoder_decoder(folder, "learned", 1, "encoder_decoder_learned.npz")
    for position in ("learned", "alibi", "none"):
        decoder_with(folder, position)
    print(f"PyTorch {torch.__version__}: loss {losses[0]:.4f} at first, {losses[-1]:.4f} after {len(losses)} steps")


if __name__ == "__main__":
    main()
