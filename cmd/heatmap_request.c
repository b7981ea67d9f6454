#include "cmd/heatmap_request.h"

#include <string.h>

#include "cmd/heatmap_axes.h"
#include "lib/base/number.h"

/* ---- Options that go together ------------------------------------------------------------------
 */

static bool kind_is(const struct map_request *request, const char *name) {
  return !strcmp(map_kind_name(request->kind), name);
}

static int check_attention(const struct invocation *invocation, const struct map_request *request,
                           struct error *error) {
  static const char attention_wanted[] = "--what scores or softmax",
                    random_wanted[] = "--content gaussian or aligned";
  const bool attention = map_kind_is_attention(request->kind),
             own = option_given(invocation, "q") || option_given(invocation, "k"),
             random = !own && !content_is_constant(&request->content);
  const struct option_need needs[] = {
      {"content", attention, attention_wanted},
      {"batch", attention, attention_wanted},
      {"causal", attention, attention_wanted},
      {"seed", attention, attention_wanted},
      {"single", attention, attention_wanted},
      {"content", !own, "no --q and --k, which are the content"},
      {"batch", !own, "no --q and --k, which have their own"},
      {"seed", !own, "no --q and --k, which are not random"},
      {"batch", random, random_wanted},
      {"seed", random, random_wanted},
      {"single", random || own, random_wanted},
      {"single", !map_is_linear(request), "--what softmax, --reduce max or absmax"},
      {"q", attention || kind_is(request, "norms"), "--what scores, softmax or norms"},
      {"k", attention || kind_is(request, "norms"), "--what scores, softmax or norms"},
      {"q", !attention || option_given(invocation, "k"), "--k"},
      {"k", !attention || option_given(invocation, "q"), "--q"},
      {"q", attention || !option_given(invocation, "k"), "no --k in --what norms: one map each"},
      {"axes", own, "--q and --k"},
      {"layer", own || heatmap_axes_of_file(invocation), "--q and --k, or --mixed of a file"},
      {0}};
  if (kind_is(request, "norms") && !own)
    return error_set(error, ERROR_INPUT, "--what norms goes with --q or --k FILE[:TENSOR]");
  return option_check_needs(invocation, needs, error);
}

static int check_encoding(const struct invocation *invocation, const struct map_request *request,
                          struct error *error) {
  static const char encoding_wanted[] = "--what scores, softmax or table",
                    waves_wanted[] = "an --encoding that has frequencies",
                    table_wanted[] = "--encoding learned",
                    heads_wanted[] = "an --encoding that differs by head",
                    norms_wanted[] = "frequencies, which norms do not look at";
  const bool encodes = map_kind_has_encoding(request->kind),
             own = map_kind_is_attention(request->kind) && option_given(invocation, "q"),
             waves = !encodes || request->encoding->frequencies != FREQUENCIES_NONE,
             table = encodes && request->encoding->takes_table, norms = kind_is(request, "norms"),
             heads = (encodes && request->encoding->by_head) || heatmap_axes_of_file(invocation),
             head = heads || own || norms || option_given(invocation, "mixed");
  const char *name = request->encoding->name,
             *unused = encoding_values_unused(request->values, (const char *[]){name, NULL});
  const struct option_need needs[] = {{"encoding", encodes, encoding_wanted},
                                      {"param", encodes, encoding_wanted},
                                      {"learned", table, table_wanted},
                                      {"beyond", table, table_wanted},
                                      {"base", waves, waves_wanted},
                                      {"scaling", waves, waves_wanted},
                                      {"inv-freq", waves, waves_wanted},
                                      {"precision", waves, waves_wanted},
                                      {"dim", waves || !own, waves_wanted},
                                      {"layout", waves || !own, waves_wanted},
                                      {"base", !norms, norms_wanted},
                                      {"scaling", !norms, norms_wanted},
                                      {"precision", !norms, norms_wanted},
                                      {"context", !norms, norms_wanted},
                                      {"heads", heads, heads_wanted},
                                      {"head", head, heads_wanted},
                                      {0}};
  if (encodes && unused)
    return error_set(error, ERROR_INPUT, "--param of '%s' goes with --encoding %s, not %s", unused,
                     unused, name);
  return option_check_needs(invocation, needs, error);
}

