#include "lib/model/position_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/io/npy.h"
#include "lib/model/weights.h"

static const char random_prefix[] = "random:";
/* Of the numbers that GPT-2 and BERT start from ('initializer_range'). */
static const double deviation = 0.02;
/* The stream of random numbers that tables are drawn from. */
enum { STREAM_TABLE = 0x7ab1e };

enum { RESERVED = 2, FEWEST_POSITIONS = 64 };

/* The usual names, and what rows in front may be. */
static const struct usual {
  const char *name;
  bool reserved; /* reserved ones in some models */
  bool picture;  /* class tokens */
} usual[] = {
    {"wpe.weight", false, false},
    {"position_embeddings.weight", true, false},
    {"embed_positions.weight", true, false},
    {"position_embeddings", false, true},
    {"vision_model.embeddings.position_embedding.weight", false, true},
    {"position_embedding.weight", false, false},
    {"position_embd.weight", false, false},
    {"positions_embed.weight", false, false},
    {"pos_embed", false, true},
    {"positional_embedding", false, false},
};

static const struct usual *usual_of(const char *name) {
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (weights_named(name, usual[i].name)) return &usual[i];
  return NULL;
}

/* Models whose code adds 2 to a position (padding_idx + 1 in RoBERTa's kin, `offset` in OPT's and
   BART's), and models with the same names that do not. */
static const char *const shifted[] = {"roberta",       "roberta-prelayernorm",
                                      "xlm-roberta",   "xlm-roberta-xl",
                                      "camembert",     "longformer",
                                      "mpnet",         "ibert",
                                      "data2vec-text", "xmod",
                                      "layoutlmv3",    "markuplm",
                                      "opt",           "bart",
                                      "mbart",         "plbart",
                                      "biogpt"};
static const char *const unshifted[] = {"bert",       "distilbert",  "albert",  "electra",
                                        "mobilebert", "squeezebert", "ernie",   "layoutlm",
                                        "deberta",    "whisper",     "pegasus", "blenderbot",
                                        "led",        "blip",        "splinter"};

static bool among(const char *text, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(text, list[i])) return true;
  return false;
}

static bool is_power_of_two(size_t number) {
  return number && !(number & (number - 1));
}

/* How many rows in front are reserved. */
static int count_reserved(struct weights *weights, size_t rows, size_t *reserved,
                          struct error *error) {
  const struct fields *config;
  const struct gguf *gguf;
  const char *type = "";
  int status = weights_gguf(weights, &gguf, error);
  /* Converters to GGUF leave them out. */
  if (status || gguf) return status;
  status = weights_config(weights, &config, error);
  if (!status && config) status = fields_text(config, "model_type", &type, error);
  if (status) return error_prefix(error, "the config.json beside '%s'", weights_path(weights));
  if (among(type, unshifted, sizeof unshifted / sizeof *unshifted)) return OK;
  if (among(type, shifted, sizeof shifted / sizeof *shifted) ||
      (rows >= FEWEST_POSITIONS + RESERVED && is_power_of_two(rows - RESERVED)))
    *reserved = RESERVED;
  return OK;
}

static bool is_square(size_t number) {
  const size_t root = (size_t)(sqrt((double)number) + 0.5);
  return number && root * root == number;
}

/* A picture has as many rows as columns of patches. */
static size_t count_classes(size_t rows) {
  if (is_square(rows)) return 0;
  if (is_square(rows - 1)) return 1;
  return rows > 2 && is_square(rows - 2) ? 2 : 0;
}

/* Lists the tensors with a usual name; all of them where there is none. */
static int refuse_names(const struct weights *weights, size_t fitting, struct error *error) {
  char list[500] = "", rest[48] = "";
  size_t used = 0, listed = 0, all = 0;
  const char *name;
  for (size_t i = 0; (name = weights_at(weights, i)); i++) {
    if (fitting && !usual_of(name)) continue;
    all++;
    if (listed + 1 < all || used + strlen(name) + 5 > sizeof list) continue;
    used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", used ? ", " : "", name);
    listed++;
  }
  if (listed < all) snprintf(rest, sizeof rest, "%s%zu more", listed ? " and " : "", all - listed);
  if (!all) snprintf(list, sizeof list, "nothing");
  if (fitting)
    return error_set(error, ERROR_INPUT, "which table of '%s'? FILE:TENSOR takes one; it has %s%s",
                     weights_path(weights), list, rest);
  return error_set(error, ERROR_INPUT,
                   "no table of positions with a usual name in '%s': FILE:TENSOR takes any; it "
                   "holds %s%s",
                   weights_path(weights), list, rest);
}

/* Those with a usual name that begins with a prefix of `length`, up to a dot: the last, and how
   many there are. */
