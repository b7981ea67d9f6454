/* ropetool encodings: what each position encoding is, and the tables it is made of. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/encoding_options.h"
#include "cmd/groups.h"
#include "lib/encoding/encoding.h"
#include "lib/io/table.h"

enum { KEY_HEADS = 256, KEY_DIM, KEY_PARAM };

static const struct argp_option options[] = {
    {"heads", KEY_HEADS, "N", 0, "heads of the model, for slopes (default 8)", 0},
    {"dim", KEY_DIM, "N", 0, "rotated dimensions, for amplitudes (default 128)", 0},
    {"param", KEY_PARAM, "NAME.KEY=NUMBER", 0,
     "a parameter of the encoding, for its tables; may be repeated", 0},
    {0},
};

struct named_column {
  const char *name;
  enum column_kind kind;
};

static int create_table(const struct named_column *columns, size_t count, struct result *result,
                        struct error *error) {
  result->table = table_create(error);
  for (size_t i = 0; result->table && i < count; i++)
    if (table_add_column(result->table, columns[i].name, columns[i].kind, error) < 0)
      return error->code;
  return result->table ? OK : ERROR_FAILED;
}

static int list_all(struct result *result, struct error *error) {
  static const struct named_column columns[] = {{"name", COLUMN_TEXT},
                                                {"title", COLUMN_TEXT},
                                                {"kind", COLUMN_TEXT},
                                                {"beyond", COLUMN_TEXT},
                                                {"source", COLUMN_TEXT}};
  if (create_table(columns, 5, result, error)) return error->code;
  const struct encoding *encoding;
  for (size_t i = 0; (encoding = encoding_at(i)); i++) {
    const char *const texts[] = {encoding->name, encoding->title,
                                 encoding_kind_name(encoding->kind), encoding->beyond,
                                 encoding->source};
    if (table_add_rows(result->table, 1, error)) return error->code;
    for (size_t c = 0; c < 5; c++)
      if (table_set_text(result->table, i, c, texts[c], error)) return error->code;
  }
  return OK;
}

enum { ENCODING, ITEM, INDEX, VALUE, TEXT };

/* Rows of one encoding. */
struct rows {
  const struct encoding *encoding;
  struct table *table;
};

static int add_row(struct rows *rows, const char *item, double index, double value,
                   const char *text, struct error *error) {
  struct table *table = rows->table;
  const size_t row = table_rows(table);
  if (table_add_rows(table, 1, error)) return error->code;
  table_set_real(table, row, INDEX, index);
  table_set_real(table, row, VALUE, value);
  if (table_set_text(table, row, ENCODING, rows->encoding->name, error)) return error->code;
  if (table_set_text(table, row, ITEM, item, error)) return error->code;
  return table_set_text(table, row, TEXT, text, error);
}

static int add_number(void *to, const char *item, int64_t index, double value,
                      struct error *error) {
  return add_row(to, item, (double)index, value, NULL, error);
}

static int add_parameters(struct rows *rows, struct error *error) {
  const struct encoding_parameter *parameter = rows->encoding->parameters;
  for (int i = 0; parameter && parameter->key; parameter++, i++) {
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", parameter->key);
    if (parameter->shape)
      used += (size_t)snprintf(text + used, sizeof text - used, " %s", parameter->shape);
    snprintf(text + used, sizeof text - used, "%s: %s", parameter->learned ? ", learned" : "",
             parameter->meaning);
    const double otherwise = parameter->shape ? NAN : parameter->otherwise;
    if (add_row(rows, "parameter", i, otherwise, text, error)) return error->code;
  }
  return OK;
}

