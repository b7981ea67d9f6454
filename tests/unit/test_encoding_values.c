/* lib/encoding/values.h */
#include "tests/unit/encodings.h"

static void assert_bad(const char *text, const char *part) {
  struct error error;
  char sha256[HASH_TEXT];
  struct encoding_values *values = encoding_values_create(&error);
  assert_int_equal(encoding_values_set(values, text, sha256, &error), ERROR_INPUT);
  assert_message(error, part);
  assert_string_equal(sha256, "");
  encoding_values_destroy(values);
}

static void refuses_what_is_no_parameter(void **state) {
  (void)state;
  assert_bad("t5", "'t5' gives no parameter: NAME.KEY=NUMBER");
  assert_bad("t6.bias=1", "unknown encoding 't6'");
  assert_bad("t5.bia=1", "'t5' has no parameter 'bia': it has bias, buckets, max_distance");
  assert_bad("rope.k=1", "'rope' has no parameter 'k': it has none");
  assert_bad("t5.buckets=many", "parameter 't5.buckets'");
  assert_bad("t5.buckets=3.5", "is '3.5': a whole number from 4 to 65536");
  assert_bad("xpos.gamma=-1", "parameter 'xpos.gamma' is '-1': a number from 1e-06");
  assert_bad("xpos.gamma=random:1", "parameter 'xpos.gamma' is not learned");
  assert_bad("xpos=random:1", "encoding 'xpos' is not learned");
  assert_bad("t5.bias=random:x", "the seed of random parameters");
  assert_bad("t5=3", "'t5=3' names no parameter: t5.KEY=VALUE, or t5=random:SEED");
  assert_bad("t5.bias=/nowhere/bias.npy", "/nowhere/bias.npy");
}

static double number_of(struct backend *backend, const struct encoding_values *values,
                        const char *name, const char *key, size_t head, bool *untrained) {
  struct encoding_query query = {
      .backend = backend, .values = values, .name = name, .key = key, .head = head};
  struct error error;
  double number;
  if (encoding_number(&query, &number, &error)) fail_msg("%s", error.message);
  *untrained = query.untrained;
  return number;
}

/* The last counts; what is given by itself goes before what is given for all. */
static void numbers(void **state) {
  bool untrained;
  struct encoding_values *values = values_of(
      (const char *[]){"kerple.p=1", "kerple.p=1.5", "kerple=random:7", "xpos.gamma=0.5", NULL});
  assert_near(number_of(*state, values, "kerple", "p", 0, &untrained), 1.5, 0);
  assert_false(untrained);
  assert_near(number_of(*state, values, "xpos", "gamma", 0, &untrained), 0.5, 0);
  assert_near(number_of(*state, values, "xpos", "scale_base", 0, &untrained), 512, 0);
  assert_near(number_of(*state, NULL, "xpos", "scale_base", 0, &untrained), 512, 0);
  assert_false(untrained);
  assert_near(number_of(*state, values, "fire", "L", 0, &untrained), 512, 0);
  assert_true(untrained);
  /* Evenly between 0 and 1, another for each head: mean 1/2 within 5 deviations of 1/√(12·400). */
  double mean = 0;
  for (size_t head = 0; head < 400; head++) {
    const double a = number_of(*state, values, "kerple", "a", head, &untrained);
    assert_true(a >= 0 && a <= 1 && untrained);
    mean += a / 400;
  }
  assert_near(mean, 0.5, 0.073);
  struct encoding_query query = {.values = NULL, .name = "kerple", .key = "p"};
  struct error error;
  double number;
  assert_int_equal(encoding_number(&query, &number, &error), ERROR_INPUT);
  assert_message(error,
                 "needs 'kerple.p', which training sets: --param kerple.p=NUMBER, or --param "
                 "kerple=random:SEED");
  encoding_values_destroy(values);
}

