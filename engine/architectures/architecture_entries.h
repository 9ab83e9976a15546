// The families of published models, one file each.
#pragma once

#include "engine/architectures/architecture.h"

namespace headlight::architectures {

Entry llama();
Entry mistral();
Entry qwen2();
Entry qwen3();
Entry gemma();
Entry gemma2();
Entry phi3();
Entry gpt2();
Entry gpt_neox();
Entry bert();
Entry roberta();
Entry distilbert();
Entry modernbert();

}  // namespace headlight::architectures
