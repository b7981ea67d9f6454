#include "lib/model/family.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64 };

/* Families that differ from the usual. Pairing as their published modelling code has it; shares and
   bases are the defaults of their Hugging Face configuration classes (transformers 5). */
static const struct {
  const char *model_type;
  enum layout layout;
  double share, base;
  bool silent;
} special[] = {
    {"llama", LAYOUT_HALVES, 1, 10000, true},
    {"falcon", LAYOUT_HALVES, 1, 10000, true},
    {"baichuan", LAYOUT_HALVES, 1, 10000, true},
    {"internlm", LAYOUT_HALVES, 1, 10000, true},
    {"phi-msft", LAYOUT_HALVES, 1, 10000, true},
    {"esm", LAYOUT_HALVES, 1, 10000, true},
    {"roformer", LAYOUT_INTERLEAVED, 1, 10000, true},
    {"gptj", LAYOUT_INTERLEAVED, 1, 10000, true},
    {"codegen", LAYOUT_INTERLEAVED, 1, 10000, true},
    {"chatglm", LAYOUT_INTERLEAVED, 0.5, 10000, true},
    {"glm", LAYOUT_INTERLEAVED, 0.5, 10000, false},
    {"glm4", LAYOUT_INTERLEAVED, 0.5, 10000, false},
    {"glm4_moe", LAYOUT_HALVES, 0.5, 10000, false},
    {"glm4_moe_lite", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"cohere", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"cohere2", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"deepseek_v2", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"deepseek_v3", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"deepseek_v32", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"kimi_k2", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"ernie4_5", LAYOUT_INTERLEAVED, 1, 500000, false},
    {"ernie4_5_moe", LAYOUT_INTERLEAVED, 1, 500000, false},
    {"helium", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"longcat_flash", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"youtu", LAYOUT_INTERLEAVED, 1, 10000, false},
    {"llama4", LAYOUT_INTERLEAVED, 1, 500000, false},
    {"gpt_oss", LAYOUT_HALVES, 1, 150000, false},
    {"mixtral", LAYOUT_HALVES, 1, 1000000, false},
    {"smollm3", LAYOUT_HALVES, 1, 2000000, false},
    {"gpt_neox", LAYOUT_HALVES, 0.25, 10000, false},
    {"stablelm", LAYOUT_HALVES, 0.25, 10000, false},
    {"phi", LAYOUT_HALVES, 0.5, 10000, false},
    {"nemotron", LAYOUT_HALVES, 0.5, 10000, false},
    {"persimmon", LAYOUT_HALVES, 0.5, 25000, false},
};

/* Families that are the usual: halves, whole heads, base 10000 when the config gives none. */
static const char *const usual[] = {
    "arcee",      "bitnet",         "deepseek",   "exaone",     "exaone4",
    "gemma",      "gemma2",         "granite",    "granitemoe", "hunyuan_v1_dense",
    "internlm2",  "internlm3",      "minicpm",    "minicpm3",   "ministral",
    "ministral3", "mistral",        "mistral3",   "nomic_bert", "olmo",
    "olmo2",      "olmo3",          "olmoe",      "phi3",       "phimoe",
    "qwen",       "qwen2",          "qwen2_5_vl", "qwen2_moe",  "qwen2_vl",
    "qwen3",      "qwen3_moe",      "qwen3_next", "qwen3_vl",   "qwen3_vl_moe",
    "seed_oss",   "stablelm_epoch", "starcoder2",
};

/* Families with one RoPE for full and another for sliding or local attention. */
static const char *const layered[] = {"gemma3", "gemma3n", "gemma4", "modernbert"};

/* Families without RoPE. */
static const struct {
  const char *model_type, *instead;
} bare[] = {
    {"gpt2", "learned absolute positions"},
    {"gpt_bigcode", "learned absolute positions"},
    {"gpt_neo", "learned absolute positions"},
    {"opt", "learned absolute positions"},
    {"bert", "learned absolute positions"},
    {"roberta", "learned absolute positions"},
    {"xlm-roberta", "learned absolute positions"},
    {"camembert", "learned absolute positions"},
    {"distilbert", "learned absolute positions"},
    {"electra", "learned absolute positions"},
    {"albert", "learned absolute positions"},
    {"bart", "learned absolute positions"},
    {"mbart", "learned absolute positions"},
    {"vit", "learned absolute positions"},
    {"clip", "learned absolute positions"},
    {"whisper", "sinusoidal and learned absolute positions"},
    {"pegasus", "sinusoidal positions"},
    {"t5", "learned relative position biases"},
    {"mt5", "learned relative position biases"},
    {"umt5", "learned relative position biases"},
    {"deberta", "disentangled relative positions"},
    {"deberta-v2", "disentangled relative positions"},
    {"bloom", "ALiBi biases"},
    {"mpt", "ALiBi biases or learned absolute positions"},
    {"mamba", "no attention"},
    {"mamba2", "no attention"},
    {"rwkv", "no attention"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The language part of a multi-modal model is named for the whole: "llama4_text". */
static void strip_part(char name[NAME_SIZE], const char *model_type) {
  static const char part[] = "_text";
  snprintf(name, NAME_SIZE, "%s", model_type);
  const size_t length = strlen(name), tail = sizeof part - 1;
  if (length > tail && !strcmp(name + length - tail, part)) name[length - tail] = '\0';
}

bool model_family_find(const char *model_type, struct model_family *family) {
  *family = (struct model_family){.layout = LAYOUT_HALVES, .share = 1, .base = 10000};
  if (!model_type) return false;
  char name[NAME_SIZE];
  strip_part(name, model_type);
  for (size_t i = 0; i < COUNT(special); i++)
    if (!strcmp(special[i].model_type, name)) {
      family->layout = special[i].layout;
      family->share = special[i].share;
      family->base = special[i].base;
      family->silent = special[i].silent;
      return true;
    }
  for (size_t i = 0; i < COUNT(usual); i++)
    if (!strcmp(usual[i], name)) return true;
  for (size_t i = 0; i < COUNT(layered); i++)
    if (!strcmp(layered[i], name)) return family->layered = true;
  for (size_t i = 0; i < COUNT(bare); i++)
    if (!strcmp(bare[i].model_type, name)) {
      family->instead = bare[i].instead;
      return true;
    }
  return false;
}