static int check_figure(const struct invocation *invocation, const struct map_request *request,
                        struct error *error) {
  static const char figure_wanted[] = "figures that have axes, not --raster";
  static const char *const of_axes[] = {"title",  "letter", "xlabel",    "ylabel", "width",
                                        "height", "font",   "font-size", "dark",   "keep-script"};
  const bool phases = map_kind_has_phases(request->kind),
             raster = option_given(invocation, "raster");
  const bool rotates = kind_is(request, "rotation"), grid = kind_is(request, "axes");
  const struct option_need needs[] = {
      {"position", rotates, "--what rotation"},
      {"length", map_kind_has_positions(request->kind),
       rotates ? "maps over positions, not --what rotation" : "maps over positions"},
      {"trained", phases, "--what angles or cosines"},
      {"trained", !raster, figure_wanted},
      {"index", option_given(invocation, "matrix"), "--matrix"},
      {"grid", grid, "--what axes"},
      {"frame", grid, "--what axes"},
      {"legend", false, "curves, not maps"},
      {0}};
  if (option_check_needs(invocation, needs, error)) return error->code;
  if (heatmap_axes_check(invocation, grid, error)) return error->code;
  for (size_t i = 0; i < sizeof of_axes / sizeof *of_axes; i++)
    if (option_given(invocation, "raster") && option_given(invocation, of_axes[i]))
      return error_set(error, ERROR_INPUT, "--%s goes with %s", of_axes[i], figure_wanted);
  const char *axis;
  for (size_t cursor = 0; (axis = option_next(invocation, "log", &cursor));)
    if (strcmp(axis, "c"))
      return error_set(error, ERROR_INPUT, "--log '%s' goes with curves; maps take --log c", axis);
  return OK;
}