static int add_facts(struct rows *rows, struct error *error) {
  const struct encoding *encoding = rows->encoding;
  const struct {
    const char *item, *text;
  } facts[] = {{"title", encoding->title},
               {"formula", encoding->formula},
               {"source", encoding->source},
               {"kind", encoding_kind_name(encoding->kind)},
               {"beyond", encoding->beyond}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (add_row(rows, facts[i].item, NAN, NAN, facts[i].text, error)) return error->code;
  return add_parameters(rows, error);
}

/* What is to be said once goes first; then a line for each item, with its numbers in a row. */
static void summary(const struct result *result, FILE *out) {
  const struct table *table = result->table;
  const char *last = "";
  for (size_t row = 0; row < table_rows(table); row++) {
    const char *item = table_text(table, row, ITEM), *text = table_text(table, row, TEXT);
    const double value = table_real(table, row, VALUE);
    const bool more = !strcmp(item, last);
    if (*text) {
      fprintf(out, "%s: %s", item, text);
      if (!isnan(value)) fprintf(out, " (default %.12g)", value);
      fputc('\n', out);
    } else {
      if (!more) fprintf(out, "%s:", item);
      fprintf(out, " %.12g", value);
      const bool ends =
          row + 1 == table_rows(table) || strcmp(table_text(table, row + 1, ITEM), item);
      if (ends) fputc('\n', out);
    }
    last = item;
  }
}

static int check_needs(const struct invocation *invocation, const struct encoding *encoding,
                       const struct encoding_options *given, struct error *error) {
  const char *unused =
      encoding ? encoding_values_unused(given->values, (const char *[]){encoding->name, NULL})
               : NULL;
  if (unused)
    return error_set(error, ERROR_INPUT, "--param of '%s' changes nothing for '%s'", unused,
                     encoding->name);
  static const char *const names[] = {"heads", "dim", "param"};
  for (size_t i = 0; !encoding && i < sizeof names / sizeof *names; i++)
    if (option_given(invocation, names[i]))
      return error_set(error, ERROR_INPUT, "--%s goes with the NAME of an encoding", names[i]);
  if (encoding && option_given(invocation, "heads") && !encoding->by_head)
    return error_set(error, ERROR_INPUT, "--heads changes nothing for '%s'", encoding->name);
  if (encoding && option_given(invocation, "dim") && encoding->frequencies == FREQUENCIES_NONE)
    return error_set(error, ERROR_INPUT, "--dim changes nothing for '%s'", encoding->name);
  return OK;
}

/* The tables, with plain frequencies of `dim` dimensions. */
static int add_tables(struct rows *rows, const struct encoding_options *given, int64_t dim,
                      struct error *error) {
  if (!rows->encoding->show) return OK;
  struct rope_spec spec;
  struct spectrum *spectrum;
  spec_default(&spec);
  spec.head_dim = spec.rotary_dim = (size_t)dim;
  int status = spectrum_create(&spec, &spectrum, error);
  if (status) return status;
  const struct encoding_setting setting = {.spectrum = spectrum,
                                           .length = 1,
                                           .width = spec.head_dim,
                                           .dim = spec.head_dim,
                                           .heads = given->heads ? given->heads : ENCODING_HEADS,
                                           .values = given->values};
  const struct encoding_sink sink = {.add = add_number, .to = rows};
  status = rows->encoding->show(NULL, &setting, &sink, error);
  spectrum_destroy(spectrum);
  return status;
}

static int show_one(const struct invocation *invocation, const struct encoding *encoding,
                    const struct encoding_options *given, struct result *result,
                    struct error *error) {
  static const struct named_column columns[] = {[ENCODING] = {"encoding", COLUMN_TEXT},
                                                [ITEM] = {"item", COLUMN_TEXT},
                                                [INDEX] = {"index", COLUMN_REAL},
                                                [VALUE] = {"value", COLUMN_REAL},
                                                [TEXT] = {"text", COLUMN_TEXT}};
  int64_t dim = 128;
  if (option_integer(invocation, "dim", 2, INT32_MAX, &dim, error)) return error->code;
  if (create_table(columns, 5, result, error)) return error->code;
  struct rows rows = {.encoding = encoding, .table = result->table};
  result->summary = summary;
  const int status = add_facts(&rows, error);
  return status ? status : add_tables(&rows, given, dim, error);
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  const struct encoding *encoding = NULL;
  struct encoding_options given = {0};
  int status = encoding_options_read(invocation, &given, error);
  if (!status && invocation->argument)
    status = encoding_find(invocation->argument, &encoding, error);
  if (!status) status = check_needs(invocation, encoding, &given, error);
  if (!status)
    status =
        encoding ? show_one(invocation, encoding, &given, result, error) : list_all(result, error);
  if (!status) encoding_options_note(&given, table_meta(result->table));
  encoding_options_release(&given);
  return status;
}

const struct command command_encodings = {
    .name = "encodings",
    .summary = "the position encodings: formulas, sources, parameters and tables",
    .arguments = "[NAME]",
    .description = "Lists the position encodings that heatmap and compare know; with NAME, that "
                   "one's formula, source and parameters, and its tables: slopes of heads, first "
                   "distances of buckets, amplitudes of pairs.",
    .options = options,
    .groups = GROUP_OUTPUT,
    .compute = compute,
};
