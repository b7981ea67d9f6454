#include "lib/analysis/extend.h"

#include <stdio.h>
#include <string.h>

#include "lib/analysis/extend_parts.h"
#include "lib/base/progress.h"
#include "lib/rope/scaling.h"

static const struct extend_view *const views[] = {&extend_table, &extend_bound, &extend_temperature,
                                                  &extend_reach};
enum { VIEWS = sizeof views / sizeof *views };

const struct extend_view *extend_view_at(size_t index) {
  return index < VIEWS ? views[index] : NULL;
}

const char *extend_view_name(const struct extend_view *view) {
  return view->name;
}

const char *extend_view_methods(const struct extend_view *view) {
  return view->methods;
}

int extend_view_find(const char *name, const struct extend_view **view, struct error *error) {
  char known[128] = "";
  size_t used = 0;
  for (size_t i = 1; i < VIEWS; i++) {
    *view = views[i];
    if (!strcmp(name, views[i]->name)) return OK;
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                             i == 1           ? ""
                             : i + 1 == VIEWS ? " or "
                                              : ", ",
                             views[i]->name);
  }
  return error_set(error, ERROR_INPUT, "unknown figure '%s': %s", name, known);
}

static const struct extend_view *view_of(const struct extend_request *request) {
  return request->view ? request->view : &extend_table;
}

static int run_method(const struct extend_work *work, const char *method, struct error *error) {
  struct meta *meta = table_meta(work->table);
  struct rope_spec spec;
  struct spectrum *spectrum;
  int status = extend_method(work->request, method, &spec, error);
  if (status) return status;
  scaling_warn(&spec, meta);
  if (spectrum_create(&spec, &spectrum, error)) return error_prefix(error, "method '%s'", method);
  const struct extend_item item = {
      .method = method, .spectrum = spectrum, .meta = meta_append_object(meta, "methods")};
  meta_set_text(item.meta, "method", method);
  spectrum_describe(spectrum, item.meta);
  status = view_of(work->request)->add_method(work, &item, error);
  spectrum_destroy(spectrum);
  return status;
}

static int describe(const struct extend_work *work, struct error *error) {
  const struct extend_request *request = work->request;
  const struct spec_scaling *own = &request->spec->scaling;
  struct meta *meta = table_meta(work->table);
  const size_t pairs = work->trained->pairs;
  size_t never = 0;
  for (size_t i = 0; i < pairs; i++)
    never += !extend_turns(work, i);
  meta_set_integer(meta, "original_context", request->original);
  meta_set_integer(meta, "target", request->target);
  meta_set_text(meta, "replaced_scaling", strcmp(own->type, "none") ? own->type : NULL);
  meta_set_integer(meta, "never_turning_pairs", (int64_t)never);
  if (never)
    meta_set_integer(meta, "first_never_turning", (int64_t)(pairs - never));
  else
    meta_set_text(meta, "first_never_turning", NULL);
  return extend_describe_bounds(work, error);
}

static int fill_table(const struct extend_work *work, struct error *error) {
  const struct extend_view *view = view_of(work->request);
  const size_t count = work->request->methods.count;
  for (size_t i = 0; i < EXTEND_COLUMNS && view->columns[i].name; i++)
    if (table_add_column(work->table, view->columns[i].name, view->columns[i].kind, error) < 0)
      return ERROR_FAILED;
  int status = describe(work, error);
  if (!status && view->add_all) status = view->add_all(work, error);
  for (size_t i = 0; !status && i < count; i++) {
    progress_part(i, count);
    status = run_method(work, work->request->methods.name[i], error);
  }
  if (count) progress_part(count, count);
  return status;
}

static int check_methods(const struct extend_request *request, struct error *error) {
  const bool takes = view_of(request)->methods;
  if (takes && !request->methods.count)
    return error_set(error, ERROR_INPUT, "no methods: at least one is needed");
  if (!takes && request->methods.count)
    return error_set(error, ERROR_INPUT, "methods: none is taken, the figure '%s' shows the model",
                     view_of(request)->name);
  return OK;
}

int extend_run(struct backend *backend, const struct extend_request *request, struct table **table,
               struct error *error) {
  struct extend_work work = {.backend = backend, .request = request};
  struct rope_spec spec;
  *table = NULL;
  /* Contexts that make no sense, and a RoPE without a base, are found here. */
  int status = check_methods(request, error);
  if (!status) status = extend_method(request, "none", &spec, error);
  if (!status) status = spectrum_create(&spec, &work.trained, error);
  if (status) return status;
  work.table = table_create(error);
  status = work.table ? fill_table(&work, error) : ERROR_FAILED;
  spectrum_destroy(work.trained);
  if (status)
    table_destroy(work.table);
  else
    *table = work.table;
  return status;
}