/* A map of one's own takes what is said of reduction and figure alone. */
static int check_matrix(const struct invocation *invocation, struct error *error) {
  static const char *const others[] = {
      "sections",   "mixed", "what",    "layer",  "encoding", "length",    "trained",  "beyond",
      "content",    "q",     "k",       "axes",   "batch",    "single",    "position", "seed",
      "grid",       "frame", "param",   "heads",  "head",     "learned",   "model",    "dim",
      "layer-type", "base",  "scaling", "layout", "context",  "precision", "inv-freq"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (option_given(invocation, others[i]))
      return error_set(error, ERROR_INPUT, "--%s does not go with --matrix, which is the map",
                       others[i]);
  return OK;
}

static int check_conflicts(const struct invocation *invocation, const struct map_request *request,
                           struct error *error) {
  const bool matrix = option_given(invocation, "matrix");
  if (matrix && check_matrix(invocation, error)) return error->code;
  if (!matrix &&
      (check_attention(invocation, request, error) || check_encoding(invocation, request, error)))
    return error->code;
  return check_figure(invocation, request, error);
}

/* ---- Values ------------------------------------------------------------------------------------
 */

static int read_grid(const struct invocation *invocation, struct map_grid *grid,
                     struct error *error) {
  int64_t size[2] = {33, 33}, frame = 0;
  const char *text = option_text(invocation, "grid", NULL);
  char item[32];
  size_t items = 0;
  for (const char *list = text; text && list_next(&list, item, sizeof item); items++)
    if (items < 2 && number_integer(item, "--grid", 1, 1 << 20, &size[items], error))
      return error->code;
  if (text && items != 2)
    return error_set(error, ERROR_INPUT, "--grid '%s' has %zu numbers: height and width, H,W", text,
                     items);
  if (option_integer(invocation, "frame", -(INT64_C(1) << 40), INT64_C(1) << 40, &frame, error))
    return error->code;
  *grid = (struct map_grid){.height = (size_t)size[0], .width = (size_t)size[1], .frame = frame};
  return OK;
}

static int read_numbers(const struct invocation *invocation, size_t usual,
                        struct map_request *request, struct error *error) {
  int64_t length = (int64_t)usual, trained = 0, batch = 1, position = 1, cells = 1024, seed = 1,
          layer = 0;
  if (option_tokens(invocation, "length", 1, INT64_C(1) << 40, &length, error)) return error->code;
  if (option_tokens(invocation, "trained", 1, INT64_C(1) << 40, &trained, error))
    return error->code;
  if (option_integer(invocation, "batch", 1, INT32_MAX, &batch, error)) return error->code;
  if (option_tokens(invocation, "position", -(INT64_C(1) << 40), INT64_C(1) << 40, &position,
                    error))
    return error->code;
  if (option_integer(invocation, "seed", 0, INT64_MAX, &seed, error)) return error->code;
  /* A raster has one pixel for each row and column unless it is told otherwise. */
  if (option_given(invocation, "raster")) cells = INT32_MAX;
  if (option_integer(invocation, "cells", 1, INT32_MAX, &cells, error)) return error->code;
  if (option_integer(invocation, "layer", 0, INT32_MAX, &layer, error)) return error->code;
  request->length = (size_t)length;
  request->trained = (size_t)trained;
  request->layer = (size_t)layer;
  request->batch = (size_t)batch;
  request->position = position;
  request->cells = (size_t)cells;
  request->seed = (uint64_t)seed;
  return read_grid(invocation, &request->grid, error);
}

static int read_request(const struct invocation *invocation, struct heatmap_question *question,
                        struct error *error) {
  const struct encoding_options *given = &question->given;
  struct map_request *request = &question->request;
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
  if (option_given(invocation, "matrix")) request->kind = map_kind_of_matrix();
  if (encoding_find(option_text(invocation, "encoding", "rope"), &request->encoding, error))
    return error->code;
  if (content_parse(option_text(invocation, "content", "ones"), &request->content, error))
    return error->code;
  if (reduce && map_reduction_parse(reduce, &request->reduction, error)) return error->code;
  if (check_conflicts(invocation, request, error)) return error->code;
  if (heatmap_tensors_read(invocation, &question->tensors, request, error)) return error->code;
  const size_t usual = request->query ? map_vectors_extent(request->query, AXIS_POSITION)
                       : given->learned.positions ? given->learned.positions
                                                  : 512;
  return read_numbers(invocation, usual, request, error);
}

/* ---- Sizes -------------------------------------------------------------------------------------
 */

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

/* Norms show all layers, or all heads of one. */
static int choose_rows(const struct invocation *invocation, struct map_request *request,
                       struct error *error) {
  const struct map_vectors *vectors = request->query ? request->query : request->key;
  const bool head = option_given(invocation, "head"), layer = option_given(invocation, "layer");
  if (!vectors) return OK;
  const bool layers = axes_have(&vectors->axes, AXIS_LAYER);
  if (layer && !layers)
    return error_set(error, ERROR_INPUT,
                     "--layer goes with --q and --k of several layers, not %s, axes %s",
                     tensor_shape(vectors->tensor).text, axes_list(&vectors->axes).text);
  if (!kind_is(request, "norms")) return OK;
  if (layers && !layer)
    request->rows = head ? MAP_ROWS_LAYERS_OF_HEAD : MAP_ROWS_LAYERS;
  else if (head)
    return error_set(error, ERROR_INPUT,
                     "--head goes with norms of several layers and no --layer: the rows of %s are "
                     "heads",
                     tensor_shape(vectors->tensor).text);
  return OK;
}

/* A head has an axis in the tensors, or the encoding looks at it. */
static int check_heads(const struct invocation *invocation, const struct map_request *request,
                       struct error *error) {
  const struct map_vectors *query = request->query;
  if (!query || !map_kind_is_attention(request->kind)) return OK;
  const bool has = axes_have(&query->axes, AXIS_HEAD);
  if (has && option_given(invocation, "heads"))
    return error_set(error, ERROR_INPUT, "--heads does not go with --q %s, which has its own heads",
                     tensor_shape(query->tensor).text);
  if (has || request->encoding->by_head || !option_given(invocation, "head")) return OK;
  return error_set(error, ERROR_INPUT,
                   "--head goes with --q of several heads, not %s, or an --encoding that differs "
                   "by head",
                   tensor_shape(query->tensor).text);
}

/* Makes the spectrum of the vectors' dimensions: a model's are not to be changed, --dim and
   --inv-freq may be of fewer, which are rotated then, and else there are as many. */
static int fit_vectors(const struct invocation *invocation, struct heatmap_question *question,
                       struct error *error) {
  struct map_request *request = &question->request;
  const struct map_vectors *vectors = request->query ? request->query : request->key;
  struct rope_spec spec = question->series.spectra[0]->spec;
  const bool used =
      !map_kind_is_attention(request->kind) || request->encoding->frequencies != FREQUENCIES_NONE;
  if (!vectors || (!used && !option_given(invocation, "model"))) return OK;
  const size_t dim = map_vectors_extent(vectors, AXIS_DIM);
  if (dim == spec.head_dim) return OK;
  const bool partly = option_given(invocation, "dim") || option_given(invocation, "inv-freq");
  if (option_given(invocation, "model") || (partly && spec.rotary_dim > dim))
    return error_set(error, ERROR_INPUT,
                     "the vectors %s have '%zu' dimensions, and heads of %s %zu",
                     tensor_shape(vectors->tensor).text, dim,
                     spec.label[0] ? spec.label : "the spectrum", spec.head_dim);
  spec.head_dim = dim;
  if (!partly) spec.rotary_dim = dim;
  if (spectrum_create(&spec, &question->fitted, error))
    return error_prefix(error, "the vectors %s", tensor_shape(vectors->tensor).text);
  request->spectrum = question->fitted;
  return OK;
}

int heatmap_question_read(const struct invocation *invocation, struct heatmap_question *question,
                          struct error *error) {
  *question = (struct heatmap_question){0};
  int status = encoding_options_read(invocation, &question->given, error);
  if (!status) status = read_request(invocation, question, error);
  if (status) return status;
  if (question->request.slice.tensor) {
    question->series.meta = meta_create();
    return OK;
  }
  status = series_create_one(invocation, &question->series, error);
  if (status) return status;
  question->request.spectrum = question->series.spectra[0];
  status = check_width(invocation, &question->given.learned, question->request.spectrum, error);
  if (!status) status = heatmap_axes_read(invocation, question, error);
  if (!status) status = choose_rows(invocation, &question->request, error);
  if (!status) status = check_heads(invocation, &question->request, error);
  return status ? status : fit_vectors(invocation, question, error);
}

void heatmap_question_release(struct heatmap_question *question) {
  spectrum_destroy(question->fitted);
  mixed_release(&question->mixed);
  series_release(&question->series);
  heatmap_tensors_release(&question->tensors);
  encoding_options_release(&question->given);
}

int heatmap_question_draw(struct backend *backend, struct heatmap_question *question,
                          struct error *error) {
  const struct map_request *request = &question->request;
  if (!request->spectrum) return OK;
  if (heatmap_axes_draw(backend, question, error)) return error->code;
  const size_t width = request->query ? map_vectors_extent(request->query, AXIS_DIM)
                                      : request->spectrum->spec.head_dim;
  return position_table_draw(backend, &question->given.learned, request->length, width, error);
}
