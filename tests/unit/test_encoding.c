/* lib/encoding/encoding.h */
#include "tests/unit/spectra.h"

#include "lib/base/memory.h"
#include "lib/encoding/encoding.h"

static void finds_by_name(void **state) {
  (void)state;
  const struct encoding *encoding;
  struct error error;
  size_t count = 0;
  for (; encoding_at(count); count++) {
    assert_int_equal(encoding_find(encoding_at(count)->name, &encoding, NULL), OK);
    assert_ptr_equal(encoding, encoding_at(count));
    assert_non_null(encoding->title);
    assert_non_null(encoding->formula);
    assert_non_null(encoding->source);
  }
  assert_true(count >= 2);
  assert_int_equal(encoding_find("Rope", &encoding, &error), ERROR_INPUT);
  assert_message(error, "'Rope'");
  assert_message(error, "rope, sinusoidal");
}

static const struct encoding *find(const char *name) {
  const struct encoding *encoding = NULL;
  assert_int_equal(encoding_find(name, &encoding, NULL), OK);
  return encoding;
}

/* sin and cos of k·10000^(−2i/6), interleaved: 40-digit arithmetic. */
static void sinusoidal_table(void **state) {
  static const struct {
    int64_t position;
    double row[6];
  } cases[] = {
      {0, {0, 1, 0, 1, 0, 1}},
      {1,
       {0.84147098480789650665, 0.5403023058681397174, 0.04639922346473127169,
        0.99892297604063043744, 0.0021544330233656038541, 0.99999767920648087459}},
      {100003,
       {-0.17642084695517752169, 0.98431483010245143323, -0.999689124063196382,
        0.024933014854990009191, 0.9687053685226806993, -0.24821343435708184368}},
  };
  struct spectrum *spectrum = plain_spectrum(6, 10000);
  const struct encoding *encoding = find("sinusoidal");
  assert_int_equal(encoding->dim(spectrum), 6);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double table[3 * 6];
    assert_int_equal(encoding->table(*state, spectrum, cases[c].position - 1, 3, table, NULL), OK);
    for (int i = 0; i < 6; i++)
      assert_near(table[6 + i], cases[c].row[i], 1e-13);
  }
  spectrum_destroy(spectrum);
}

/* ⟨p_m, p_n⟩ = Σ cos((m−n)θ_i), and the squared norm is dim / 2. */
static void sinusoidal_products(void **state) {
  enum { DIM = 64, LENGTH = 50 };
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  const struct encoding *encoding = find("sinusoidal");
  static double table[LENGTH * DIM], profile[LENGTH];
  assert_true(encoding->stationary(0));
  assert_false(encoding->stationary(1));
  assert_int_equal(encoding->table(*state, spectrum, 0, LENGTH, table, NULL), OK);
  assert_int_equal(encoding->profile(*state, spectrum, 0, LENGTH, profile, NULL), OK);
  assert_near(profile[0], 0.5 * DIM, 1e-12);
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      double product = 0;
      for (int i = 0; i < DIM; i++)
        product += table[m * DIM + i] * table[n * DIM + i];
      assert_near(product, profile[abs(m - n)], 1e-12);
      assert_near(product, cosine_sum_of(spectrum, m - n), 1e-12);
    }
  spectrum_destroy(spectrum);
}

/* Constant vectors, really rotated; part of the head is not. */
static void rope_profile(void **state) {
  enum { DIM = 24, ROTARY = 16, LENGTH = 40 };
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = DIM;
  spec.rotary_dim = ROTARY;
  spec.layout = LAYOUT_HALVES;
  struct spectrum *spectrum = spectrum_of(&spec);
  spectrum->attention_factor = 1.25;
  const struct encoding *encoding = find("rope");
  assert_int_equal(encoding->dim(spectrum), DIM);
  assert_true(encoding->rotates);
  assert_null(encoding->table);
  static double vectors[LENGTH * DIM], profile[LENGTH];
  int64_t position[LENGTH];
  const double value = 0.5;
  for (int m = 0; m < LENGTH; m++)
    position[m] = m;
  for (int i = 0; i < LENGTH * DIM; i++)
    vectors[i] = value;
  const struct rotate_batch batch = {.phases = {.series = 1,
                                                .pairs = spectrum->pairs,
                                                .step = spectrum->step,
                                                .inv_freq = spectrum->inv_freq_double},
                                     .layout = LAYOUT_HALVES,
                                     .amplitude = spectrum->attention_factor,
                                     .batch = 1,
                                     .length = LENGTH,
                                     .heads = 1,
                                     .dim = DIM,
                                     .position = position,
                                     .input = vectors,
                                     .output = vectors};
  assert_int_equal(backend_rotate(*state, &batch, NULL), OK);
  assert_true(encoding->stationary(value));
  assert_int_equal(encoding->profile(*state, spectrum, value, LENGTH, profile, NULL), OK);
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      double product = 0;
      for (int i = 0; i < DIM; i++)
        product += vectors[m * DIM + i] * vectors[n * DIM + i];
      assert_near(product, profile[abs(m - n)], 1e-12);
    }
  spectrum_destroy(spectrum);
}

static void refuses_what_does_not_fit(void **state) {
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  struct error error;
  double none[1];
  const struct encoding *sinusoidal = find("sinusoidal");
  assert_int_equal(sinusoidal->table(*state, spectrum, 0, (size_t)1000000000000, none, &error),
                   ERROR_FAILED);
  assert_message(error, "GiB");
  spectrum_destroy(spectrum);
}

static int open_backend(void **state) {
  *state = cpu_backend();
  memory_set_limit((uint64_t)1 << 30);
  return 0;
}

static int close_backend(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_by_name),
      cmocka_unit_test(sinusoidal_table),
      cmocka_unit_test(sinusoidal_products),
      cmocka_unit_test(rope_profile),
      cmocka_unit_test(refuses_what_does_not_fit),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
