/* Transformer-XL: the four terms of content and position, with positions relative. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/encoding/list.h"

static const char name[] = "transformer-xl";

static const struct encoding_parameter parameters[] = {
    {.key = "w_kr",
     .shape = "(dim, dim)",
     .learned = true,
     .meaning = "W_kR, r_net of a checkpoint: makes a head's key from R, a row for each of its "
                "dimensions"},
    {.key = "u",
     .shape = "(dim)",
     .learned = true,
     .meaning = "r_w_bias of the head: stands for the query's position before contents"},
    {.key = "v",
     .shape = "(dim)",
     .learned = true,
     .meaning = "r_r_bias of the head: stands for the query's position before positions"},
    {0},
};

struct xl {
  size_t length, dim;
  bool causal;
  bool content_position, position_content, position_position; /* which terms are added */
  double *key; /* (2·length − 1, dim): W_kR R at distance query − key, −(length − 1) first */
  double *u, *v;                             /* (dim) */
  double *v_key;                             /* (2·length − 1): v · key */
  const double *content_query, *content_key; /* (draw, position, dim), or NULL */
};

static void release(void *own) {
  struct xl *xl = own;
  if (xl) {
    free(xl->key);
    free(xl->u);
    free(xl->v);
    free(xl->v_key);
  }
  free(xl);
}

static void bind(struct scorer *scorer, const double *query, const double *key) {
  struct xl *xl = scorer->own;
  xl->content_query = query;
  xl->content_key = key;
}

/* q_m · W_kR R_{m−n} + u · k_n + v · W_kR R_{m−n}, as far as each is asked for. */
static int fill(void *own, const struct score_block *block, double *terms, struct error *error) {
  (void)error;
  const struct xl *xl = own;
  const size_t dim = xl->dim, first = block->draw * xl->length, keys = block->keys;
  const bool by_query = xl->content_position && xl->content_query;
  for (size_t r = 0; r < block->rows; r++) {
    const size_t m = block->row + r;
    const double *query = by_query ? xl->content_query + (first + m) * dim : NULL;
    for (size_t c = 0; c < keys; c++) {
      const size_t n = block->key + c, distance = m + xl->length - 1 - n;
      double sum = 0;
      if (query && !(xl->causal && n > m))
        sum += encoding_dot(query, xl->key + distance * dim, dim);
      if (xl->position_position) sum += xl->v_key[distance];
      terms[r * keys + c] = sum;
    }
  }
  /* The keys' own term is the same in every row. */
  for (size_t c = 0; xl->position_content && xl->content_key && c < keys; c++) {
    const double *key = xl->content_key + (first + block->key + c) * dim;
    const double product = encoding_dot(xl->u, key, dim);
    for (size_t r = 0; r < block->rows; r++)
      terms[r * keys + c] += product;
  }
  return OK;
}

/* W_kR R at ±m: sines change their sign with the distance, cosines do not. `wave` is (position,
   dim), sines first. */
static void make_keys(struct xl *xl, const double *weight, const double *wave) {
  const size_t dim = xl->dim, half = dim / 2, middle = xl->length - 1;
  for (size_t m = 0; m <= middle; m++)
    for (size_t d = 0; d < dim; d++) {
      const double sine = encoding_dot(weight + d * dim, wave + m * dim, half);
      const double cosine = encoding_dot(weight + d * dim + half, wave + m * dim + half, half);
      xl->key[(middle - m) * dim + d] = cosine - sine;
      xl->key[(middle + m) * dim + d] = cosine + sine;
    }
  for (size_t t = 0; t <= 2 * middle; t++)
    xl->v_key[t] = encoding_dot(xl->v, xl->key + t * dim, dim);
}

static int open_keys(struct backend *backend, const struct encoding_setting *setting, struct xl *xl,
                     const double *weight, struct error *error) {
  const size_t length = xl->length, dim = xl->dim;
  char what[80];
  snprintf(what, sizeof what, "the position keys at the distances of %zu positions", length);
  /* Keys of both signs, their waves, and half of them while those are made. */
  if (memory_require(length, (3 * dim + dim / 2 + 3) * sizeof(double), what, error))
    return error->code;
  xl->key = memory_array((2 * length - 1) * dim, sizeof(double), what, error);
  xl->v_key = memory_array(2 * length - 1, sizeof(double), what, error);
  double *wave = memory_array(length * dim, sizeof *wave, what, error);
  int status = xl->key && xl->v_key && wave ? OK : ERROR_FAILED;
  const struct wave_columns halves = {.stride = 1, .cosine = dim / 2};
  if (!status) status = encoding_waves(backend, setting->spectrum, length, halves, wave, error);
  if (!status) make_keys(xl, weight, wave);
  free(wave);
  return status;
}

/* Random: the matrix as projections are, u and v as Transformer-XL starts its training. */
static int read_parameters(struct backend *backend, const struct encoding_setting *setting,
                           struct scorer *scorer, struct error *error) {
  struct xl *xl = scorer->own;
  struct encoding_query query = encoding_query_of(backend, setting, name, "w_kr");
  query.rows = query.columns = xl->dim;
  query.deviation = 1 / sqrt((double)xl->dim);
  double *weight = encoding_tensor(&query, error);
  query.rows = 1;
  query.deviation = 0.02;
  query.key = "u";
  xl->u = weight ? encoding_tensor(&query, error) : NULL;
  query.key = "v";
  xl->v = xl->u ? encoding_tensor(&query, error) : NULL;
  scorer->untrained = query.untrained;
  int status = xl->v ? OK : error->code;
  if (!status) status = open_keys(backend, setting, xl, weight, error);
  free(weight);
  return status;
}

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  if (2 * setting->spectrum->pairs != setting->dim)
    return error_set(error, ERROR_INPUT,
                     "encoding 'transformer-xl' needs a sine or a cosine for each of '%zu' "
                     "dimensions, and there are %zu: as many",
                     setting->dim, 2 * setting->spectrum->pairs);
  struct xl *xl = memory_array(1, sizeof *xl, "an encoding", error);
  if (!xl) return error->code;
  scorer->own = xl;
  scorer->release_own = release;
  xl->length = setting->length;
  xl->dim = setting->dim;
  xl->causal = setting->causal;
  xl->content_position = encoding_scores(setting, TERMS_CONTENT_POSITION);
  xl->position_content = encoding_scores(setting, TERMS_POSITION_CONTENT);
  xl->position_position = encoding_scores(setting, TERMS_POSITION_POSITION);
  scorer->query_content = scorer->key_content = encoding_scores(setting, TERMS_CONTENT_CONTENT);
  if (setting->terms != TERMS_CONTENT_CONTENT) {
    scorer->bind = bind;
    scorer->terms = (struct score_terms){.fill = fill, .user = xl};
  }
  return read_parameters(backend, setting, scorer, error);
}

const struct encoding encoding_transformer_xl = {
    .name = name,
    .title = "Transformer-XL",
    .formula = "q^T k + q^T W_kR R_{m-n} + u^T k + v^T W_kR R_{m-n}, R_t the sines, then the "
               "cosines, of t theta_i",
    .source = "Dai et al., Transformer-XL, arXiv:1901.02860, section 3.3",
    .beyond = "periodic",
    .kind = ENCODING_BIASES,
    .alone = true,
    .frequencies = FREQUENCIES_OF_DIM,
    .has_terms = true,
    .parameters = parameters,
    .make = make,
};
