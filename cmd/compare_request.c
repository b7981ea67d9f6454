#include "cmd/compare_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/number.h"

/* ---- Which encodings, and options that go together ---------------------------------------------
 */

static int read_encodings(const struct invocation *invocation, struct compare_question *question,
                          struct error *error) {
  struct compare_request *request = &question->request;
  char name[64];
  for (const char *list = option_text(invocation, "encodings", "rope,sinusoidal,learned");
       list_next(&list, name, sizeof name);) {
    const struct encoding *encoding;
    if (encoding_find(name, &encoding, error)) return error_prefix(error, "--encodings");
    for (size_t e = 0; e < request->encodings; e++)
      if (question->encoding[e] == encoding)
        return error_set(error, ERROR_INPUT, "--encodings has '%s' twice", name);
    question->encoding[request->encodings++] = encoding;
    question->learned |= encoding->takes_table;
  }
  request->encoding = question->encoding;
  const char *reference = option_text(invocation, "reference", NULL);
  if (reference && encoding_find(reference, &request->reference, error))
    return error_prefix(error, "--reference");
  return OK;
}

/* One of a list of words; `names` ends with NULL. */
static int choose(const char *option, const char *text, const char *const *names, size_t *index,
                  struct error *error) {
  char known[128] = "";
  for (*index = 0; names[*index]; ++*index) {
    if (!strcmp(text, names[*index])) return OK;
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", names[*index]);
  }
  return error_set(error, ERROR_INPUT, "unknown %s '%s': one of %s", option, text, known);
}

static int read_kinds(const struct invocation *invocation, struct compare_request *request,
                      struct error *error) {
  static const char *const views[] = {"metrics", "panels", "profile", "edge", "maps", NULL},
                           *const maps[] = {"scores", "softmax", NULL},
                           *const attentions[] = {"softmax", "linear:elu", "linear:favor", "linear",
                                                  NULL};
  static const struct {
    enum compare_view view;
    bool maps;
  } shown[] = {{COMPARE_METRICS, false},
               {COMPARE_PANELS, false},
               {COMPARE_PROFILE, false},
               {COMPARE_EDGE, false},
               {COMPARE_PANELS, true}}; /* of the views */
  size_t view, map, attention;
  if (choose("--plot", option_text(invocation, "plot", "panels"), views, &view, error) ||
      choose("--what", option_text(invocation, "what", "scores"), maps, &map, error) ||
      choose("--attention", option_text(invocation, "attention", "softmax"), attentions, &attention,
             error) ||
      content_parse(option_text(invocation, "content", "gaussian"), &request->content, error))
    return error->code;
  request->view = shown[view].view;
  request->maps = shown[view].maps;
  request->weights = map == 1;
  request->attention = attention == 3 ? COMPARE_LINEAR_ELU : (enum compare_attention)attention;
  request->arithmetic = option_given(invocation, "single")   ? COMPARE_SINGLE
                        : option_given(invocation, "double") ? COMPARE_DOUBLE
                                                             : COMPARE_AUTO;
  request->causal = option_given(invocation, "causal");
  request->terms = option_given(invocation, "terms");
  request->rotate_first = option_given(invocation, "rotate-first");
  request->beyond = option_given(invocation, "beyond") || request->view == COMPARE_EDGE;
  request->all_heads = option_given(invocation, "all-heads");
  return OK;
}

/* Whether a head, or how many there are, is of any matter. */
static bool has_heads(const struct invocation *invocation, const struct compare_request *request) {
  bool any = option_given(invocation, "checkpoint") || option_given(invocation, "projections");
  for (size_t e = 0; e < request->encodings; e++)
    any |= request->encoding[e]->by_head;
  return any;
}

static bool has_terms(const struct compare_request *request) {
  for (size_t e = 0; e < request->encodings; e++)
    if (request->encoding[e]->has_terms) return true;
  return false;
}

/* Parameters "NAME.KEY=..." or "NAME=random:SEED" are of encodings that are compared; a NAME that
   none has is refused where values are read. */