static size_t find_usual(const struct weights *weights, const char *prefix, size_t length,
                         const char **last) {
  size_t fitting = 0;
  const char *name;
  for (size_t i = 0; (name = weights_at(weights, i)); i++)
    if (usual_of(name) && (!length || (!strncmp(name, prefix, length) && name[length] == '.'))) {
      *last = name;
      fitting++;
    }
  return fitting;
}

static int choose_tensor(const struct weights *weights, bool part, const char **chosen,
                         struct error *error) {
  const char *rest = weights_rest(weights);
  size_t fitting = 0, count = 0, length = part && rest ? strlen(rest) : 0;
  *chosen = rest;
  if (rest && !part) return OK;
  while (length && rest[length - 1] == '.')
    length--;
  while (!(fitting = find_usual(weights, rest, length, chosen)) && length)
    while (length && rest[--length] != '.')
      continue;
  while (weights_at(weights, count))
    count++;
  if (count == 1) *chosen = weights_at(weights, 0);
  return fitting == 1 || count == 1 ? OK : refuse_names(weights, fitting, error);
}

/* Takes the array, less the rows that are reserved. */
static int take_rows(struct weights *weights, const char *name, struct weights_array *array,
                     struct position_table *table, struct error *error) {
  const bool leading = array->rank == 3 && array->shape[0] == 1;
  if (array->rank != 2 + (size_t)leading || !array->shape[leading] || !array->shape[leading + 1]) {
    char shape[96];
    npy_shape_text(shape, sizeof shape, array->shape, array->rank);
    return error_set(error, ERROR_INPUT,
                     "'%s' has the shape %s: a table of positions is (position, width)",
                     table->name, shape);
  }
  const struct usual *found = usual_of(name);
  const size_t rows = array->shape[leading], width = array->shape[leading + 1];
  size_t reserved = 0;
  if (found && found->reserved) {
    const int status = count_reserved(weights, rows, &reserved, error);
    if (status) return status;
  }
  if (reserved >= rows)
    return error_set(error, ERROR_INPUT,
                     "'%s' has %zu rows: the first %zu are reserved in such models, at least one "
                     "more is needed",
                     table->name, rows, reserved);
  table->positions = rows - reserved;
  table->width = width;
  table->skipped = reserved;
  if (found && found->picture) table->classes = count_classes(rows);
  memmove(array->value, array->value + reserved * width, table->positions * width * sizeof(double));
  table->row = array->value;
  array->value = NULL;
  return OK;
}

static int read_file(const char *text, bool part, struct position_table *table,
                     struct error *error) {
  struct weights *weights;
  struct weights_array array = {0};
  const char *name = NULL;
  int status = weights_open(text, &weights, error);
  if (status) return status;
  status = choose_tensor(weights, part, &name, error);
  if (!status) weights_describe(weights, name, table->name, sizeof table->name);
  if (!status) status = weights_reals(weights, name, 3, &array, error);
  if (!status) status = take_rows(weights, name, &array, table, error);
  if (!status) weights_hash(weights, table->sha256);
  free(array.value);
  weights_close(weights);
  return status;
}

int position_table_read(const char *text, struct position_table *table, struct error *error) {
  *table = (struct position_table){0};
  const size_t prefix = sizeof random_prefix - 1;
  if (strncmp(text, random_prefix, prefix)) return read_file(text, false, table, error);
  int64_t seed;
  const int status =
      number_integer(text + prefix, "the SEED of 'random:SEED'", 0, INT64_MAX, &seed, error);
  if (status) return status;
  table->untrained = true;
  table->seed = (uint64_t)seed;
  snprintf(table->name, sizeof table->name, "%s%lld", random_prefix, (long long)seed);
  return OK;
}

int position_table_read_part(const char *text, struct position_table *table, struct error *error) {
  *table = (struct position_table){0};
  return read_file(text, true, table, error);
}

int position_table_draw(struct backend *backend, struct position_table *table, size_t positions,
                        size_t width, struct error *error) {
  if (!table->untrained) return OK;
  size_t count;
  if (__builtin_mul_overflow(positions, width, &count)) count = SIZE_MAX;
  double *row = memory_array(count, sizeof *row, "a random table of positions", error);
  if (!row) return ERROR_FAILED;
  const struct gaussian_batch batch = {
      .seed = table->seed, .stream = STREAM_TABLE, .count = count, .output = row};
  const int status = backend_gaussian(backend, &batch, error);
  if (status) {
    free(row);
    return status;
  }
  for (size_t i = 0; i < count; i++)
    row[i] *= deviation;
  free(table->row);
  table->row = row;
  table->positions = positions;
  table->width = width;
  return OK;
}

void position_table_release(struct position_table *table) {
  free(table->row);
  *table = (struct position_table){0};
}
