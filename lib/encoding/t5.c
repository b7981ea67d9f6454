/* T5's biases: a learned number for each bucket of distances and each head. */
#include <math.h>
#include <stdlib.h>

#include "lib/encoding/list.h"

static const char name[] = "t5";

static const struct encoding_parameter parameters[] = {
    {.key = "bias",
     .shape = "(bucket, head)",
     .learned = true,
     .meaning = "relative_attention_bias of a checkpoint: a number for each bucket and head"},
    {.key = "buckets",
     .otherwise = 32,
     .lowest = 4,
     .highest = 65536,
     .whole = true,
     .meaning = "number of buckets, half of them for each direction unless the mask is causal"},
    {.key = "max_distance",
     .otherwise = 128,
     .lowest = 2,
     .highest = 1e9,
     .whole = true,
     .meaning = "distance from which on all fall into the last bucket"},
    {0},
};

struct buckets {
  bool causal;
  size_t count; /* in all */
  double max_distance;
};

/* The bucket of key − query. Up to half of a direction's buckets are of one distance each, the rest
   grow as the logarithm. */
static size_t bucket_of(const struct buckets *buckets, int64_t relative) {
  const size_t count = buckets->causal ? buckets->count : buckets->count / 2;
  const size_t first = !buckets->causal && relative > 0 ? count : 0, exact = count / 2;
  const size_t distance =
      buckets->causal ? (relative < 0 ? (size_t)-relative : 0) : (size_t)llabs((long long)relative);
  if (distance < exact) return first + distance;
  const double share = log((double)distance / (double)exact) /
                       log(buckets->max_distance / (double)exact) * (double)(count - exact);
  const size_t bucket = share < (double)count ? exact + (size_t)share : count;
  return first + (bucket < count ? bucket : count - 1);
}

static int read_buckets(struct backend *backend, const struct encoding_setting *setting,
                        struct buckets *buckets, struct error *error) {
  struct encoding_query query = encoding_query_of(backend, setting, name, "buckets");
  double count;
  buckets->causal = setting->causal;
  if (encoding_number(&query, &count, error)) return error->code;
  query.key = "max_distance";
  if (encoding_number(&query, &buckets->max_distance, error)) return error->code;
  buckets->count = (size_t)count;
  if (buckets->count % 2)
    return error_set(error, ERROR_INPUT,
                     "parameter 't5.buckets' is '%zu': an even number, for two directions",
                     buckets->count);
  const size_t exact = buckets->count / (buckets->causal ? 2 : 4);
  if (buckets->max_distance > (double)exact) return OK;
  return error_set(error, ERROR_INPUT,
                   "parameter 't5.max_distance' is '%g', and %zu buckets are of one distance each: "
                   "more than that",
                   buckets->max_distance, exact);
}

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  struct buckets buckets = {0};
  if (read_buckets(backend, setting, &buckets, error)) return error->code;
  struct encoding_query query = encoding_query_of(backend, setting, name, "bias");
  query.rows = buckets.count;
  query.random_columns = setting->heads;
  query.deviation = 1 / sqrt((double)setting->width);
  double *table = encoding_tensor(&query, error);
  if (!table) return error->code;
  scorer->untrained = query.untrained;
  scorer->scale = 1; /* T5 does not divide by √d: its initial weights are smaller instead */
  if (setting->head >= query.columns)
    error_set(error, ERROR_INPUT, "parameter 't5.bias' has %zu heads, and head '%zu' is asked for",
              query.columns, setting->head);
  else
    scorer->bias = encoding_bias(setting, error);
  const int64_t last = (int64_t)setting->length - 1;
  for (int64_t m = -last; scorer->bias && m <= last; m++)
    scorer->bias[m + last] = table[bucket_of(&buckets, -m) * query.columns + setting->head];
  free(table);
  return scorer->bias ? OK : error->code;
}

/* The first distance, of keys that do not come after the query, whose bucket is `bucket` or later.
 */
static int64_t start_of(const struct buckets *buckets, size_t bucket) {
  int64_t low = 0, high = (int64_t)buckets->max_distance;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (bucket_of(buckets, -middle) < bucket)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A bucket that the logarithm skips has no start. */
static int show(struct backend *backend, const struct encoding_setting *setting,
                const struct encoding_sink *sink, struct error *error) {
  static const char *const items[] = {"bidirectional_start", "causal_start"};
  for (size_t way = 0; way < 2; way++) {
    struct encoding_setting own = *setting;
    struct buckets buckets = {0};
    own.causal = way;
    if (read_buckets(backend, &own, &buckets, error)) return error->code;
    const size_t count = way ? buckets.count : buckets.count / 2;
    for (size_t bucket = 0; bucket < count; bucket++) {
      const int64_t start = start_of(&buckets, bucket);
      if (bucket_of(&buckets, -start) == bucket &&
          sink->add(sink->to, items[way], (int64_t)bucket, (double)start, error))
        return error->code;
    }
  }
  return OK;
}

const struct encoding encoding_t5 = {
    .name = name,
    .title = "T5 bias",
    .formula = "softmax of q^T k + bias[bucket(n - m), head], not divided by sqrt(d)",
    .source = "Raffel et al., Exploring the Limits of Transfer Learning, arXiv:1910.10683, "
              "section 2.1",
    .beyond = "extrapolated",
    .kind = ENCODING_BIASES,
    .by_head = true,
    .alone = true,
    .parameters = parameters,
    .make = make,
    .show = show,
};