static void tensors(void **state) {
  double data[6] = {1, 2, 3, 4, 5, 6};
  struct encoding_values *values = values_of((const char *[]){NULL});
  struct encoding_query query = {.backend = *state, .values = values, .name = "t5", .key = "bias"};
  struct error error;
  assert_null(encoding_tensor(&query, &error));
  assert_message(error, "--param t5.bias=FILE[:TENSOR] of shape (bucket, head)");
  add_tensor(values, "t5.bias", data, 3, 2);
  double *tensor = encoding_tensor(&query, NULL);
  assert_int_equal(query.rows, 3);
  assert_int_equal(query.columns, 2);
  assert_memory_equal(tensor, data, sizeof data);
  free(tensor);
  query.rows = 2;
  assert_null(encoding_tensor(&query, &error));
  assert_message(error, "'t5.bias' has shape (3, 2): (bucket, head), here (2, 2)");
  /* One column is a column where the rows are asked for, else a row. */
  add_tensor(values, "t5.bias", data, 6, 1);
  query.rows = 6;
  query.columns = 0;
  tensor = encoding_tensor(&query, NULL);
  assert_int_equal(query.columns, 1);
  free(tensor);
  query.rows = 1;
  query.columns = 0;
  tensor = encoding_tensor(&query, NULL);
  assert_int_equal(query.columns, 6);
  assert_false(query.untrained);
  free(tensor);
  data[4] = INFINITY;
  add_tensor(values, "t5.bias", data, 3, 2);
  query.rows = query.columns = 0;
  assert_null(encoding_tensor(&query, &error));
  assert_message(error, "'t5.bias' is inf at row 2, column 0");
  encoding_values_destroy(values);
}

/* A seed has its stream for each parameter; the deviation is that which is asked for. */
static void random_tensors(void **state) {
  enum { ROWS = 40, COLUMNS = 50 };
  static const char *const keys[] = {"query_table", "key_table"};
  struct encoding_values *values = values_of((const char *[]){"deberta=random:5", NULL});
  double *tensor[2];
  for (int i = 0; i < 2; i++) {
    struct encoding_query query = {.backend = *state,
                                   .values = values,
                                   .name = "deberta",
                                   .key = keys[i],
                                   .random_rows = ROWS,
                                   .columns = COLUMNS,
                                   .deviation = 3};
    tensor[i] = encoding_tensor(&query, NULL);
    assert_non_null(tensor[i]);
    assert_true(query.untrained);
    assert_int_equal(query.rows, ROWS);
    /* Mean square of 2000: 9 within 5 deviations of 9·√(2/2000). */
    assert_near(product_of(tensor[i], tensor[i], ROWS * COLUMNS) / (ROWS * COLUMNS), 9, 1.43);
  }
  assert_memory_not_equal(tensor[0], tensor[1], ROWS * COLUMNS * sizeof(double));
  free(tensor[0]);
  free(tensor[1]);
  struct encoding_query huge = {.backend = *state,
                                .values = values,
                                .name = "deberta",
                                .key = "key_table",
                                .rows = SIZE_MAX / 2,
                                .columns = 64};
  struct error error;
  assert_null(encoding_tensor(&huge, &error));
  assert_message(error, "GiB");
  encoding_values_destroy(values);
}

static void tells_what_is_unused(void **state) {
  (void)state;
  struct encoding_values *values =
      values_of((const char *[]){"t5.buckets=64", "xpos.gamma=0.5", NULL});
  assert_null(encoding_values_unused(values, (const char *[]){"xpos", "rope", "t5", NULL}));
  assert_string_equal(encoding_values_unused(values, (const char *[]){"t5", NULL}), "xpos");
  assert_null(encoding_values_unused(NULL, (const char *[]){NULL}));
  encoding_values_destroy(values);
  encoding_values_destroy(NULL);
}

static void describes_numbers(void **state) {
  struct encoding_values *values = values_of((const char *[]){"kerple.p=1.5", "kerple.a=2", NULL});
  struct encoding_setting setting = setting_of(NULL, 4, 4);
  setting.values = values;
  struct meta *meta = meta_create();
  assert_int_equal(encoding_describe(encoding_of("kerple"), *state, &setting, meta, NULL), OK);
  const struct meta *parameters = meta_child(meta, "parameters");
  assert_near(meta_real(parameters, "p", NAN), 1.5, 0);
  assert_near(meta_real(parameters, "a", NAN), 2, 0);
  assert_near(meta_real(parameters, "power", NAN), 0, 0);
  meta_destroy(meta);
  encoding_values_destroy(values);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_what_is_no_parameter),
      cmocka_unit_test(numbers),
      cmocka_unit_test(tensors),
      cmocka_unit_test(random_tensors),
      cmocka_unit_test(tells_what_is_unused),
      cmocka_unit_test(describes_numbers),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
