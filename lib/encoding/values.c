#include "lib/encoding/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/encoding/encoding.h"
#include "lib/io/tensor.h"

enum value_kind { VALUE_NUMBER, VALUE_TENSOR, VALUE_RANDOM };

struct value {
  const struct encoding *encoding;
  const struct encoding_parameter *parameter; /* NULL: every learned one */
  enum value_kind kind;
  double number;
  uint64_t seed;
  struct tensor *tensor;
};

struct encoding_values {
  struct value *value;
  size_t count;
};

static const char random_prefix[] = "random:";

struct encoding_values *encoding_values_create(struct error *error) {
  return memory_array(1, sizeof(struct encoding_values), "the parameters of encodings", error);
}

void encoding_values_destroy(struct encoding_values *values) {
  if (!values) return;
  for (size_t i = 0; i < values->count; i++)
    tensor_destroy(values->value[i].tensor);
  free(values->value);
  free(values);
}

static const struct encoding_parameter *find_parameter(const struct encoding *encoding,
                                                       const char *key) {
  const struct encoding_parameter *parameter = encoding->parameters;
  for (; parameter && parameter->key; parameter++)
    if (!strcmp(parameter->key, key)) return parameter;
  return NULL;
}

static int refuse_parameter(const struct encoding *encoding, const char *key, struct error *error) {
  char known[256] = "none";
  size_t used = 0;
  for (const struct encoding_parameter *p = encoding->parameters; p && p->key; p++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", p->key);
  return error_set(error, ERROR_INPUT, "encoding '%s' has no parameter '%s': it has %s",
                   encoding->name, key, known);
}

static bool has_learned(const struct encoding *encoding) {
  for (const struct encoding_parameter *p = encoding->parameters; p && p->key; p++)
    if (p->learned) return true;
  return false;
}

/* Splits "NAME.KEY=VALUE" or "NAME=VALUE"; *text is left at VALUE. */
static int read_name(const char **text, struct value *value, struct error *error) {
  char name[96];
  const char *equal = strchr(*text, '=');
  const size_t length = equal ? (size_t)(equal - *text) : sizeof name;
  if (length >= sizeof name)
    return error_set(error, ERROR_INPUT,
                     "'%s' gives no parameter: NAME.KEY=NUMBER, NAME.KEY=FILE[:TENSOR], "
                     "NAME.KEY=random:SEED or NAME=random:SEED",
                     *text);
  snprintf(name, sizeof name, "%.*s", (int)length, *text);
  char *dot = strchr(name, '.');
  if (dot) *dot = 0;
  const int status = encoding_find(name, &value->encoding, error);
  if (status) return status;
  value->parameter = dot ? find_parameter(value->encoding, dot + 1) : NULL;
  if (dot && !value->parameter) return refuse_parameter(value->encoding, dot + 1, error);
  *text = equal + 1;
  return OK;
}

static int read_seed(const char *text, const char *what, struct value *value, struct error *error) {
  int64_t seed;
  value->kind = VALUE_RANDOM;
  if (value->parameter ? !value->parameter->learned : !has_learned(value->encoding))
    return error_set(error, ERROR_INPUT, "%s is not learned: random makes no sense for it", what);
  if (number_integer(text, "the seed of random parameters", 0, INT64_MAX, &seed, error))
    return error->code;
  value->seed = (uint64_t)seed;
  return OK;
}

static int read_number(const char *text, const char *what, struct value *value,
                       struct error *error) {
  const struct encoding_parameter *parameter = value->parameter;
  value->kind = VALUE_NUMBER;
  if (number_real(text, what, &value->number, error)) return error->code;
  const bool whole = !parameter->whole || value->number == floor(value->number);
  if (whole && value->number >= parameter->lowest && value->number <= parameter->highest) return OK;
  return error_set(error, ERROR_INPUT, "%s is '%s': a %snumber from %g to %g", what, text,
                   parameter->whole ? "whole " : "", parameter->lowest, parameter->highest);
}

static int read_value(const char *text, struct value *value, char sha256[HASH_TEXT],
                      struct error *error) {
  char what[112];
  const char *name = value->encoding->name;
  if (value->parameter)
    snprintf(what, sizeof what, "parameter '%s.%s'", name, value->parameter->key);
  else
    snprintf(what, sizeof what, "encoding '%s'", name);
  if (!strncmp(text, random_prefix, sizeof random_prefix - 1))
    return read_seed(text + sizeof random_prefix - 1, what, value, error);
  if (!value->parameter)
    return error_set(error, ERROR_INPUT,
                     "'%s=%s' names no parameter: %s.KEY=VALUE, or %s=random:SEED", name, text,
                     name, name);
  if (!value->parameter->shape) return read_number(text, what, value, error);
  value->kind = VALUE_TENSOR;
  if (tensor_read(text, &value->tensor, error)) return error->code;
  snprintf(sha256, HASH_TEXT, "%s", value->tensor->sha256);
  return OK;
}

int encoding_values_set(struct encoding_values *values, const char *text, char sha256[HASH_TEXT],
                        struct error *error) {
  struct value value = {0};
  *sha256 = 0;
  int status = read_name(&text, &value, error);
  if (!status && value.encoding) status = read_value(text, &value, sha256, error);
  if (status) return status;
  struct value *grown = reallocarray(values->value, values->count + 1, sizeof *grown);
  if (!grown) {
    tensor_destroy(value.tensor);
    return error_set(error, ERROR_FAILED, "out of memory: the parameters of encodings");
  }
  grown[values->count++] = value;
  values->value = grown;
  return OK;
}

const char *encoding_values_unused(const struct encoding_values *values, const char *const *names) {
  for (size_t i = 0; values && i < values->count; i++) {
    const char *const *name = names;
    while (*name && strcmp(*name, values->value[i].encoding->name))
      name++;
    if (!*name) return values->value[i].encoding->name;
  }
  return NULL;
}

/* The last that was given for the parameter itself; else the last for all learned ones. */
static const struct value *find_value(const struct encoding_values *values,
                                      const struct encoding *encoding,
                                      const struct encoding_parameter *parameter) {
  const struct value *all = NULL, *own = NULL;
  for (size_t i = 0; values && i < values->count; i++) {
    const struct value *value = &values->value[i];
    if (value->encoding != encoding) continue;
    if (value->parameter == parameter) own = value;
    if (!value->parameter && parameter->learned) all = value;
  }
  return own ? own : all;
}

static int find(const struct encoding_query *query, const struct encoding **encoding,
                const struct encoding_parameter **parameter, struct error *error) {
  const int status = encoding_find(query->name, encoding, error);
  if (status) return status;
  *parameter = find_parameter(*encoding, query->key);
  return *parameter ? OK : refuse_parameter(*encoding, query->key, error);
}

static int refuse_missing(const struct encoding_query *query,
                          const struct encoding_parameter *parameter, struct error *error) {
  char form[96] = "NUMBER";
  if (parameter->shape) snprintf(form, sizeof form, "FILE[:TENSOR] of shape %s", parameter->shape);
  return error_set(error, ERROR_INPUT,
                   "encoding '%s' needs '%s.%s', which training sets: --param %s.%s=%s, or "
                   "--param %s=random:SEED",
                   query->name, query->name, query->key, query->name, query->key, form,
                   query->name);
}

/* Every parameter has its own stream of a seed: FNV-1a of its name. */
static uint32_t stream_of(const struct encoding_query *query) {
  uint32_t hash = UINT32_C(2166136261);
  const char *const parts[] = {query->name, ".", query->key};
  for (size_t i = 0; i < 3; i++)
    for (const char *c = parts[i]; *c; c++)
      hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
  return hash;
}

static int draw(struct encoding_query *query, uint64_t seed, size_t first, size_t count,
                double *output, struct error *error) {
  const struct gaussian_batch batch = {
      .seed = seed, .stream = stream_of(query), .first = first, .count = count, .output = output};
  query->untrained = true;
  return backend_gaussian(query->backend, &batch, error);
}

int encoding_number(struct encoding_query *query, double *number, struct error *error) {
  const struct encoding *encoding;
  const struct encoding_parameter *parameter;
  const int status = find(query, &encoding, &parameter, error);
  if (status) return status;
  const struct value *value = find_value(query->values, encoding, parameter);
  if (value && value->kind == VALUE_NUMBER) {
    *number = value->number;
    return OK;
  }
  if (!value) {
    if (isnan(parameter->otherwise)) return refuse_missing(query, parameter, error);
    *number = parameter->otherwise;
    query->untrained |= parameter->learned;
    return OK;
  }
  /* A standard normal number's place among all of them is spread evenly. */
  double normal;
  if (draw(query, value->seed, query->head, 1, &normal, error)) return error->code;
  const double share = 0.5 * erfc(-normal * M_SQRT1_2);
  *number = parameter->random[0] + share * (parameter->random[1] - parameter->random[0]);
  return OK;
}

static double *draw_tensor(struct encoding_query *query, uint64_t seed, struct error *error) {
  if (!query->rows) query->rows = query->random_rows;
  if (!query->columns) query->columns = query->random_columns;
  char what[96];
  snprintf(what, sizeof what, "the numbers of '%s.%s'", query->name, query->key);
  if (memory_require(query->rows, query->columns * sizeof(double), what, error)) return NULL;
  const size_t count = query->rows * query->columns;
  double *number = memory_array(count, sizeof *number, what, error);
  if (!number || draw(query, seed, 0, count, number, error)) {
    free(number);
    return NULL;
  }
  for (size_t i = 0; i < count; i++)
    number[i] *= query->deviation;
  return number;
}

/* The shape without axes of length 1, as (rows, columns). */
static bool read_shape(const struct tensor *tensor, const struct encoding_query *query,
                       size_t shape[2]) {
  size_t axes[2] = {1, 1}, rank = 0;
  for (size_t i = 0; i < tensor->rank; i++)
    if (tensor->shape[i] != 1) {
      if (rank == 2) return false;
      axes[rank++] = tensor->shape[i];
    }
  const bool column = rank == 1 && axes[0] == query->rows && query->columns <= 1;
  shape[0] = rank == 2 || column ? axes[0] : 1;
  shape[1] = rank == 2 ? axes[1] : column ? 1 : axes[0];
  return true;
}

static int refuse_shape(const struct encoding_query *query,
                        const struct encoding_parameter *parameter, const struct tensor *tensor,
                        struct error *error) {
  char rows[24] = "any", columns[24] = "any";
  if (query->rows) snprintf(rows, sizeof rows, "%zu", query->rows);
  if (query->columns) snprintf(columns, sizeof columns, "%zu", query->columns);
  return error_set(error, ERROR_INPUT, "parameter '%s.%s' has shape %s: %s, here (%s, %s)",
                   query->name, query->key, tensor_shape(tensor).text, parameter->shape, rows,
                   columns);
}

static double *take_tensor(struct encoding_query *query, const struct encoding_parameter *parameter,
                           const struct tensor *tensor, struct error *error) {
  size_t shape[2];
  if (!read_shape(tensor, query, shape) || (query->rows && shape[0] != query->rows) ||
      (query->columns && shape[1] != query->columns) || !tensor->count) {
    refuse_shape(query, parameter, tensor, error);
    return NULL;
  }
  double *number = tensor_reals(tensor, error);
  for (size_t i = 0; number && i < tensor->count; i++)
    if (!isfinite(number[i])) {
      error_set(error, ERROR_INPUT, "parameter '%s.%s' is %g at row %zu, column %zu: numbers alone",
                query->name, query->key, number[i], i / shape[1], i % shape[1]);
      free(number);
      return NULL;
    }
  query->rows = shape[0];
  query->columns = shape[1];
  return number;
}

double *encoding_tensor(struct encoding_query *query, struct error *error) {
  const struct encoding *encoding;
  const struct encoding_parameter *parameter;
  if (find(query, &encoding, &parameter, error)) return NULL;
  const struct value *value = find_value(query->values, encoding, parameter);
  if (!value) {
    refuse_missing(query, parameter, error);
    return NULL;
  }
  return value->kind == VALUE_RANDOM ? draw_tensor(query, value->seed, error)
                                     : take_tensor(query, parameter, value->tensor, error);
}
