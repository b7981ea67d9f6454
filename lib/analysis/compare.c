#include "lib/analysis/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analysis/compare_parts.h"
#include "lib/analysis/linear_attention.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

enum { TERMS = TERMS_POSITION_POSITION + 1, MOST_ITEMS = 4096 };

/* "content-position"; "" of all. */
static const char *term_choice_name(enum term_choice terms) {
  static const char *const names[TERMS] = {[TERMS_ALL] = "",
                                           [TERMS_CONTENT_CONTENT] = "content-content",
                                           [TERMS_CONTENT_POSITION] = "content-position",
                                           [TERMS_POSITION_CONTENT] = "position-content",
                                           [TERMS_POSITION_POSITION] = "position-position"};
  return names[terms];
}

/* ---- What is compared --------------------------------------------------------------------------
 */

void compare_title(const char *name, char *title, size_t size) {
  const struct encoding *encoding;
  char start[32];
  snprintf(start, sizeof start, "%.*s", (int)strcspn(name, ":"), name);
  const char *part = strchr(name, ':');
  part = part ? part + 1 : "";
  /* With blanks, where a title can break: "content × position". */
  const int first = (int)strcspn(part, "-");
  snprintf(title, size, "%s%s%.*s%s%s",
           encoding_find(start, &encoding, NULL) ? start : encoding->title, *part ? ", " : "",
           first, part, *part ? " × " : "", *part ? part + first + 1 : "");
}

static void add_item(struct comparison *work, const struct encoding *encoding, size_t head,
                     enum term_choice terms) {
  const struct compare_request *request = work->request;
  struct compare_item *item = &work->item[work->items++];
  const struct projection *projection =
      !request->projections ? NULL : request->projection + (request->all_heads ? head : 0);
  *item = (struct compare_item){.encoding = encoding,
                                .terms = terms,
                                .head = head,
                                .has_head = projection || encoding->by_head,
                                .projection = projection};
  const char *part = term_choice_name(terms);
  snprintf(item->name, sizeof item->name, "%s%s%s", encoding->name, *part ? ":" : "", part);
  compare_title(item->name, item->title, sizeof item->title);
  const size_t used = strlen(item->title);
  if (encoding->by_head || (item->has_head && request->all_heads))
    snprintf(item->title + used, sizeof item->title - used, ", head %zu", head);
}

static int list_items(struct comparison *work, struct error *error) {
  const struct compare_request *request = work->request;
  const size_t heads = request->projections ? request->projections
                       : request->heads     ? request->heads
                                            : ENCODING_HEADS;
  if (request->encodings * heads * TERMS > MOST_ITEMS)
    return error_set(error, ERROR_INPUT, "%zu encodings in %zu heads are more than %d rows of maps",
                     request->encodings, heads, MOST_ITEMS);
  work->item = memory_array(request->encodings * heads * TERMS, sizeof *work->item,
                            "what is compared", error);
  if (!work->item) return ERROR_FAILED;
  for (size_t e = 0; e < request->encodings; e++) {
    const struct encoding *encoding = request->encoding[e];
    const bool by_head = request->all_heads && (request->projections || encoding->by_head);
    for (size_t h = 0; h < (by_head ? heads : 1); h++)
      for (int terms = 0; terms < (request->terms && encoding->has_terms ? TERMS : 1); terms++)
        add_item(work, encoding, by_head ? h : request->head, (enum term_choice)terms);
  }
  return OK;
}

static int check_content(const struct compare_request *request, struct error *error) {
  if (request->content.kind != CONTENT_ZERO) return OK;
  for (size_t e = 0; e < request->encodings; e++)
    if (request->encoding[e]->alone) return OK;
  return error_set(error, ERROR_INPUT,
                   "content 'zero' leaves nothing to compare: no encoding given has a term of "
                   "positions alone; ones, gaussian or aligned[:RHO]");
}

