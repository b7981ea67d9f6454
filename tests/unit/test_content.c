/* lib/analysis/content.h */
#include "tests/unit/spectra.h"

#include "lib/analysis/content.h"
#include "lib/base/thread.h"

static void parses_and_describes(void **state) {
  (void)state;
  static const struct {
    const char *text, *described;
    enum content_kind kind;
    double rho;
  } cases[] = {
      {"ones", "ones", CONTENT_ONES, 0},
      {"zero", "zero", CONTENT_ZERO, 0},
      {"gaussian", "gaussian", CONTENT_GAUSSIAN, 0},
      {"aligned", "aligned:1", CONTENT_ALIGNED, 1},
      {"aligned:0.5", "aligned:0.5", CONTENT_ALIGNED, 0.5},
      {"aligned:-1", "aligned:-1", CONTENT_ALIGNED, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct content content;
    char text[64];
    assert_int_equal(content_parse(cases[i].text, &content, NULL), OK);
    assert_int_equal(content.kind, cases[i].kind);
    assert_near(content.rho, cases[i].rho, 0);
    content_describe(&content, text, sizeof text);
    assert_string_equal(text, cases[i].described);
    assert_int_equal(content_is_constant(&content), cases[i].kind <= CONTENT_ZERO);
  }
}

static void refuses(void **state) {
  (void)state;
  static const char *const wrong[] = {"",          "one",         "ones:1",        "Gaussian",
                                      "aligned:",  "aligned:1.1", "aligned:-1.01", "aligned:nan",
                                      "aligned:x", "gaussian:0",  "zero:"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct content content;
    struct error error;
    assert_int_equal(content_parse(wrong[i], &content, &error), ERROR_INPUT);
    assert_message(error, "content");
  }
}

enum { ROWS = 1000, DIM = 16, COUNT = ROWS * DIM };

static int fill(struct backend *backend, struct content content, uint64_t seed, size_t rows,
                double *query, double *key) {
  const struct content_batch batch = {
      .content = content, .seed = seed, .rows = rows, .dim = DIM, .query = query, .key = key};
  return content_fill(backend, &batch, NULL);
}

static void fills_constants(void **state) {
  double query[2 * DIM], key[2 * DIM];
  for (int kind = CONTENT_ONES; kind <= CONTENT_ZERO; kind++) {
    const struct content content = {.kind = (enum content_kind)kind};
    assert_int_equal(fill(*state, content, 1, 2, query, key), OK);
    for (int i = 0; i < 2 * DIM; i++) {
      assert_near(query[i], kind == CONTENT_ONES, 0);
      assert_near(key[i], content_value(&content), 0);
    }
  }
}

/* Sums over n independent N(0,1): the standard error of a mean is 1/√n, of a mean of squares
   √(2/n), of a mean product 1/√n. Five of them are allowed; the seed is fixed. */
static void gaussian_has_its_moments(void **state) {
  static double query[COUNT], key[COUNT];
  const struct content content = {.kind = CONTENT_GAUSSIAN};
  assert_int_equal(fill(*state, content, 7, ROWS, query, key), OK);
  double mean = 0, square = 0, product = 0, lag = 0;
  for (int i = 0; i < COUNT; i++) {
    mean += key[i] / COUNT;
    square += query[i] * query[i] / COUNT;
    product += query[i] * key[i] / COUNT;
    lag += query[i] * query[(i + DIM) % COUNT] / COUNT;
  }
  const double error = 5 / sqrt(COUNT);
  assert_near(mean, 0, error);
  assert_near(square, 1, error * sqrt(2));
  assert_near(product, 0, error);
  assert_near(lag, 0, error);
}

static void aligned_has_its_correlation(void **state) {
  static double query[COUNT], key[COUNT];
  static const double rhos[] = {1, 0.5, 0, -0.75, -1};
  for (size_t r = 0; r < sizeof rhos / sizeof *rhos; r++) {
    const struct content content = {.kind = CONTENT_ALIGNED, .rho = rhos[r]};
    assert_int_equal(fill(*state, content, 3, ROWS, query, key), OK);
    double product = 0, square = 0;
    for (int i = 0; i < COUNT; i++) {
      product += query[i] * key[i] / COUNT;
      square += key[i] * key[i] / COUNT;
      if (fabs(rhos[r]) == 1) assert_near(key[i], rhos[r] * query[i], 0);
    }
    assert_near(product, rhos[r], 5 * sqrt(2.0 / COUNT));
    assert_near(square, 1, 5 * sqrt(2.0 / COUNT));
  }
}

/* What is drawn first does not depend on how much is drawn, nor on who draws it; seeds differ. */
static void same_numbers_always(void **state) {
  static double query[COUNT], key[COUNT], again[COUNT], again_key[COUNT];
  const struct content content = {.kind = CONTENT_ALIGNED, .rho = 0.25};
  thread_use(1);
  assert_int_equal(fill(*state, content, 9, ROWS, query, key), OK);
  thread_use(2);
  assert_int_equal(fill(*state, content, 9, ROWS, again, again_key), OK);
  assert_memory_equal(query, again, sizeof query);
  assert_memory_equal(key, again_key, sizeof key);
  assert_int_equal(fill(*state, content, 9, 3, again, again_key), OK);
  assert_memory_equal(query, again, 3 * DIM * sizeof *query);
  assert_memory_equal(key, again_key, 3 * DIM * sizeof *key);
  const struct content_batch rest = {.content = content,
                                     .seed = 9,
                                     .first_row = 3,
                                     .rows = ROWS - 3,
                                     .dim = DIM,
                                     .query = again,
                                     .key = again_key};
  assert_int_equal(content_fill(*state, &rest, NULL), OK);
  assert_memory_equal(query + 3 * DIM, again, (ROWS - 3) * DIM * sizeof *query);
  assert_memory_equal(key + 3 * DIM, again_key, (ROWS - 3) * DIM * sizeof *key);
  assert_int_equal(fill(*state, content, 10, ROWS, again, again_key), OK);
  assert_memory_not_equal(query, again, sizeof query);
}

static int open_backend(void **state) {
  *state = open_cpu();
  return 0;
}

static int close_backend(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parses_and_describes),
      cmocka_unit_test(refuses),
      cmocka_unit_test(fills_constants),
      cmocka_unit_test(gaussian_has_its_moments),
      cmocka_unit_test(aligned_has_its_correlation),
      cmocka_unit_test(same_numbers_always),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