static int check_parameters(const struct invocation *invocation,
                            const struct compare_request *request, struct error *error) {
  const char *text;
  for (size_t cursor = 0; (text = option_next(invocation, "param", &cursor));) {
    char name[64];
    const struct encoding *encoding;
    struct error unknown;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ".="), text);
    if (encoding_find(name, &encoding, &unknown)) continue;
    bool compared = false;
    for (size_t e = 0; e < request->encodings; e++)
      compared |= request->encoding[e] == encoding;
    if (!compared)
      return error_set(error, ERROR_INPUT, "--param '%s' goes with --encodings that name '%s'",
                       text, name);
  }
  return OK;
}

static int check_needs(const struct invocation *invocation, const struct compare_question *question,
                       struct error *error) {
  const struct compare_request *request = &question->request;
  const bool panels = request->view == COMPARE_PANELS, linear = request->attention != 0,
             heads = has_heads(invocation, request), drawn = request->view != COMPARE_METRICS;
  static const char of_drawn[] = "maps or curves, not --plot metrics";
  static const char of_heads[] =
      "projections, or an encoding that differs by head (alibi, t5, kerple and others)";
  const struct option_need needs[] = {
      {"learned", question->learned, "--encodings that name 'learned'"},
      {"beyond", question->learned, "--encodings that name 'learned'"},
      {"layer", option_given(invocation, "checkpoint"), "--checkpoint"},
      {"what", panels, "--plot panels or maps"},
      {"cells", panels, "--plot panels or maps"},
      {"reference", panels, "--plot panels or maps"},
      {"features", request->attention == COMPARE_LINEAR_FAVOR, "--attention linear:favor"},
      {"rotate-first", linear, "--attention linear"},
      {"single", !linear, "--attention softmax: linear attention is computed in double"},
      {"single", !option_given(invocation, "double"), "arithmetic that is not also --double"},
      {"head", !request->all_heads, "one head, not --all-heads"},
      {"head", heads, of_heads},
      {"heads", heads, of_heads},
      {"terms", has_terms(request),
       "--encodings with terms of content and position (sinusoidal, learned, deberta and others)"},
      {"heads", !option_given(invocation, "checkpoint"),
       "no --checkpoint, which says how many there are"},
      {"seed",
       !content_is_constant(&request->content) || linear || option_given(invocation, "projections"),
       "--content gaussian or aligned"},
      {"legend", request->view == COMPARE_PROFILE || request->view == COMPARE_EDGE,
       "--plot profile or edge"},
      {"xlabel", drawn, of_drawn},
      {"ylabel", drawn, of_drawn},
      {"palette", drawn, of_drawn},
      {0},
  };
  if (option_check_needs(invocation, needs, error)) return error->code;
  if (request->view == COMPARE_EDGE && !question->learned)
    return error_set(error, ERROR_INPUT,
                     "--plot 'edge' goes with --encodings that name 'learned': it shows the end of "
                     "its table");
  if (linear && (request->view == COMPARE_PROFILE || request->view == COMPARE_EDGE))
    return error_set(error, ERROR_INPUT, "--attention 'linear' goes with --plot panels or metrics");
  if (check_parameters(invocation, request, error)) return error->code;
  const char *axis;
  for (size_t cursor = 0; (axis = option_next(invocation, "log", &cursor));)
    if (panels != (strchr(axis, 'c') != NULL) || request->view == COMPARE_METRICS)
      return error_set(error, ERROR_INPUT,
                       "--log '%s' does not go with this figure: panels take c, curves x and y",
                       axis);
  return OK;
}

static int read_numbers(const struct invocation *invocation, struct compare_request *request,
                        struct error *error) {
  int64_t length = 0, batch = 16, seed = 1, cells = 512, features = 0;
  if (option_tokens(invocation, "length", 1, INT64_C(1) << 31, &length, error) ||
      option_integer(invocation, "batch", 1, INT32_MAX, &batch, error) ||
      option_integer(invocation, "seed", 0, INT64_MAX, &seed, error) ||
      option_integer(invocation, "cells", 1, INT32_MAX, &cells, error) ||
      option_integer(invocation, "features", 2, INT32_MAX, &features, error))
    return error->code;
  request->length = (size_t)length;
  request->batch = (size_t)batch;
  request->seed = (uint64_t)seed;
  request->cells = (size_t)cells;
  request->features = (size_t)features;
  return OK;
}

