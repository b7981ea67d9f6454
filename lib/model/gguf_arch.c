#include "lib/model/gguf_arch.h"

#include <string.h>

#define ALIBI     "ALiBi"
#define LEARNED   "a learned table of positions"
#define RECURRENT "recurrent layers, and no positions"
#define NOTHING   "no positions at all"

/* Architectures of llama.cpp (b10256, llama_model_rope_type) by name; a '*' stands for any end. The
   first that fits counts. */
static const struct {
  const char *name;
  struct gguf_arch arch;
} archs[] = {
    {"arwkv7", {.instead = RECURRENT}},
    {"bert", {.instead = LEARNED}},
    {"bloom", {.instead = ALIBI}},
    {"gpt2", {.instead = LEARNED}},
    {"jais", {.instead = ALIBI}},
    {"jamba", {.instead = RECURRENT}},
    {"jina-bert-v2", {.instead = ALIBI}},
    {"kimi-linear", {.instead = NOTHING}},
    {"mamba*", {.instead = RECURRENT}},
    {"mpt", {.instead = ALIBI}},
    {"nemotron_h*", {.instead = NOTHING}},
    {"refact", {.instead = ALIBI}},
    {"rwkv*", {.instead = RECURRENT}},
    {"t5*", {.instead = "relative biases"}},

    {"arcee", {.layout = LAYOUT_INTERLEAVED}},
    {"arctic", {.layout = LAYOUT_INTERLEAVED}},
    {"baichuan", {.layout = LAYOUT_INTERLEAVED}},
    {"bailingmoe", {.layout = LAYOUT_INTERLEAVED}},
    {"chameleon", {.layout = LAYOUT_INTERLEAVED}},
    {"chatglm", {.layout = LAYOUT_INTERLEAVED}},
    {"cohere2",
     {.layout = LAYOUT_INTERLEAVED, .period = 4, .full_is_bare = true, .windowed = true}},
    {"command-r", {.layout = LAYOUT_INTERLEAVED}},
    {"deci", {.layout = LAYOUT_INTERLEAVED}},
    {"deepseek", {.layout = LAYOUT_INTERLEAVED}},
    {"deepseek2*", {.layout = LAYOUT_INTERLEAVED, .separate = true, .mscale = true}},
    {"deepseek32", {.layout = LAYOUT_INTERLEAVED, .separate = true, .mscale = true}},
    {"deepseek4", {.layout = LAYOUT_INTERLEAVED, .separate = true, .mscale = true}},
    {"eagle3", {.layout = LAYOUT_INTERLEAVED}},
    {"ernie4_5*", {.layout = LAYOUT_INTERLEAVED}},
    {"glm-dsa", {.layout = LAYOUT_INTERLEAVED, .separate = true, .mscale = true}},
    {"glm4", {.layout = LAYOUT_INTERLEAVED, .halves_with_sections = true}},
    /* llama.cpp has none for it, but the model rotates. */
    {"gptj", {.layout = LAYOUT_INTERLEAVED}},
    {"granite*", {.layout = LAYOUT_INTERLEAVED}},
    {"internlm2", {.layout = LAYOUT_INTERLEAVED}},
    {"llada", {.layout = LAYOUT_INTERLEAVED}},
    {"llama", {.layout = LAYOUT_INTERLEAVED}},
    {"llama4", {.layout = LAYOUT_INTERLEAVED, .bare_interval = 4}},
    {"maincoder", {.layout = LAYOUT_INTERLEAVED}},
    {"minicpm", {.layout = LAYOUT_INTERLEAVED}},
    {"mistral3", {.layout = LAYOUT_INTERLEAVED}},
    {"mistral4", {.layout = LAYOUT_INTERLEAVED, .separate = true, .mscale = true}},
    {"nanbeige", {.layout = LAYOUT_INTERLEAVED}},
    {"neo-bert", {.layout = LAYOUT_INTERLEAVED}},
    {"olmo", {.layout = LAYOUT_INTERLEAVED}},
    {"plm", {.layout = LAYOUT_INTERLEAVED, .separate = true}},
    {"smollm3", {.layout = LAYOUT_INTERLEAVED, .bare_interval = 4}},
    {"starcoder", {.layout = LAYOUT_INTERLEAVED}},
    {"xverse", {.layout = LAYOUT_INTERLEAVED}},

    {"afmoe", {.layout = LAYOUT_HALVES, .bare_interval = 4}},
    {"codeshell", {.layout = LAYOUT_HALVES}},
    {"dbrx", {.layout = LAYOUT_HALVES}},
    {"exaone4", {.layout = LAYOUT_HALVES, .period = 4, .full_is_bare = true}},
    {"exaone*", {.layout = LAYOUT_HALVES}},
    {"falcon*", {.layout = LAYOUT_HALVES}},
    {"gemma-embedding", {.layout = LAYOUT_HALVES, .sliding_base = 10000, .period = 6}},
    {"gemma3", {.layout = LAYOUT_HALVES, .sliding_base = 10000, .period = 6}},
    {"gemma3n", {.layout = LAYOUT_HALVES, .sliding_base = 10000, .period = 5}},
    {"gemma*", {.layout = LAYOUT_HALVES}},
    {"glm4moe", {.layout = LAYOUT_HALVES}},
    {"gpt-oss", {.layout = LAYOUT_HALVES}},
    {"gptneox", {.layout = LAYOUT_HALVES}},
    {"grok", {.layout = LAYOUT_HALVES}},
    {"hunyuan*", {.layout = LAYOUT_HALVES}},
    {"jina-bert-v3", {.layout = LAYOUT_HALVES}},
    {"lfm2*", {.layout = LAYOUT_HALVES}},
    {"minicpm3", {.layout = LAYOUT_HALVES, .separate = true}},
    {"minimax*", {.layout = LAYOUT_HALVES}},
    {"modern-bert",
     {.layout = LAYOUT_HALVES, .sliding_base = 10000, .period = 3, .full_first = true}},
    {"nemotron", {.layout = LAYOUT_HALVES}},
    {"nomic-bert*", {.layout = LAYOUT_HALVES}},
    {"olmo2", {.layout = LAYOUT_HALVES}},
    {"olmoe", {.layout = LAYOUT_HALVES}},
    {"openelm", {.layout = LAYOUT_HALVES}},
    {"orion", {.layout = LAYOUT_HALVES}},
    {"paddleocr", {.layout = LAYOUT_HALVES}},
    {"phi2", {.layout = LAYOUT_HALVES}},
    {"phi3", {.layout = LAYOUT_HALVES}},
    {"phimoe", {.layout = LAYOUT_HALVES}},
    {"plamo*", {.layout = LAYOUT_HALVES}},
    {"qwen", {.layout = LAYOUT_HALVES}},
    {"qwen2", {.layout = LAYOUT_HALVES}},
    {"qwen2moe", {.layout = LAYOUT_HALVES}},
    {"qwen2vl", {.layout = LAYOUT_HALVES}},
    {"qwen35*", {.layout = LAYOUT_HALVES, .alternating_sections = true, .attention_interval = 4}},
    {"qwen3next", {.layout = LAYOUT_HALVES, .attention_interval = 4}},
    {"qwen3vl*", {.layout = LAYOUT_HALVES, .alternating_sections = true}},
    {"qwen3*", {.layout = LAYOUT_HALVES}},
    {"seed_oss", {.layout = LAYOUT_HALVES}},
    {"stablelm", {.layout = LAYOUT_HALVES}},
    {"starcoder2", {.layout = LAYOUT_HALVES}},
    {"step35", {.layout = LAYOUT_HALVES}},
};

static bool fits(const char *pattern, struct gguf_text name) {
  const size_t length = strlen(pattern), begin = length - (pattern[length - 1] == '*');
  if (begin == length ? name.length != length : name.length < begin) return false;
  return !memcmp(pattern, name.text, begin);
}

bool gguf_arch_find(struct gguf_text name, struct gguf_arch *arch) {
  for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
    if (fits(archs[i].name, name)) {
      *arch = archs[i].arch;
      return true;
    }
  *arch = (struct gguf_arch){.layout = LAYOUT_HALVES};
  return false;
}