static int check_request(const struct compare_request *request, struct error *error) {
  const char *empty = !request->encodings                                  ? "number of encodings"
                      : !request->length                                   ? "length"
                      : !request->width                                    ? "width"
                      : !request->batch                                    ? "batch"
                      : !request->cells && request->view == COMPARE_PANELS ? "number of cells"
                                                                           : NULL;
  if (empty)
    return error_set(error, ERROR_INPUT, "the %s of a comparison is '0': 1 or more", empty);
  bool known = !request->reference;
  for (size_t e = 0; !known && e < request->encodings; e++)
    known = request->encoding[e] == request->reference;
  if (!known)
    return error_set(error, ERROR_INPUT, "the reference '%s' is not among the encodings compared",
                     request->reference->name);
  for (size_t p = 0; p < request->projections; p++)
    if (request->projection[p].width != request->width)
      return error_set(error, ERROR_INPUT,
                       "the projections '%s' take tokens of %zu dimensions, and the width is '%zu'",
                       request->projection[p].name, request->projection[p].width, request->width);
  if (request->terms && request->attention != COMPARE_SOFTMAX)
    return error_set(error, ERROR_INPUT,
                     "linear attention takes features of the whole token: no terms");
  return check_content(request, error);
}

/* Waves for token vectors of another width than the spectrum's. */
static int make_waves(struct comparison *work, struct error *error) {
  const struct compare_request *request = work->request;
  bool wanted = false;
  for (size_t e = 0; e < request->encodings; e++)
    wanted |= request->encoding[e]->frequencies == FREQUENCIES_OF_WIDTH;
  if (!wanted || 2 * request->spectrum->pairs == request->width) return OK;
  struct rope_spec spec = request->spectrum->spec;
  spec.head_dim = spec.rotary_dim = request->width;
  if (spectrum_create(&spec, &work->waves, error))
    return error_prefix(error, "waves of %zu dimensions", request->width);
  return OK;
}

bool compare_is_untrained(const struct comparison *work, const struct compare_item *item,
                          const struct scorer *scorer) {
  if (work->request->untrained) return true;
  /* A norm behind an added table divides the content by what the table changes too. */
  const bool divided =
      item->encoding->kind == ENCODING_ADDS && item->projection && item->projection->gain;
  return scorer->untrained && (item->terms != TERMS_CONTENT_CONTENT || divided);
}

/* ---- One item ----------------------------------------------------------------------------------
 */

static int run_draw(const struct comparison *work, const struct compare_item *item,
                    struct scorer *scorer, size_t index, struct item_result *result,
                    struct error *error) {
  struct compare_draw draw = {.first = index, .draws = 1};
  double value[METRICS];
  for (size_t metric = 0; metric < METRICS; metric++)
    value[metric] = NAN;
  int status = compare_draw_create(work, item, scorer, &draw, error);
  if (!status && item->terms == TERMS_ALL && !index)
    compare_measure_table(work, scorer, &draw, result);
  if (!status && item->terms == TERMS_ALL)
    status = compare_drift(work, scorer, &draw, value, error);
  if (!status && work->request->attention == COMPARE_SOFTMAX)
    status = compare_scores(work, scorer, &draw, result, value, error);
  else if (!status)
    status = compare_linear(work, scorer, &draw, result, value, error);
  compare_draw_release(&draw);
  for (size_t metric = 0; metric < METRICS; metric++) {
    result->overflown |= isinf(value[metric]);
    result->value[metric * work->draws + index] = isinf(value[metric]) ? NAN : value[metric];
  }
  return status;
}

static int run_draws(const struct comparison *work, size_t index, struct item_result *result,
                     struct error *error) {
  const struct compare_item *item = &work->item[index];
  struct scorer scorer = {0};
  int status = compare_make_scorer(work, item, &scorer, error);
  if (!status && work->request->attention != COMPARE_SOFTMAX)
    status = compare_linear_check(item, &scorer, error);
  for (size_t draw = 0; !status && draw < work->draws; draw++) {
    progress_part(index * work->draws + draw, work->items * work->draws);
    status = run_draw(work, item, &scorer, draw, result, error);
  }
  result->arithmetic = compare_arithmetic_of(work, &scorer);
  result->positions = scorer.positions;
  result->untrained = compare_is_untrained(work, item, &scorer);
  scorer_release(&scorer);
  return status;
}