/* ---- Tables, projections, dimensions -----------------------------------------------------------
 */

/* The table of `learned`: as given, else that of the checkpoint, else the one that is built in. */
static int read_table(const struct invocation *invocation, struct compare_question *question,
                      struct error *error) {
  struct position_table *table = &question->given.learned;
  if (!question->learned) return OK;
  const char *from = option_text(invocation, "checkpoint", "minilm");
  if (!option_given(invocation, "learned")) {
    if (position_table_read_part(from, table, error))
      return error_prefix(error, "the learned table");
    inputs_add_file(question->given.inputs, from, table->sha256);
  }
  question->request.learned = table;
  return OK;
}

static struct projection *projections(struct compare_question *question, size_t count,
                                      struct error *error) {
  question->projection = memory_array(count, sizeof *question->projection, "projections", error);
  question->request.projections = question->projection ? count : 0;
  question->request.projection = question->projection;
  return question->projection;
}

static int read_checkpoint(const struct invocation *invocation, struct compare_question *question,
                           struct error *error) {
  const char *path = option_text(invocation, "checkpoint", NULL);
  struct compare_request *request = &question->request;
  int64_t layer = 0, dim = 0;
  if (option_integer(invocation, "layer", 0, INT32_MAX, &layer, error)) return error->code;
  if (option_given(invocation, "dim") &&
      option_integer(invocation, "dim", 1, INT32_MAX, &dim, error))
    return error->code;
  struct checkpoint_choice choice = {
      .layer = (size_t)layer, .head = question->given.head, .dim = (size_t)dim};
  struct projection first = {0};
  if (request->all_heads) choice.head = 0;
  int status = projection_read(path, &choice, &first, error);
  if (status) return error_prefix(error, "--checkpoint");
  const size_t count = request->all_heads ? first.heads : 1;
  struct projection *list = projections(question, count, error);
  if (list)
    list[0] = first;
  else
    projection_release(&first);
  if (!list) return ERROR_FAILED;
  for (size_t h = 1; !status && h < count; h++) {
    choice.head = h;
    status = projection_read(path, &choice, &list[h], error);
  }
  inputs_add_file(question->given.inputs, path, list[0].sha256);
  request->width = list[0].width;
  return status ? error_prefix(error, "--checkpoint") : OK;
}

static int draw_projections(const char *text, struct backend *backend,
                            struct compare_question *question, struct error *error) {
  struct compare_request *request = &question->request;
  const size_t dim = question->series.spectra[0]->spec.head_dim;
  int64_t seed = 1;
  if (*text == ':' &&
      number_integer(text + 1, "the seed of --projections random", 0, INT64_MAX, &seed, error))
    return error->code;
  const size_t width = request->learned && request->learned->width ? request->learned->width : dim;
  const size_t heads = request->all_heads && question->given.heads ? question->given.heads
                       : request->all_heads                        ? ENCODING_HEADS
                                                                   : 1;
  struct projection *list = projections(question, heads, error);
  int status = list ? OK : ERROR_FAILED;
  for (size_t h = 0; !status && h < heads; h++) {
    const size_t head = request->all_heads ? h : request->head;
    status = projection_draw(backend, width, dim, (uint64_t)seed + head, &list[h], error);
    list[h].heads = question->given.heads ? question->given.heads : ENCODING_HEADS;
    list[h].head = head;
  }
  request->width = width;
  request->untrained = true;
  return status;
}

static int read_projections(const struct invocation *invocation, struct backend *backend,
                            struct compare_question *question, struct error *error) {
  static const char random[] = "random";
  const bool checkpoint = option_given(invocation, "checkpoint");
  const char *text = option_text(invocation, "projections", checkpoint ? "checkpoint" : "identity");
  const char *rest = text + strlen(random);
  if (!strcmp(text, "identity") && !checkpoint) return OK;
  if (!strcmp(text, "checkpoint") && checkpoint)
    return read_checkpoint(invocation, question, error);
  if (!strncmp(text, random, strlen(random)) && (!*rest || *rest == ':') && !checkpoint)
    return draw_projections(rest, backend, question, error);
  return error_set(error, ERROR_INPUT,
                   checkpoint
                       ? "--projections '%s' does not go with --checkpoint, which has its own"
                       : "unknown --projections '%s': identity, random[:SEED], or --checkpoint",
                   text);
}

