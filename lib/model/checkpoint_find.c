/* Which family's names a checkpoint has, under which prefix. */
#include <stdio.h>
#include <string.h>

#include "lib/model/checkpoint_parts.h"

/* Names and defaults of each, by the modelling code and the configuration classes of Hugging Face
   transformers, and by llama.cpp's for GGUF. */
static const struct checkpoint_family families[] = {
    {.title = "BERT",
     .layers = "encoder.layer.",
     .query = "attention.self.query",
     .key = "attention.self.key",
     .norm = {{"attention.LayerNorm", true, 1e-12}}, /* of RoBERTa-PreLayerNorm */
     .embedding_norm = "embeddings.LayerNorm",
     .token_type = "embeddings.token_type_embeddings.weight",
     .embedding_epsilon = 1e-12},
    {.title = "DistilBERT",
     .layers = "transformer.layer.",
     .query = "attention.q_lin",
     .key = "attention.k_lin",
     .embedding_norm = "embeddings.LayerNorm",
     .embedding_epsilon = 1e-12},
    {.title = "ViT",
     .layers = "encoder.layer.",
     .query = "attention.attention.query",
     .key = "attention.attention.key",
     .norm = {{"layernorm_before", true, 1e-12}, {"norm1", true, 1e-6}}},
    {.title = "GPT-2",
     .layers = "h.",
     .layout = CHECKPOINT_FUSED_COLUMNS,
     .query = "attn.c_attn",
     .norm = {{"ln_1", true, 1e-5}}},
    {.title = "GPT-J",
     .layers = "h.",
     .query = "attn.q_proj",
     .key = "attn.k_proj",
     .norm = {{"ln_1", true, 1e-5}}},
    {.title = "GPT-Neo",
     .layers = "h.",
     .query = "attn.attention.q_proj",
     .key = "attn.attention.k_proj",
     .norm = {{"ln_1", true, 1e-5}}},
    {.title = "GPT-NeoX",
     .layers = "layers.",
     .layout = CHECKPOINT_FUSED_HEADS,
     .query = "attention.query_key_value",
     .norm = {{"input_layernorm", true, 1e-5}}},
    {.title = "Phi-3",
     .layers = "layers.",
     .layout = CHECKPOINT_FUSED,
     .query = "self_attn.qkv_proj",
     .query_norm = "self_attn.q_norm",
     .key_norm = "self_attn.k_norm",
     .norm = {{"input_layernorm", false, 1e-6}}},
    {.title = "Llama, OPT, BART, Whisper, CLIP",
     .layers = "layers.",
     .query = "self_attn.q_proj",
     .key = "self_attn.k_proj",
     .query_norm = "self_attn.q_norm",
     .key_norm = "self_attn.k_norm",
     .norm = {{"input_layernorm", false, 1e-6},
              {"self_attn_layer_norm", true, 1e-5},
              {"layer_norm1", true, 1e-5}},
     .embedding_norm = "layernorm_embedding",
     .embedding_epsilon = 1e-5},
    {.title = "GGUF",
     .layers = "blk.",
     .query = "attn_q",
     .key = "attn_k",
     .query_norm = "attn_q_norm",
     .key_norm = "attn_k_norm",
     .norm = {{"attn_norm", false, 1e-5}},
     .embedding_norm = "token_embd_norm",
     .token_type = "token_types.weight",
     .embedding_epsilon = 1e-12},
    {.title = "GGUF",
     .layers = "blk.",
     .layout = CHECKPOINT_FUSED,
     .query = "attn_qkv",
     .query_norm = "attn_q_norm",
     .key_norm = "attn_k_norm",
     .norm = {{"attn_norm", false, 1e-5}},
     .embedding_norm = "token_embd_norm",
     .token_type = "token_types.weight",
     .embedding_epsilon = 1e-12},
};
enum { FAMILIES = sizeof families / sizeof *families };

/* Takes `end` off the end of a text of *length characters. */
static bool take_end(const char *text, size_t *length, const char *end) {
  const size_t size = strlen(end);
  if (*length < size || memcmp(text + *length - size, end, size)) return false;
  *length -= size;
  return true;
}

/* Whether the name is of the family's query weights: the length of its prefix, and the layer. */
static bool match(const struct checkpoint_family *family, const char *name, size_t *prefix,
                  size_t *layer) {
  size_t length = strlen(name), digit = 1;
  *layer = 0;
  if (!take_end(name, &length, ".weight") || !take_end(name, &length, family->query) ||
      !take_end(name, &length, "."))
    return false;
  const size_t end = length;
  for (; length && name[length - 1] >= '0' && name[length - 1] <= '9'; digit *= 10) {
    if (end - length == 6) return false;
    *layer += digit * (size_t)(name[--length] - '0');
  }
  if (length == end || !take_end(name, &length, family->layers)) return false;
  *prefix = length;
  return (!length || name[length - 1] == '.') && length < CHECKPOINT_NAME / 2;
}

