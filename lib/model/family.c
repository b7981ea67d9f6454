#include "lib/model/family.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64 };

/* Families that differ from the usual. Pairing as their published modelling code has it; the rest
   are the defaults of their Hugging Face configuration classes (transformers 5.24). A share or base
   of 0 is the usual one. PARTIAL: partial_rotary_factor counts in plain RoPE, too. */
enum { INTERLEAVED = 1, PARTIAL = 2 };

static const char rope_of_gpt_oss[] =
    "{\"rope_type\": \"yarn\", \"factor\": 32.0, \"beta_fast\": 32.0, \"beta_slow\": 1.0,"
    " \"truncate\": false, \"original_max_position_embeddings\": 4096}";
static const char rope_of_gemma4[] =
    "{\"sliding_attention\": {\"rope_type\": \"default\", \"rope_theta\": 10000.0},"
    " \"full_attention\": {\"rope_type\": \"proportional\", \"partial_rotary_factor\": 0.25,"
    " \"rope_theta\": 1000000.0}}";

static const struct {
  const char *model_type;
  int tags;
  struct model_family family;
} special[] = {
    {"llama", 0, {.silent = true}},
    {"falcon", 0, {.context = 2048, .silent = true}},
    {"baichuan", 0, {.alibi_layers = 40, .silent = true, .foreign = true}},
    {"internlm", 0, {.silent = true, .foreign = true}},
    {"phi-msft", 0, {.silent = true, .foreign = true}},
    {"esm", 0, {.silent = true}},
    {"roformer", INTERLEAVED, {.context = 1536, .silent = true}},
    {"gptj", INTERLEAVED | PARTIAL, {.context = 2048, .silent = true}},
    {"codegen", INTERLEAVED | PARTIAL, {.context = 2048, .silent = true}},
    {"chatglm", INTERLEAVED, {.share = 0.5, .silent = true, .foreign = true}},
    {"glm", INTERLEAVED | PARTIAL, {.share = 0.5}},
    {"glm4", INTERLEAVED | PARTIAL, {.share = 0.5}},
    {"glm4v", INTERLEAVED | PARTIAL, {.share = 0.5}},
    {"glm4_moe", PARTIAL, {.share = 0.5}},
    {"glm4_moe_lite", INTERLEAVED | PARTIAL, {.latent = true}},
    {"glm_moe_dsa", INTERLEAVED, {.latent = true}},
    {"cohere", INTERLEAVED, {.base = 500000}},
    {"cohere2", INTERLEAVED, {.period = 4, .full_is_bare = true, .windowed = true}},
    {"dbrx", 0, {.context = 2048}},
    {"deepseek_v2", INTERLEAVED, {.latent = true, .latent_dim = 64}},
    {"deepseek_v3", INTERLEAVED, {.latent = true, .latent_dim = 64}},
    {"deepseek_v32", INTERLEAVED, {.latent = true, .latent_dim = 64}},
    {"kimi_k2", INTERLEAVED, {.latent = true, .latent_dim = 64, .foreign = true}},
    {"longcat_flash", INTERLEAVED, {.base = 10000000, .latent = true}},
    {"mistral4", INTERLEAVED, {.latent = true}},
    {"youtu", INTERLEAVED, {.latent = true}},
    {"minicpm3", 0, {.latent = true}},
    {"ernie4_5", INTERLEAVED, {.base = 500000}},
    {"ernie4_5_moe", INTERLEAVED, {.base = 500000}},
    {"helium", INTERLEAVED, {.base = 100000}},
    {"llama4", INTERLEAVED, {.base = 500000, .bare_interval = 4}},
    {"smollm3", 0, {.base = 2000000, .bare_interval = 4}},
    {"gpt_oss", 0, {.base = 150000, .head_dim = 64, .context = 131072, .rope = rope_of_gpt_oss}},
    {"mixtral", 0, {.base = 1000000}},
    {"apertus", 0, {.base = 12000000}},
    {"bitnet", 0, {.base = 500000}},
    {"exaone", 0, {.base = 500000}},
    {"flex_olmo", 0, {.base = 500000}},
    {"lfm2", 0, {.base = 1000000}},
    {"minimax_m2", PARTIAL, {.base = 5000000}},
    {"gpt_neox", PARTIAL, {.share = 0.25, .context = 2048}},
    {"stablelm", PARTIAL, {.share = 0.25}},
    {"phi", PARTIAL, {.share = 0.5}},
    {"nemotron", PARTIAL, {.share = 0.5}},
    {"persimmon", PARTIAL, {.share = 0.5, .base = 25000, .context = 16384}},
    {"phi3", PARTIAL, {0}},
    {"qwen3_next", PARTIAL, {.share = 0.25, .head_dim = 256, .attention_interval = 4}},
    {"qwen3_5",
     PARTIAL,
     {.share = 0.25, .head_dim = 256, .alternating_sections = true, .attention_interval = 4}},
    {"qwen3_5_moe",
     PARTIAL,
     {.share = 0.25, .head_dim = 256, .alternating_sections = true, .attention_interval = 4}},
    {"qwen3_vl", 0, {.head_dim = 128, .alternating_sections = true}},
    {"qwen3_vl_moe", 0, {.alternating_sections = true}},
    {"qwen3_omni_moe", 0, {.alternating_sections = true}},
    {"qwen3", 0, {.head_dim = 128}},
    {"ministral3", 0, {.head_dim = 128}},
    {"seed_oss", 0, {.head_dim = 128}},
    {"gemma", 0, {.head_dim = 256}},
    {"gemma2", 0, {.head_dim = 256}},
    {"gemma3",
     0,
     {.layered = true,
      .base = 1000000,
      .local_base = 10000,
      .head_dim = 256,
      .context = 131072,
      .period = 6,
      .silent = true}},
    {"gemma3n",
     0,
     {.layered = true,
      .base = 1000000,
      .local_base = 10000,
      .head_dim = 256,
      .period = 5,
      .silent = true}},
    {"gemma4",
     0,
     {.rope = rope_of_gemma4,
      .layered = true,
      .base = 1000000,
      .local_base = 10000,
      .head_dim = 256,
      .global_head_dim = 512,
      .context = 131072,
      .period = 6,
      .silent = true}},
    {"modernbert",
     0,
     {.layered = true,
      .base = 160000,
      .local_base = 10000,
      .period = 3,
      .full_first = true,
      .silent = true}},
    {"modernbert-decoder",
     0,
     {.layered = true,
      .base = 160000,
      .local_base = 10000,
      .period = 3,
      .full_first = true,
      .silent = true}},
    {"olmo3", 0, {.layered = true, .base = 500000, .period = 4}},
    {"exaone4", 0, {.period = 4, .full_is_bare = true, .windowed = true}},
    {"exaone_moe", 0, {.period = 4, .full_is_bare = true}},
    {"afmoe", 0, {.head_dim = 128, .period = 4, .full_is_bare = true}},
};

