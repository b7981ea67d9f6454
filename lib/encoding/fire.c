/* FIRE: a small network makes the bias from a distance that is set in relation to the query's
   position. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/encoding/list.h"

static const char name[] = "fire";

/* The authors' network has 32 hidden units; c and L start at 0.1 and 512. */
static const struct encoding_parameter parameters[] = {
    {.key = "c",
     .learned = true,
     .otherwise = 0.1,
     .highest = 1e12,
     .random = {0, 1},
     .meaning = "of psi(x) = ln(c x + 1); training starts at 0.1"},
    {.key = "L",
     .learned = true,
     .otherwise = 512,
     .highest = 1e12,
     .random = {0, 1024},
     .meaning = "L, tokens: queries in front of it are treated as if they were there; training "
                "starts at 512"},
    {.key = "hidden_weight",
     .shape = "(hidden)",
     .learned = true,
     .meaning = "weights of the hidden layer, of one input"},
    {.key = "hidden_bias", .shape = "(hidden)", .learned = true, .meaning = "its biases"},
    {.key = "output_weight",
     .shape = "(head, hidden)",
     .learned = true,
     .meaning = "weights of the output, a row for each head"},
    {.key = "output_bias", .shape = "(head)", .learned = true, .meaning = "its biases"},
    {0},
};

enum { RANDOM_HIDDEN = 32 };

struct fire {
  size_t hidden, heads;
  double threshold; /* L */
  double c;
  double *psi;                         /* (position) ψ of distances 0 .. length − 1 */
  double *hidden_weight, *hidden_bias; /* (hidden) */
  double *output_weight;               /* (head, hidden) */
  double *output_bias;                 /* (head) */
  const double *output;                /* (hidden) of the head */
  double rest;                         /* output bias of the head */
};

static void release(void *own) {
  struct fire *fire = own;
  if (fire) {
    free(fire->psi);
    free(fire->hidden_weight);
    free(fire->hidden_bias);
    free(fire->output_weight);
    free(fire->output_bias);
  }
  free(fire);
}

static double psi(const struct fire *fire, double x) {
  return log1p(fire->c * x);
}

static double network(const struct fire *fire, double input) {
  double sum = fire->rest;
  for (size_t h = 0; h < fire->hidden; h++) {
    const double unit = fire->hidden_weight[h] * input + fire->hidden_bias[h];
    if (unit > 0) sum += fire->output[h] * unit;
  }
  return sum;
}

static int fill(void *own, const struct score_block *block, double *terms, struct error *error) {
  (void)error;
  const struct fire *fire = own;
  for (size_t r = 0; r < block->rows; r++) {
    const size_t m = block->row + r;
    const double whole = psi(fire, fmax(fire->threshold, (double)m));
    for (size_t n = block->key; n < block->key + block->keys; n++)
      *terms++ = network(fire, fire->psi[n > m ? n - m : m - n] / whole);
  }
  return OK;
}

/* Random layers spread as PyTorch's linear layers do: evenly within ±1/√inputs, deviation 1/√3 of
   that. */
static int read_network(struct backend *backend, const struct encoding_setting *setting,
                        struct fire *fire, bool *untrained, struct error *error) {
  struct encoding_query query = encoding_query_of(backend, setting, name, "hidden_weight");
  query.rows = 1;
  query.random_columns = RANDOM_HIDDEN;
  query.deviation = sqrt(1.0 / 3);
  fire->hidden_weight = encoding_tensor(&query, error);
  if (!fire->hidden_weight) return error->code;
  fire->hidden = query.columns;
  query.key = "hidden_bias";
  fire->hidden_bias = encoding_tensor(&query, error);
  if (!fire->hidden_bias) return error->code;
  query.key = "output_weight";
  query.rows = 0;
  query.random_rows = setting->heads;
  query.deviation = sqrt(1 / (3 * (double)fire->hidden));
  fire->output_weight = encoding_tensor(&query, error);
  if (!fire->output_weight) return error->code;
  fire->heads = query.columns = query.rows;
  query.key = "output_bias";
  query.rows = 1;
  fire->output_bias = encoding_tensor(&query, error);
  if (!fire->output_bias) return error->code;
  *untrained |= query.untrained;
  if (setting->head >= fire->heads)
    return error_set(error, ERROR_INPUT,
                     "parameter 'fire.output_weight' has %zu heads, and head '%zu' is asked for",
                     fire->heads, setting->head);
  fire->output = fire->output_weight + setting->head * fire->hidden;
  fire->rest = fire->output_bias[setting->head];
  return OK;
}

static int read_numbers(struct backend *backend, const struct encoding_setting *setting,
                        struct fire *fire, bool *untrained, struct error *error) {
  struct encoding_query query = encoding_query_of(backend, setting, name, "c");
  if (encoding_number(&query, &fire->c, error)) return error->code;
  query.key = "L";
  if (encoding_number(&query, &fire->threshold, error)) return error->code;
  *untrained |= query.untrained;
  if (fire->c > 0 && fire->threshold > 0) return OK;
  return error_set(error, ERROR_INPUT,
                   "parameters 'fire.c' and 'fire.L' are '%g' and '%g': greater than 0", fire->c,
                   fire->threshold);
}

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  struct fire *fire = memory_array(1, sizeof *fire, "an encoding", error);
  if (!fire) return error->code;
  scorer->own = fire;
  scorer->release_own = release;
  scorer->terms = (struct score_terms){.fill = fill, .user = fire, .after_scale = true};
  if (read_numbers(backend, setting, fire, &scorer->untrained, error)) return error->code;
  if (read_network(backend, setting, fire, &scorer->untrained, error)) return error->code;
  char what[80];
  snprintf(what, sizeof what, "the distances of %zu positions", setting->length);
  fire->psi = memory_array(setting->length, sizeof(double), what, error);
  if (!fire->psi) return error->code;
  for (size_t m = 0; m < setting->length; m++)
    fire->psi[m] = psi(fire, (double)m);
  return OK;
}

const struct encoding encoding_fire = {
    .name = name,
    .title = "FIRE",
    .formula =
        "softmax of q^T k / sqrt(d) + f(psi(m - n) / psi(max(L, m))), psi(x) = ln(c x + 1), f "
        "a network of one hidden layer; |m - n| for keys after the query",
    .source = "Li et al., Functional Interpolation for Relative Positions, arXiv:2310.04418",
    .beyond = "extrapolated",
    .kind = ENCODING_BIASES,
    .by_head = true,
    .alone = true,
    .parameters = parameters,
    .make = make,
};
