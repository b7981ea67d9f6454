/* ropetool heatmap: one map to a picture. */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/encoding_options.h"
#include "cmd/groups.h"
#include "lib/analysis/map.h"

enum {
  KEY_WHAT = 256,
  KEY_ENCODING,
  KEY_LENGTH,
  KEY_CONTENT,
  KEY_BATCH,
  KEY_CAUSAL,
  KEY_SINGLE,
  KEY_POSITION,
  KEY_CELLS,
  KEY_REDUCE,
  KEY_RASTER,
  KEY_SEED,
  KEY_BEYOND
};

static const struct argp_option options[] = {
    {"what", KEY_WHAT, "KIND", 0,
     "scores, softmax, angles, cosines, rotation or table (default scores)", 0},
    {"encoding", KEY_ENCODING, "NAME", 0,
     "position encoding: `ropetool encodings` lists them (default rope)", 0},
    {"length", KEY_LENGTH, "N", 0, "positions (default: the learned table's, else 512)", 0},
    {"beyond", KEY_BEYOND, NULL, 0,
     "let the length pass the learned table's end: nothing is added there", 0},
    {"content", KEY_CONTENT, "KIND", 0,
     "query and key vectors: ones, zero, gaussian or aligned[:RHO] (default ones)", 0},
    {"batch", KEY_BATCH, "B", 0, "draws averaged over (default 1)", 0},
    {"causal", KEY_CAUSAL, NULL, 0, "mask the keys after the query", 0},
    {"single", KEY_SINGLE, NULL, 0, "compute scores in float: about twice as fast", 0},
    {"position", KEY_POSITION, "M", 0, "of the rotation matrix (default 1)", 0},
    {"cells", KEY_CELLS, "N", 0,
     "at most so many cells along an axis; more are reduced (default 1024)", 0},
    {"reduce", KEY_REDUCE, "mean|max|absmax", 0, "how (default mean; max for softmax)", 0},
    {"raster", KEY_RASTER, NULL, 0, "one pixel a position, without axes, by libpng alone", 0},
    {"seed", KEY_SEED, "N", 0, "of the random vectors (default 1)", 0},
    {0},
};

static int read_numbers(const struct invocation *invocation, size_t table_length,
                        struct map_request *request, struct error *error) {
  int64_t length = table_length ? (int64_t)table_length : 512, batch = 1, position = 1,
          cells = 1024, seed = 1;
  if (option_tokens(invocation, "length", 1, INT64_C(1) << 40, &length, error)) return error->code;
  if (option_integer(invocation, "batch", 1, INT32_MAX, &batch, error)) return error->code;
  if (option_tokens(invocation, "position", -(INT64_C(1) << 40), INT64_C(1) << 40, &position,
                    error))
    return error->code;
  if (option_integer(invocation, "seed", 0, INT64_MAX, &seed, error)) return error->code;
  /* A raster has one pixel for each row and column unless it is told otherwise. */
  if (option_given(invocation, "raster")) cells = INT32_MAX;
  if (option_integer(invocation, "cells", 1, INT32_MAX, &cells, error)) return error->code;
  request->length = (size_t)length;
  request->batch = (size_t)batch;
  request->position = position;
  request->cells = (size_t)cells;
  request->seed = (uint64_t)seed;
  return OK;
}

/* An option that would change nothing is a conflict: `wanted` says what it goes with. */
struct need {
  const char *option, *wanted;
};

static int check_needs(const struct invocation *invocation, bool met, const struct need *needs,
                       struct error *error) {
  for (; !met && needs->option; needs++)
    if (option_given(invocation, needs->option))
      return error_set(error, ERROR_INPUT, "--%s goes with %s", needs->option, needs->wanted);
  return OK;
}

static int check_conflicts(const struct invocation *invocation, const struct map_request *request,
                           struct error *error) {
  static const struct need
      attention[] = {{"content", "--what scores or softmax"}, {"batch", "--what scores or softmax"},
                     {"causal", "--what scores or softmax"},  {"seed", "--what scores or softmax"},
                     {"single", "--what scores or softmax"},  {0}},
      encoding[] = {{"encoding", "--what scores, softmax or table"},
                    {"param", "--what scores, softmax or table"},
                    {0}},
      table[] = {{"learned", "--encoding learned"}, {"beyond", "--encoding learned"}, {0}},
      waves[] = {{"base", "an --encoding that has frequencies"},
                 {"scaling", "an --encoding that has frequencies"},
                 {"inv-freq", "an --encoding that has frequencies"},
                 {"precision", "an --encoding that has frequencies"},
                 {0}},
      heads[] = {{"heads", "an --encoding that differs by head"},
                 {"head", "an --encoding that differs by head"},
                 {0}},
      random[] = {{"batch", "--content gaussian or aligned"},
                  {"seed", "--content gaussian or aligned"},
                  {"single", "--content gaussian or aligned"},
                  {0}},
      every_score[] = {{"single", "--what softmax, --reduce max or absmax"}, {0}},
      rotation[] = {{"position", "--what rotation"}, {0}},
      positions[] = {{"length", "maps over positions, not --what rotation"}, {0}},
      axes[] = {{"title", "figures that have axes, not --raster"},
                {"xlabel", "figures that have axes, not --raster"},
                {"ylabel", "figures that have axes, not --raster"},
                {"width", "figures that have axes, not --raster"},
                {"height", "figures that have axes, not --raster"},
                {"font", "figures that have axes, not --raster"},
                {"font-size", "figures that have axes, not --raster"},
                {"dark", "figures that have axes, not --raster"},
                {0}},
      curves[] = {{"legend", "curves, not maps"}, {0}};
  const bool rotates = !strcmp(map_kind_name(request->kind), "rotation");
  const bool encodes = map_kind_has_encoding(request->kind);
  const char *name = request->encoding->name,
             *unused = encoding_values_unused(request->values, (const char *[]){name, NULL});
  if (encodes && unused)
    return error_set(error, ERROR_INPUT, "--param of '%s' goes with --encoding %s, not %s", unused,
                     unused, name);
  if (check_needs(invocation, map_kind_is_attention(request->kind), attention, error) ||
      check_needs(invocation, encodes, encoding, error) ||
      check_needs(invocation, encodes && request->encoding->takes_table, table, error) ||
      check_needs(invocation, !encodes || request->encoding->frequencies != FREQUENCIES_NONE, waves,
                  error) ||
      check_needs(invocation, encodes && request->encoding->by_head, heads, error) ||
      check_needs(invocation, !content_is_constant(&request->content), random, error) ||
      check_needs(invocation, !map_is_linear(request), every_score, error) ||
      check_needs(invocation, rotates, rotation, error) ||
      check_needs(invocation, !rotates, positions, error) ||
      check_needs(invocation, !option_given(invocation, "raster"), axes, error) ||
      check_needs(invocation, false, curves, error))
    return ERROR_INPUT;
  const char *axis;
  for (size_t cursor = 0; (axis = option_next(invocation, "log", &cursor));)
    if (strcmp(axis, "c"))
      return error_set(error, ERROR_INPUT, "--log '%s' goes with curves; maps take --log c", axis);
  return OK;
}

