/* Names that say something of RoPE, but nothing that is known here. */
#include <string.h>

#include "lib/model/config_parts.h"

enum { MOST_SAID = 8 };

static bool is_word_of(const char *name, const char *word) {
  const char *at = strstr(name, word);
  return at && (at == name || at[-1] == '_');
}

/* What is read, and what changes no angle of queries and keys. */
static bool is_known(const char *name) {
  static const char *const names[] = {
      "rope_theta",
      "rope_parameters",
      "rope_scaling",
      "rope_ratio",
      "rope_interleave",
      "rope_local_base_freq",
      "local_rope_theta",
      "global_rope_theta",
      "swa_rope_theta",
      "qk_rope_head_dim",
      "no_rope_layers",
      "no_rope_layer_interval",
      "rotary_dim",
      "rotary_pct",
      "rotary_emb_base",
      "rotary_emb_fraction",
      "rotary_emb_interleaved",
      "partial_rotary_factor",
      "rotary",
      "rotary_value",
      "original_rope",
      "use_rotary_embeddings",
      "use_rotary_position_embeddings",
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name)) return true;
  return false;
}

void config_warn_unread(const struct config *config) {
  size_t said = 0;
  for (size_t level = 0; level < config->levels; level++) {
    const struct fields *fields = config->level[level];
    const char *name = NULL;
    while (said < MOST_SAID && (name = fields_next(fields, name))) {
      if (!is_word_of(name, "rope") && !is_word_of(name, "rotary")) continue;
      if (is_known(name) || fields_kind(fields, name) == FIELD_NONE) continue;
      spec_warn(config->spec, config->meta, "'%.63s' is not known: ignored", name);
      said++;
    }
  }
}
