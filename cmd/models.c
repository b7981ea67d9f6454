/* ropetool models: the built-in models and their parameters. */
#include "lib/model/model.h"

#include "cmd/command.h"
#include "lib/io/table.h"

enum { NAME, CONTEXT, HEAD_DIM, ROTARY_DIM, BASE, SCALING, LAYOUT, SOURCE };

static int add_columns(struct table *table, struct error *error) {
  static const struct {
    const char *name;
    enum column_kind kind;
  } columns[] = {
      [NAME] = {"name", COLUMN_TEXT},
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
  if (table_set_text(table, row, SCALING, spec->scaling.type, error)) return error->code;
  if (table_set_text(table, row, LAYOUT, layout_name(spec->layout), error)) return error->code;
  return table_set_text(table, row, SOURCE, builtin->source, error);
}

static int add_model(struct table *table, const struct builtin_model *builtin,
                     struct error *error) {
  struct model *model;
  int status = model_read(builtin->name, &model, table_meta(table), error);
  for (size_t i = 0; !status && i < model->count; i++)
    status = add_rope(table, builtin, &model->ropes[i], error);
  model_destroy(model);
  return status;
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  (void)invocation;
  result->table = table_create(error);
  if (!result->table || add_columns(result->table, error)) return error->code;
  const struct builtin_model *model;
  for (size_t i = 0; (model = builtin_model_at(i)); i++)
    if (add_model(result->table, model, error)) return error->code;
  return OK;
}

const struct command command_models = {
    .name = "models",
    .summary = "the built-in models and their parameters",
    .description = "Lists the names that --model takes besides files, with what they stand for.",
    .groups = GROUP_OUTPUT,
    .compute = compute,
};
