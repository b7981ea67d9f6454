#include "lib/rope/mixed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/base/phase.h"
#include "lib/io/tensor.h"

static const char random_prefix[] = "random:";
/* The stream of random numbers that angles are drawn from. */
enum { STREAM_ANGLE = 0x3d1ed };

void mixed_release(struct mixed *mixed) {
  free(mixed->frequency);
  *mixed = (struct mixed){0};
}

/* ---- From a file --------------------------------------------------------------------------------
 */

static int refuse_shape(const struct tensor *tensor, const struct mixed_place *place,
                        struct error *error) {
  if (place->heads)
    return error_set(error, ERROR_INPUT,
                     "'%s' has the shape %s: with %zu heads (2, head * pair) or (2, layer, head * "
                     "pair) is needed",
                     tensor->name, tensor_shape(tensor).text, place->heads);
  return error_set(error, ERROR_INPUT,
                   "'%s' has the shape %s: (2, pair), (2, head, pair) or (2, layer, head, pair) is "
                   "needed, x before y",
                   tensor->name, tensor_shape(tensor).text);
}

static int refuse_index(const char *what, size_t index, size_t count, const struct tensor *tensor,
                        struct error *error) {
  if (count)
    return error_set(error, ERROR_INPUT, "there is no %s '%zu' in '%s', %s: 0 to %zu", what, index,
                     tensor->name, tensor_shape(tensor).text, count - 1);
  return error_set(error, ERROR_INPUT, "there is no %s '%zu' in '%s', %s: it has no axis of them",
                   what, index, tensor->name, tensor_shape(tensor).text);
}

/* How many layers, heads and pairs there are. */
static int measure(const struct tensor *tensor, const struct mixed_place *place,
                   struct mixed *mixed, struct error *error) {
  const size_t rank = tensor->rank, *shape = tensor->shape;
  const size_t most = place->heads ? 3 : 4, last = rank ? shape[rank - 1] : 0;
  if (rank < 2 || rank > most || shape[0] != 2 || !tensor->count ||
      (place->heads && last % place->heads))
    return refuse_shape(tensor, place, error);
  mixed->heads = place->heads ? place->heads : rank > 2 ? shape[rank - 2] : 0;
  mixed->layers = rank == most ? shape[1] : 0;
  mixed->pairs = place->heads ? last / place->heads : last;
  if (mixed->pairs > SPEC_PAIRS)
    return error_set(error, ERROR_INPUT,
                     "'%s', %s, has %zu pairs a head: at most %d are read; heads that lie one "
                     "behind another need --heads",
                     tensor->name, tensor_shape(tensor).text, mixed->pairs, SPEC_PAIRS);
  const size_t layers = mixed->layers ? mixed->layers : 1, heads = mixed->heads ? mixed->heads : 1;
  if (place->layer >= layers)
    return refuse_index("layer", place->layer, mixed->layers, tensor, error);
  if (place->head >= heads) return refuse_index("head", place->head, mixed->heads, tensor, error);
  mixed->layer = place->layer;
  mixed->head = place->head;
  return OK;
}

/* Copies a head's frequencies out of those of all, (2, layer, head, pair). */
static int take(const struct tensor *tensor, const double *all, struct mixed *mixed,
                struct error *error) {
  const size_t heads = mixed->heads ? mixed->heads : 1, pairs = mixed->pairs;
  mixed->frequency = memory_array(2 * pairs, sizeof *mixed->frequency, "mixed frequencies", error);
  if (!mixed->frequency) return ERROR_FAILED;
  for (size_t axis = 0; axis < 2; axis++) {
    const double *from =
        all + axis * (tensor->count / 2) + (mixed->layer * heads + mixed->head) * pairs;
    for (size_t i = 0; i < pairs; i++) {
      if (!(fabs(from[i]) <= PHASE_MAXIMUM))
        return error_set(error, ERROR_INPUT,
                         "the %c frequency of pair %zu in '%s' is %.10g: -%.0f to %.0f can be "
                         "computed, in radians per place",
                         "xy"[axis], i, tensor -> name, from[i], PHASE_MAXIMUM, PHASE_MAXIMUM);
      mixed->frequency[axis * pairs + i] = from[i];
    }
  }
  return OK;
}

int mixed_read(const char *text, const struct mixed_place *place, struct mixed *mixed,
               struct error *error) {
  struct tensor *tensor;
  *mixed = (struct mixed){0};
  int status = tensor_read(text, &tensor, error);
  if (status) return status;
  double *all = NULL;
  status = measure(tensor, place, mixed, error);
  if (!status && !(all = tensor_reals(tensor, error))) status = ERROR_FAILED;
  if (!status) status = take(tensor, all, mixed, error);
  snprintf(mixed->name, sizeof mixed->name, "%s", tensor_short_name(text));
  memcpy(mixed->sha256, tensor->sha256, HASH_TEXT);
  free(all);
  tensor_destroy(tensor);
  return status;
}

/* ---- Random -------------------------------------------------------------------------------------
 */

bool mixed_is_random(const char *text) {
  return !strncmp(text, random_prefix, sizeof random_prefix - 1);
}

int mixed_turn(const struct spectrum *axial, double angle, struct mixed *mixed,
               struct error *error) {
  const size_t pairs = axial->pairs;
  *mixed = (struct mixed){.pairs = pairs, .angle = angle, .untrained = true};
  mixed->frequency = memory_array(2 * pairs, sizeof *mixed->frequency, "mixed frequencies", error);
  if (!mixed->frequency) return ERROR_FAILED;
  double *x = mixed->frequency, *y = x + pairs;
  for (size_t i = 0; i < pairs; i++) {
    const double along = axial->inv_freq_double[i] * cos(angle),
                 across = axial->inv_freq_double[i] * sin(angle);
    x[i] = i < pairs / 2 ? along : -across;
    y[i] = i < pairs / 2 ? across : along;
  }
  return OK;
}

int mixed_draw(struct backend *backend, const char *text, size_t head, const struct spectrum *axial,
               struct mixed *mixed, struct error *error) {
  int64_t seed;
  double normal;
  *mixed = (struct mixed){0};
  if (number_integer(text + sizeof random_prefix - 1, "the SEED of 'random:SEED'", 0, INT64_MAX,
                     &seed, error))
    return error->code;
  const struct gaussian_batch batch = {
      .seed = (uint64_t)seed, .stream = STREAM_ANGLE, .first = head, .count = 1, .output = &normal};
  int status = backend_gaussian(backend, &batch, error);
  /* A standard normal number's place among all of them is spread evenly. */
  if (!status) status = mixed_turn(axial, M_PI * erfc(-normal * M_SQRT1_2), mixed, error);
  mixed->head = head;
  snprintf(mixed->name, sizeof mixed->name, "%s%lld", random_prefix, (long long)seed);
  return status;
}

void mixed_describe(const struct mixed *mixed, struct meta *meta) {
  struct meta *object = meta_object(meta, "mixed");
  meta_set_text(object, "frequencies", mixed->name);
  meta_set_integer(object, "pairs", (int64_t)mixed->pairs);
  if (mixed->layers) {
    meta_set_integer(object, "layers", (int64_t)mixed->layers);
    meta_set_integer(object, "layer", (int64_t)mixed->layer);
  }
  if (mixed->heads) meta_set_integer(object, "heads", (int64_t)mixed->heads);
  if (mixed->heads || mixed->untrained) meta_set_integer(object, "head", (int64_t)mixed->head);
  if (mixed->untrained) meta_set_real(object, "angle", mixed->angle);
}