static int run_item(const struct comparison *work, size_t index, struct compare_result *result,
                    struct error *error) {
  const struct compare_request *request = work->request;
  const struct compare_item *item = &work->item[index];
  const bool panels = request->view == COMPARE_PANELS;
  const size_t tiles = request->cells < request->length ? request->cells : request->length;
  struct item_result one = {.linear_difference = NAN};
  one.value = memory_array(METRICS * work->draws, sizeof(double), "the metrics of draws", error);
  int status = one.value ? OK : ERROR_FAILED;
  if (!status && panels) {
    one.tiles = tiles;
    one.cells = memory_array(tiles * tiles, sizeof(double), "the cells of a panel", error);
    if (!one.cells) status = ERROR_FAILED;
  }
  if (!status) status = run_draws(work, index, &one, error);
  if (!status) status = compare_table_add(work, item, &one, result->metrics, error);
  if (!status && panels) status = compare_panels_add(work, item, &one, result, error);
  if (!status && result->curves)
    status = compare_curves_add(work, item, &one, result->curves, error);
  if (!status) compare_describe_item(work, item, &one, table_meta(result->metrics));
  free(one.cells);
  free(one.value);
  return status;
}

static int run_items(const struct comparison *work, struct compare_result *result,
                     struct error *error) {
  const enum compare_view view = work->request->view;
  int status = compare_table_create(&result->metrics, error);
  if (!status && (view == COMPARE_PROFILE || view == COMPARE_EDGE))
    status = compare_curves_create(work, &result->curves, error);
  if (!status) {
    result->panel = memory_array(work->items, sizeof(struct matrix *), "the panels", error);
    result->title = memory_array(work->items, sizeof(char *), "the panels' titles", error);
    if (!result->panel || !result->title) status = ERROR_FAILED;
  }
  if (!status) compare_describe(work, table_meta(result->metrics));
  for (size_t i = 0; !status && i < work->items; i++)
    status = run_item(work, i, result, error);
  progress_part(work->items * work->draws, work->items * work->draws);
  if (!status) status = compare_panels_finish(work, result, error);
  struct table *others[] = {result->curves, result->maps};
  for (size_t i = 0; !status && i < sizeof others / sizeof *others; i++)
    if (others[i]) meta_prepend(table_meta(others[i]), table_meta(result->metrics));
  return status;
}

void compare_result_release(struct compare_result *result) {
  table_destroy(result->metrics);
  table_destroy(result->curves);
  table_destroy(result->maps);
  for (size_t i = 0; i < result->panels; i++) {
    matrix_destroy(result->panel[i]);
    free(result->title[i]);
  }
  free(result->panel);
  free(result->title);
  *result = (struct compare_result){0};
}

int compare_run(struct backend *backend, const struct compare_request *request,
                struct compare_result *result, struct error *error) {
  *result = (struct compare_result){0};
  struct comparison work = {.backend = backend, .request = request};
  int status = check_request(request, error);
  if (status) return status;
  work.dim = request->projections ? request->projection->dim : request->width;
  work.draws = content_is_constant(&request->content) ? 1 : request->batch;
  work.single = request->attention == COMPARE_SOFTMAX &&
                (request->arithmetic == COMPARE_SINGLE ||
                 (request->arithmetic == COMPARE_AUTO && request->length > COMPARE_DOUBLE_LENGTH));
  work.features = request->attention != COMPARE_LINEAR_FAVOR ? work.dim
                  : request->features                        ? request->features
                                                             : feature_map_default(work.dim);
  status = list_items(&work, error);
  if (!status) status = make_waves(&work, error);
  if (!status) status = run_items(&work, result, error);
  if (status) compare_result_release(result);
  spectrum_destroy(work.waves);
  free(work.item);
  return status;
}
