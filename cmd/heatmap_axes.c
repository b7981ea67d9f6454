#include "cmd/heatmap_axes.h"

#include <string.h>

bool heatmap_axes_of_file(const struct invocation *invocation) {
  const char *mixed = option_text(invocation, "mixed", NULL);
  return mixed && !mixed_is_random(mixed);
}

int heatmap_axes_check(const struct invocation *invocation, bool axes, struct error *error) {
  static const char axes_wanted[] = "--what axes",
                    no_mixed[] = "no --mixed, whose pairs have frequencies of their own",
                    no_file[] = "no --mixed of a file, which gives the frequencies themselves",
                    time_wanted[] = "pairs that take their position from time";
  const bool mixed = option_given(invocation, "mixed"), file = heatmap_axes_of_file(invocation),
             axial = !strcmp(option_text(invocation, "sections", ""), "axial");
  const struct option_need needs[] = {{"sections", axes, axes_wanted},
                                      {"mixed", axes, axes_wanted},
                                      {"sections", !mixed, no_mixed},
                                      {"model", !mixed, no_mixed},
                                      {"layer-type", !mixed, no_mixed},
                                      {"inv-freq", !mixed, no_mixed},
                                      {"context", !mixed, no_mixed},
                                      {"precision", !mixed, no_mixed},
                                      {"dim", !file, no_file},
                                      {"base", !file, no_file},
                                      {"scaling", !file, no_file},
                                      {"frame", !mixed && !axial, time_wanted},
                                      {0}};
  return option_check_needs(invocation, needs, error);
}

static int read_file(const struct invocation *invocation, struct heatmap_question *question,
                     struct error *error) {
  const char *text = option_text(invocation, "mixed", NULL);
  struct map_request *request = &question->request;
  const struct mixed_place place = {
      .heads = request->heads, .layer = request->layer, .head = request->head};
  if (mixed_read(text, &place, &question->mixed, error)) return error_prefix(error, "--mixed");
  inputs_add_file(question->series.meta, text, question->mixed.sha256);
  request->mixed = &question->mixed;
  return OK;
}

/* The axial spectrum that random frequencies are turned from. */
static int make_axial(const struct invocation *invocation, struct heatmap_question *question,
                      struct error *error) {
  struct rope_spec spec = question->request.spectrum->spec;
  spec.axial = true;
  if (!option_given(invocation, "base")) spec.base = MIXED_BASE;
  if (spectrum_create(&spec, &question->fitted, error)) return error->code;
  question->request.spectrum = question->fitted;
  return OK;
}

int heatmap_axes_read(const struct invocation *invocation, struct heatmap_question *question,
                      struct error *error) {
  if (heatmap_axes_of_file(invocation)) return read_file(invocation, question, error);
  question->random = option_text(invocation, "mixed", NULL);
  return question->random ? make_axial(invocation, question, error) : OK;
}

int heatmap_axes_draw(struct backend *backend, struct heatmap_question *question,
                      struct error *error) {
  struct map_request *request = &question->request;
  if (!question->random) return OK;
  if (mixed_draw(backend, question->random, request->head, request->spectrum, &question->mixed,
                 error))
    return error_prefix(error, "--mixed");
  request->mixed = &question->mixed;
  return OK;
}