/* Families that are the usual: halves, whole heads, base 10000 when the config gives none. */
static const char *const usual[] = {
    "arcee",      "granite",   "granitemoe", "hunyuan_v1_dense",
    "ministral",  "mistral",   "mistral3",   "olmo",
    "olmo2",      "olmoe",     "phimoe",     "qwen2",
    "qwen2_5_vl", "qwen2_moe", "qwen2_vl",   "qwen3_moe",
    "starcoder2",
};

/* As those, with code of their own. */
static const char *const foreign[] = {
    "deepseek", "internlm2", "internlm3", "minicpm", "nomic_bert", "qwen", "stablelm_epoch",
};

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
    {"openai-gpt", "learned absolute positions"},
    {"biogpt", "learned absolute positions"},
    {"longformer", "learned absolute positions"},
    {"blenderbot", "learned absolute positions"},
    {"whisper", "sinusoidal and learned absolute positions"},
    {"pegasus", "sinusoidal positions"},
    {"marian", "sinusoidal positions"},
    {"m2m_100", "sinusoidal positions"},
    {"xglm", "sinusoidal positions"},
    {"ctrl", "sinusoidal positions"},
    {"xlnet", "sinusoidal relative positions"},
    {"t5", "learned relative position biases"},
    {"mt5", "learned relative position biases"},
    {"umt5", "learned relative position biases"},
    {"deberta", "disentangled relative positions"},
    {"deberta-v2", "disentangled relative positions"},
    {"bloom", "ALiBi biases"},
    {"mpt", "ALiBi biases or learned absolute positions"},
    {"jais", "ALiBi biases"},
    {"gpt_refact", "ALiBi biases"},
    {"jamba", "no positions"},
    {"nemotron_h", "no positions"},
    {"kimi_linear", "no positions"},
    {"mamba", "no attention"},
    {"falcon_mamba", "no attention"},
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

static bool is_listed(const char *const *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(list[i], name)) return true;
  return false;
}

bool model_family_find(const char *model_type, struct model_family *family) {
  const struct model_family most = {.layout = LAYOUT_HALVES, .share = 1, .base = 10000};
  *family = most;
  if (!model_type) return false;
  char name[NAME_SIZE];
  strip_part(name, model_type);
  for (size_t i = 0; i < COUNT(special); i++) {
    if (strcmp(special[i].model_type, name)) continue;
    *family = special[i].family;
    if (family->share == 0) family->share = most.share;
    if (family->base == 0) family->base = most.base;
    family->layout = special[i].tags & INTERLEAVED ? LAYOUT_INTERLEAVED : LAYOUT_HALVES;
    family->whole = !(special[i].tags & PARTIAL) && !family->foreign;
    return true;
  }
  for (size_t i = 0; i < COUNT(bare); i++) {
    if (strcmp(bare[i].model_type, name)) continue;
    family->instead = bare[i].instead;
    return true;
  }
  family->foreign = is_listed(foreign, COUNT(foreign), name);
  family->whole = is_listed(usual, COUNT(usual), name);
  return family->foreign || family->whole;
}