/* The dimensions of a head by tables and projections; 0: whatever the spectrum has. */
static size_t wanted_dim(const struct compare_question *question) {
  const struct compare_request *request = &question->request;
  if (request->projections) return request->projection->dim;
  return request->learned ? request->learned->width : 0;
}

static bool looks_at_frequencies(const struct compare_request *request) {
  for (size_t e = 0; e < request->encodings; e++)
    if (request->encoding[e]->frequencies != FREQUENCIES_NONE) return true;
  return false;
}

/* Makes the spectrum of as many dimensions, where options leave that open. */
static int fit_dimensions(const struct invocation *invocation, struct compare_question *question,
                          struct error *error) {
  struct compare_request *request = &question->request;
  const struct spectrum *spectrum = question->series.spectra[0];
  const size_t wanted = wanted_dim(question), has = spectrum->spec.head_dim;
  static const char *const fixed[] = {"dim", "model", "inv-freq"};
  const char *by = NULL;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (!by && option_given(invocation, fixed[i])) by = fixed[i];
  request->spectrum = spectrum;
  if (wanted && wanted != has && by)
    return error_set(
        error, ERROR_INPUT,
        request->projections
            ? "--%s gives heads of '%zu' dimensions, and the projections '%s' make %zu"
            : "--%s gives '%zu' dimensions, and the learned table '%s' has %zu: the same, "
              "or projections between them",
        by, has, request->projections ? request->projection->name : request->learned->name, wanted);
  if (wanted && wanted != has) {
    struct rope_spec spec = spectrum->spec;
    spec.head_dim = wanted;
    /* What turns nothing takes an odd number of dimensions too. */
    spec.rotary_dim = wanted - (looks_at_frequencies(request) ? 0 : wanted % 2);
    if (spectrum_create(&spec, &question->of_other_dim, error))
      return error_prefix(error, "'%s' has %zu dimensions",
                          request->projections ? request->projection->name : request->learned->name,
                          wanted);
    request->spectrum = question->of_other_dim;
  }
  if (!request->projections) request->width = wanted ? wanted : has;
  return OK;
}

static int fit_length(struct backend *backend, struct compare_question *question,
                      struct error *error) {
  enum { USUAL = 512 };
  struct compare_request *request = &question->request;
  struct position_table *table = &question->given.learned;
  const size_t positions = request->learned && table->positions ? table->positions : USUAL;
  if (!request->length)
    request->length = request->view == COMPARE_EDGE ? positions + positions / 4 : positions;
  if (!request->learned) return OK;
  const size_t drawn = request->view == COMPARE_EDGE ? positions : request->length;
  return position_table_draw(backend, table, drawn, request->width, error);
}

int compare_question_read(const struct invocation *invocation, struct backend *backend,
                          struct compare_question *question, struct error *error) {
  struct compare_request *request = &question->request;
  *question = (struct compare_question){0};
  int status = read_encodings(invocation, question, error);
  if (!status) status = read_kinds(invocation, request, error);
  if (!status) status = check_needs(invocation, question, error);
  if (!status) status = read_numbers(invocation, request, error);
  if (!status) status = series_create_one(invocation, &question->series, error);
  if (!status) status = encoding_options_read(invocation, &question->given, error);
  if (status) return status;
  request->values = question->given.values;
  request->heads = question->given.heads;
  request->head = question->given.head;
  status = read_table(invocation, question, error);
  if (!status) status = read_projections(invocation, backend, question, error);
  if (!status) status = fit_dimensions(invocation, question, error);
  return status ? status : fit_length(backend, question, error);
}

void compare_question_release(struct compare_question *question) {
  for (size_t p = 0; p < question->request.projections; p++)
    projection_release(&question->projection[p]);
  free(question->projection);
  encoding_options_release(&question->given);
  spectrum_destroy(question->of_other_dim);
  series_release(&question->series);
  *question = (struct compare_question){0};
}