/* Whether the prefix begins as was asked: "text_model" takes "text_model.encoder.". */
static bool is_asked(const char *name, size_t prefix, const char *asked) {
  if (!asked) return true;
  size_t length = strlen(asked);
  while (length && asked[length - 1] == '.')
    length--;
  return !length || (length < prefix && !strncmp(name, asked, length) && name[length] == '.');
}

/* What was found: where, and prefixes for a message. */
struct findings {
  const struct checkpoint_family *family;
  const char *name; /* begins with the prefix */
  size_t prefix, count;
  size_t layers; /* 1 more than the last one's number */
  char list[400];
};

static void add_finding(struct findings *findings, const struct checkpoint_family *family,
                        const char *name, size_t prefix) {
  const size_t used = strlen(findings->list);
  snprintf(findings->list + used, sizeof findings->list - used, "%s'%.*s'", used ? ", " : "",
           (int)prefix, name);
  findings->family = family;
  findings->name = name;
  findings->prefix = prefix;
  findings->count++;
}

static void find_family(const struct checkpoint *checkpoint, const struct checkpoint_family *family,
                        struct findings *findings) {
  const char *asked = weights_rest(checkpoint->weights), *name;
  const char *last = NULL; /* names with one prefix follow one another */
  size_t last_prefix = 0, prefix, layer;
  for (size_t i = 0; (name = weights_at(checkpoint->weights, i)); i++) {
    if (!match(family, name, &prefix, &layer) || !is_asked(name, prefix, asked)) continue;
    if (!last || prefix != last_prefix || strncmp(name, last, prefix)) {
      add_finding(findings, family, name, prefix);
      findings->layers = 0;
    }
    if (layer >= findings->layers) findings->layers = layer + 1;
    last = name;
    last_prefix = prefix;
  }
}

static int refuse_names(const struct checkpoint *checkpoint, struct error *error) {
  char list[700] = "";
  const char *asked = weights_rest(checkpoint->weights),
             *first = weights_at(checkpoint->weights, 0);
  for (size_t i = 0, used = 0; i < FAMILIES && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%sN.%s.weight", used ? ", " : "",
                             families[i].layers, families[i].query);
  return error_set(error, ERROR_INPUT,
                   "no query weights with a known name in '%s'%s%s%s: %s are looked for; it holds "
                   "'%s'%s",
                   weights_path(checkpoint->weights), asked ? " under '" : "", asked ? asked : "",
                   asked ? "'" : "", list, first ? first : "",
                   first && weights_at(checkpoint->weights, 1) ? " and others" : "");
}

/* The part of config.json for this prefix, and the whole. */
static int find_config(struct checkpoint *checkpoint, struct error *error) {
  const struct fields *whole;
  int status = weights_config(checkpoint->weights, &whole, error);
  if (status || !whole) return status;
  const char *part = strstr(checkpoint->prefix, "vision") ? "vision_config" : "text_config";
  checkpoint->config[1] = whole;
  if (fields_kind(whole, part) == FIELD_OBJECT)
    status = fields_object(whole, part, &checkpoint->config[0], error);
  return status;
}

int checkpoint_find(struct checkpoint *checkpoint, size_t layer, struct error *error) {
  struct findings findings = {0};
  const char *path = weights_path(checkpoint->weights);
  for (size_t i = 0; i < FAMILIES; i++)
    find_family(checkpoint, &families[i], &findings);
  if (!findings.count) return refuse_names(checkpoint, error);
  if (findings.count > 1)
    return error_set(error, ERROR_INPUT,
                     "which part of '%s'? FILE:PREFIX takes one; it has query weights under %s",
                     path, findings.list);
  if (layer >= findings.layers)
    return error_set(error, ERROR_INPUT, "layer %zu of '%s': it has %s%zu", layer, path,
                     findings.layers > 1 ? "layers 0 to " : "layer ", findings.layers - 1);
  checkpoint->family = findings.family;
  snprintf(checkpoint->prefix, sizeof checkpoint->prefix, "%.*s", (int)findings.prefix,
           findings.name);
  snprintf(checkpoint->stem, sizeof checkpoint->stem, "%s%s%zu.", checkpoint->prefix,
           findings.family->layers, layer);
  const int status = weights_gguf(checkpoint->weights, &checkpoint->gguf, error);
  return status || checkpoint->gguf ? status : find_config(checkpoint, error);
}

const char *checkpoint_name(const struct checkpoint *checkpoint, const char *a, const char *b,
                            char name[CHECKPOINT_NAME]) {
  snprintf(name, CHECKPOINT_NAME, "%s%s%s", checkpoint->stem, a, b);
  return name;
}
