#!/usr/bin/env python3
"""The two real models of the catalogue on the sentences of tests/data/real_models: SmolLM2's greedy continuations of 20 tokens and MiniLM's hidden
states, maps and pooled vectors are those of the library transformers (eager, float32; SmolLM2's blocks are widened exactly).

    real_models.py HEADLIGHT BUILD_FOLDER [--count N] [--write] [smollm2 | minilm]

Exit status 77: the libraries are not installed, or the model was not fetched with `headlight models get`. --write renews the fixtures that
tests/unit/real_models_test.cpp reads.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import published_models as parity  # exits with 77 if the libraries are missing

import numpy as np
import torch
import transformers

DATA = pathlib.Path(__file__).resolve().parents[1] / "data/real_models"
TOKENS = 20
NEAR = 1e-4  # of two candidates' logits: which comes first is a matter of rounding
EVERY = 20   # sentences of which the fixture keeps one
POOLED = 8   # numbers of each vector that the fixture keeps


def place_of(headlight, name):
    all_models = json.loads(subprocess.run([headlight, "models", "--json"], capture_output=True, text=True, check=True).stdout)
    found = [pathlib.Path(one["path"]) for one in all_models if one["name"] == name and one["group"] == "own"]
    if not found:
        print(f"skipped: {name} is not here; headlight models get {name}")
    return found[0] if found else None


def greedy(model, texts, end):
    """The continuations of texts of equal lengths, and the steps at which two candidates of one are nearly alike."""
    made, near, past, given = [[] for _ in texts], [[] for _ in texts], None, torch.tensor(texts)
    with torch.no_grad():
        for step in range(TOKENS):
            out = model(given, past_key_values=past, use_cache=True)
            past = out.past_key_values
            best = torch.topk(out.logits[:, -1], 2)
            for n in range(len(texts)):
                if made[n] and made[n][-1] == end:
                    continue
                if float(best.values[n, 0] - best.values[n, 1]) < NEAR:
                    near[n].append(step)
                made[n].append(int(best.indices[n, 0]))
            given = best.indices[:, :1]
    return list(zip(made, near))


def smollm2(headlight, place, sentences, write):
    file = next(place.glob("*.gguf"))
    model = transformers.AutoModelForCausalLM.from_pretrained(place, gguf_file=file.name, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(place, gguf_file=file.name)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as texts:
        texts.write("\n".join(sentences) + "\n")
        texts.flush()
        done = subprocess.run([headlight, "generate", "--model", "smollm2", "--texts", texts.name, "--tokens", str(TOKENS), "--json"],
                              capture_output=True, text=True, check=True)
    ours, rows, same, near_steps, differing = json.loads(done.stdout), [], 0, 0, []
    all_ids = [tokenizer(sentence).input_ids for sentence in sentences]
    continued = {}
    for length in sorted(set(map(len, all_ids))):
        group = [n for n, ids in enumerate(all_ids) if len(ids) == length]
        continued |= dict(zip(group, greedy(model, [all_ids[n] for n in group], tokenizer.eos_token_id)))
    for number, (sentence, one) in enumerate(zip(sentences, ours, strict=True)):
        assert one["text"] == sentence, (one["text"], sentence)
        ids, (wanted, near) = all_ids[number], continued[number]
        got = [step["id"] for step in one["steps"]]
        ends = wanted[-1] == tokenizer.eos_token_id
        equal = got == wanted or ends and got == wanted[:-1]
        first = next((n for n, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
        same += equal
        near_steps += len(near)
        if not equal:
            differing.append(f"{sentence!r} at token {first}{', where two candidates are nearer than 1e-4' if first in near else ''}: {got} and {wanted}")
        rows.append({"text": sentence, "ids": ids, "next": wanted[:-1] if ends else wanted, "near": near})
    print(f"smollm2: {same} of {len(sentences)} continuations of {TOKENS} tokens are identical; {near_steps} steps have two candidates nearer than {NEAR:.0e}")
    for line in differing:
        print("  differs:", line)
    if write:
        store("smollm2", rows)
    return all("nearer" in line for line in differing)


def pair_difference(headlight, model, tokenizer, first, second):
    """The largest difference of the hidden states of two sentences that are read as a pair, with the types of its tokens."""
    encoded = tokenizer(first, second, return_tensors="pt")
    assert encoded.token_type_ids.max() == 1
    with torch.no_grad():
        states = model(**encoded, output_hidden_states=True).hidden_states
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "trace.npz"
        subprocess.run([headlight, "trace", "--model", "minilm", "--text", first, "--target", second, "--out", str(out)],
                       capture_output=True, text=True, check=True)
        trace = np.load(out)
        assert trace["tokens"][0].tolist() == encoded.input_ids[0].tolist(), (first, second)
        return max(parity.relative(trace[f"layer.{n}.mlp_norm"], states[n + 1].numpy()) for n in range(len(states) - 1))


def minilm(headlight, place, sentences, write):
    model = transformers.AutoModel.from_pretrained(place, attn_implementation="eager", dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    rows, worst = [], {"states": 0.0, "maps": 0.0, "pooled": 0.0}
    for number, sentence in enumerate(sentences):
        ids = tokenizer.backend_tokenizer.encode(sentence).ids
        with torch.no_grad():
            outputs = model(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
        pooled = torch.nn.functional.normalize(outputs.last_hidden_state[0].mean(0), dim=0).numpy()
        rows.append({"text": sentence, "ids": ids, "pooled": [round(float(x), 6) for x in pooled[:POOLED]]})
        for backend in ("cpu", "reference") if number % 10 == 0 else ("cpu",):
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "trace.npz"
                subprocess.run([headlight, "trace", "--model", "minilm", "--text", sentence, "--backend", backend, "--out", str(out)],
                               capture_output=True, text=True, check=True)
                trace = np.load(out)
                steps = {key: trace[key] for key in trace.files}
            assert steps["tokens"][0].tolist() == ids, (sentence, steps["tokens"][0].tolist(), ids)
            for n in range(model.config.num_hidden_layers):
                worst["states"] = max(worst["states"], parity.relative(steps[f"layer.{n}.mlp_norm"], outputs.hidden_states[n + 1].numpy()))
                worst["maps"] = max(worst["maps"], float(np.abs(steps[f"layer.{n}.weights"] - outputs.attentions[n].numpy()).max()))
            own = steps[f"layer.{model.config.num_hidden_layers - 1}.mlp_norm"][0].mean(0)
            worst["pooled"] = max(worst["pooled"], float(np.abs(own / np.linalg.norm(own) - pooled).max()))
    worst["pairs"] = max(pair_difference(headlight, model, tokenizer, *pair) for pair in zip(sentences[::20], sentences[10::20]))
    print(f"minilm: {len(sentences)} sentences; largest differences: " + ", ".join(f"{name} {value:.1e}" for name, value in worst.items()))
    if write:
        store("minilm", rows)
    return max(worst["states"], worst["pairs"]) <= parity.STATE and worst["maps"] <= parity.MAP and worst["pooled"] <= parity.MAP


def store(name, rows):
    lines = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows[::EVERY])
    versions = f"transformers {transformers.__version__}, torch {torch.__version__}"
    (DATA / f"{name}.json").write_text(f'{{"versions": "{versions}", "sentences": [\n{lines}\n]}}\n')


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("headlight")
    arguments.add_argument("build")
    arguments.add_argument("model", nargs="?")
    arguments.add_argument("--count", type=int)
    arguments.add_argument("--write", action="store_true")
    asked = arguments.parse_args()
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, tokenizers {parity.tokenizers.__version__}")
    sentences = (DATA / "sentences.txt").read_text().splitlines()[:asked.count]
    held, ran = True, 0
    for name, check in (("smollm2", smollm2), ("minilm", minilm)):
        place = None if asked.model not in (None, name) else place_of(asked.headlight, name)
        if place:
            held, ran = check(asked.headlight, place, sentences, asked.write) and held, ran + 1
    return 77 if ran == 0 else 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
