/* lib/analysis/requirement.h */
#include "tests/unit/spectra.h"

#include "lib/analysis/requirement.h"

static struct requirement parsed(const char *text) {
  struct requirement requirement;
  struct error error;
  if (requirement_parse(text, &requirement, &error)) fail_msg("%s", error.message);
  return requirement;
}

static void parses(void **state) {
  (void)state;
  static const char *const texts[] = {"rope.locality<0.5", " rope.locality <=  0.5 ",
                                      "rope.locality > 0.5", "rope.locality>=5e-1\t"};
  for (int i = 0; i < 4; i++) {
    const struct requirement requirement = parsed(texts[i]);
    assert_string_equal(requirement.encoding, "rope");
    assert_int_equal(requirement.metric, METRIC_LOCALITY);
    assert_int_equal(requirement.less, i < 2);
    assert_int_equal(requirement.equal, i % 2);
    assert_near(requirement.number, 0.5, 0);
  }
  const struct requirement terms = parsed("learned:content-position.beyond_table >= inf");
  assert_string_equal(terms.encoding, "learned:content-position");
  assert_true(isinf(terms.number) && terms.number > 0);
  assert_true(parsed("rope.entropy > -inf").number < 0);
}

static void refuses(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } wrong[] = {
      {"", "is none"},
      {"rope", "is none"},
      {"rope.locality", "is none"},
      {"rope.locality = 1", "is none"},
      {".locality > 1", "is none"},
      {"rope > 0.5", "is none"},
      {"rope.local > 1", "unknown metric 'local'"},
      {"rope. > 1", "unknown metric ''"},
      {"rope.locality > ", "number of a requirement"},
      {"rope.locality > nan", "number of a requirement"},
      {"rope.locality >> 1", "number of a requirement"},
      {"rope.locality > 1k", "number of a requirement"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct requirement requirement;
    struct error error;
    assert_int_equal(requirement_parse(wrong[i].text, &requirement, &error), ERROR_INPUT);
    assert_message(error, wrong[i].part);
  }
  char text[REQUIREMENT_TEXT + 8];
  memset(text, 'a', sizeof text - 1);
  text[sizeof text - 1] = 0;
  struct requirement requirement;
  struct error error;
  assert_int_equal(requirement_parse(text, &requirement, &error), ERROR_INPUT);
  assert_message(error, "too long");
}

/* Locality of rope 0.25, of alibi in two heads 0.5 and 0.75; entropy of rope empty. */
static struct table *some_metrics(void) {
  static const struct {
    const char *encoding, *metric;
    double head, value;
    const char *detail;
  } rows[] = {{"rope", "locality", NAN, 0.25, ""},
              {"rope", "entropy", NAN, NAN, ""},
              {"rope", "half_distance", NAN, NAN, "1 of 4 draws"},
              {"alibi", "locality", 0, 0.5, ""},
              {"alibi", "locality", 1, 0.75, ""},
              {"alibi", "entropy", 0, 3, ""},
              {"alibi", "entropy", 1, NAN, "not finite"}};
  enum { ROWS = sizeof rows / sizeof *rows };
  struct table *table = table_create(NULL);
  assert_int_equal(table_add_column(table, "encoding", COLUMN_TEXT, NULL), 0);
  assert_int_equal(table_add_column(table, "head", COLUMN_REAL, NULL), 1);
  assert_int_equal(table_add_column(table, "metric", COLUMN_TEXT, NULL), 2);
  assert_int_equal(table_add_column(table, "value", COLUMN_REAL, NULL), 3);
  assert_int_equal(table_add_column(table, "detail", COLUMN_TEXT, NULL), 4);
  assert_int_equal(table_add_rows(table, ROWS, NULL), OK);
  for (size_t row = 0; row < ROWS; row++) {
    table_set_text(table, row, 0, rows[row].encoding, NULL);
    table_set_real(table, row, 1, rows[row].head);
    table_set_text(table, row, 2, rows[row].metric, NULL);
    table_set_real(table, row, 3, rows[row].value);
    table_set_text(table, row, 4, rows[row].detail, NULL);
  }
  return table;
}

static void checks(void **state) {
  (void)state;
  static const struct {
    const char *text, *line; /* "": it holds */
  } cases[] = {
      {"rope.locality > 0.2", ""},
      {"rope.locality >= 0.25", ""},
      {"rope.locality <= 0.25", ""},
      {"rope.locality < 0.25", "'rope.locality < 0.25' does not hold: locality is 0.25"},
      {"rope.locality > 0.25", "'rope.locality > 0.25' does not hold: locality is 0.25"},
      {"alibi.locality > 0.4", ""},
      {"alibi.locality<0.7", "'alibi.locality<0.7' does not hold: locality is 0.75 in head 1"},
      {"rope.entropy > 1", "'rope.entropy > 1' does not hold: entropy is empty"},
      {"rope.half_distance < 9",
       "'rope.half_distance < 9' does not hold: half_distance is empty (1 of 4 draws)"},
      {"alibi.entropy > 1",
       "'alibi.entropy > 1' does not hold: entropy is empty (not finite) in head 1"},
  };
  struct table *table = some_metrics();
  char line[REQUIREMENT_LINE];
  struct error error;
  bool holds;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct requirement requirement = parsed(cases[i].text);
    assert_int_equal(requirement_check(&requirement, table, &holds, line, &error), OK);
    assert_int_equal(holds, !*cases[i].line);
    assert_string_equal(line, cases[i].line);
  }
  const struct requirement unknown = parsed("t5.locality > 0");
  assert_int_equal(requirement_check(&unknown, table, &holds, line, &error), ERROR_INPUT);
  assert_message(error, "not compared: 't5'");
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parses),
      cmocka_unit_test(refuses),
      cmocka_unit_test(checks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