static int read_request(const struct invocation *invocation, const struct encoding_options *given,
                        struct map_request *request, struct error *error) {
  const char *what = option_text(invocation, "what", "scores"),
             *reduce = option_text(invocation, "reduce", NULL);
  *request = (struct map_request){.causal = option_given(invocation, "causal"),
                                  .single = option_given(invocation, "single"),
                                  .reduction = -1,
                                  .values = given->values,
                                  .learned = given->learned.name[0] ? &given->learned : NULL,
                                  .beyond = given->beyond,
                                  .heads = given->heads,
                                  .head = given->head};
  if (map_kind_find(what, &request->kind, error)) return error->code;
  if (encoding_find(option_text(invocation, "encoding", "rope"), &request->encoding, error))
    return error->code;
  if (content_parse(option_text(invocation, "content", "ones"), &request->content, error))
    return error->code;
  if (reduce && map_reduction_parse(reduce, &request->reduction, error)) return error->code;
  if (check_conflicts(invocation, request, error)) return error->code;
  return read_numbers(invocation, given->learned.positions, request, error);
}

static void summary(const struct result *result, FILE *out) {
  const struct matrix *matrix = result->matrix;
  double low, high;
  const size_t finite = matrix_extent(matrix, &low, &high);
  fprintf(out, "%s: %zu × %zu cells", matrix->value_label, matrix->rows, matrix->columns);
  if (finite) fprintf(out, ", from %.12g to %.12g", low, high);
  if (finite < matrix->rows * matrix->columns)
    fprintf(out, ", %zu masked", matrix->rows * matrix->columns - finite);
  fputc('\n', out);
  const char *reduced = meta_text(matrix->meta, "reduced");
  if (reduced) fprintf(out, "reduced %s\n", reduced);
}

/* Vectors are as wide as the table that is added to them. */
static int check_width(const struct invocation *invocation, const struct position_table *learned,
                       const struct spectrum *spectrum, struct error *error) {
  if (!option_given(invocation, "dim") || !learned->width ||
      learned->width == spectrum->spec.head_dim)
    return OK;
  return error_set(error, ERROR_INPUT,
                   "--dim is '%zu', and the learned table '%s' has %zu dimensions",
                   spectrum->spec.head_dim, learned->name, learned->width);
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct map_request request;
  struct encoding_options given = {0};
  struct series series = {0};
  struct backend *backend = NULL;
  result->summary = summary;
  result->drawing = option_given(invocation, "raster") ? DRAWING_RASTER : DRAWING_MAP;
  int status = encoding_options_read(invocation, &given, error);
  if (!status) status = read_request(invocation, &given, &request, error);
  if (!status) status = series_create_one(invocation, &series, error);
  if (!status) status = check_width(invocation, &given.learned, series.spectra[0], error);
  if (!status) status = run_options_backend(invocation, &backend, error);
  if (!status)
    status = position_table_draw(backend, &given.learned, request.length,
                                 series.spectra[0]->spec.head_dim, error);
  if (!status) {
    request.spectrum = series.spectra[0];
    status = map_run(backend, &request, &result->matrix, error);
  }
  if (!status) {
    meta_set_text(series.meta, "backend", backend_name(backend));
    encoding_options_note(&given, series.meta);
    meta_prepend(result->matrix->meta, series.meta);
  }
  backend_close(backend);
  series_release(&series);
  encoding_options_release(&given);
  return status;
}

const struct command command_heatmap = {
    .name = "heatmap",
    .summary = "attention scores, angles or rotations as a picture",
    .description = "Draws one map: scores or softmax weights of queries and keys, angles or "
                   "cosines of positions and "
                   "pairs, a rotation matrix, or an encoding's table.",
    .options = options,
    .groups = GROUP_SPECTRUM | GROUP_ENCODING | GROUP_FIGURE | GROUP_OUTPUT,
    .compute = compute,
};
