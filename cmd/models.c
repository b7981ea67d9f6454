/* ropetool models: the built-in models, and where the values of a model come from. */
#include <math.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "lib/io/table.h"
#include "lib/model/model.h"
#include "lib/rope/spectrum.h"

enum { KEY_EXPLAIN = 256 };

enum { NAME, LAYER_TYPE, CONTEXT, HEAD_DIM, ROTARY_DIM, BASE, SCALING, LAYOUT, SOURCE };

static int add_columns(struct table *table, struct error *error) {
  static const struct {
    const char *name;
    enum column_kind kind;
  } columns[] = {
      [NAME] = {"name", COLUMN_TEXT},
      [LAYER_TYPE] = {"layer_type", COLUMN_TEXT},
      [CONTEXT] = {"context", COLUMN_INTEGER},
      [HEAD_DIM] = {"head_dim", COLUMN_INTEGER},
      [ROTARY_DIM] = {"rotary_dim", COLUMN_INTEGER},
      [BASE] = {"base", COLUMN_REAL},
      [SCALING] = {"scaling", COLUMN_TEXT},
      [LAYOUT] = {"layout", COLUMN_TEXT},
      [SOURCE] = {"source", COLUMN_TEXT},
  };
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (table_add_column(table, columns[i].name, columns[i].kind, error) < 0) return error->code;
  return OK;
}

static int add_rope(struct table *table, const struct builtin_model *builtin,
                    const struct rope_spec *spec, struct error *error) {
  const size_t row = table_rows(table);
  if (table_add_rows(table, 1, error)) return error->code;
  table_set_integer(table, row, CONTEXT, spec->context);
  table_set_integer(table, row, HEAD_DIM, (int64_t)spec->head_dim);
  table_set_integer(table, row, ROTARY_DIM, (int64_t)spec->rotary_dim);
  table_set_real(table, row, BASE, spec->base);
  if (table_set_text(table, row, NAME, builtin->name, error)) return error->code;
  if (table_set_text(table, row, LAYER_TYPE, spec->layer_type, error)) return error->code;
  if (table_set_text(table, row, SCALING, spec->scaling.type, error)) return error->code;
  if (table_set_text(table, row, LAYOUT, layout_name(spec->layout), error)) return error->code;
  return table_set_text(table, row, SOURCE, builtin->source, error);
}

/* What looks odd in a model is for those who use it to hear. */
static int add_model(struct table *table, const struct builtin_model *builtin,
                     struct error *error) {
  struct model *model;
  int status = model_read(builtin->name, &model, NULL, error);
  for (size_t i = 0; !status && i < model->count; i++)
    status = add_rope(table, builtin, &model->ropes[i], error);
  model_destroy(model);
  return status;
}

static int list_builtins(struct result *result, struct error *error) {
  result->table = table_create(error);
  if (!result->table || add_columns(result->table, error)) return error->code;
  const struct builtin_model *model;
  for (size_t i = 0; (model = builtin_model_at(i)); i++)
    if (add_model(result->table, model, error)) return error->code;
  return OK;
}

/* A number that a rule works out, under the names of freqs' meta data; NaN: it has none. */
static int explain_derived(struct model *model, const struct spectrum *spectrum, const char *name,
                           double value, struct error *error) {
  char text[32], source[96];
  if (isnan(value)) return OK;
  snprintf(text, sizeof text, "%.12g", value);
  snprintf(source, sizeof source, "computed by the rule '%s'", spectrum->spec.scaling.type);
  return model_explain(model, spectrum->spec.layer_type, name, text, source, error);
}

static int explain_rope(struct model *model, size_t index, struct error *error) {
  struct spectrum *spectrum;
  int status = spectrum_create(&model->ropes[index], &spectrum, error);
  if (status) return status;
  const struct {
    const char *name;
    double value;
  } derived[] = {
      {"effective_base", spectrum->effective_base},
      {"attention_factor", spectrum->attention_factor},
      {"softmax_factor", spectrum->softmax_factor},
      {"correction_low", spectrum->correction_low},
      {"correction_high", spectrum->correction_high},
  };
  for (size_t i = 0; !status && i < sizeof derived / sizeof *derived; i++)
    status = explain_derived(model, spectrum, derived[i].name, derived[i].value, error);
  spectrum_destroy(spectrum);
  return status;
}

static int explain(const char *reference, struct result *result, struct error *error) {
  struct model *model;
  struct meta *meta = meta_create();
  int status = model_read(reference, &model, meta, error);
  for (size_t i = 0; !status && i < model->count; i++)
    status = explain_rope(model, i, error);
  if (!status) {
    if (model->source.sha256[0]) inputs_add(meta, model->source.name, model->source.sha256);
    result->table = model->values;
    model->values = NULL;
    meta_prepend(table_meta(result->table), meta);
  }
  model_destroy(model);
  meta_destroy(meta);
  return status;
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  const char *reference = option_text(invocation, "explain", NULL);
  return reference ? explain(reference, result, error) : list_builtins(result, error);
}

static const struct argp_option options[] = {
    {"explain", KEY_EXPLAIN, "FILE|DIR|NAME", 0,
     "every value resolved from a config.json, a GGUF file or a built-in model, and where it came "
     "from",
     0},
    {0},
};

const struct command command_models = {
    .name = "models",
    .summary = "the built-in models, and what a model's file says of its RoPE",
    .description = "Lists the names that --model takes besides files, with what they stand for; "
                   "with --explain, reads a model's file and shows each value with its source.",
    .options = options,
    .groups = GROUP_OUTPUT,
    .compute = compute,
};
