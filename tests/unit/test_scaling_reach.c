/* How far the cosine sum stays positive under each rule: whole spectra in one number. */
#include "tests/unit/scalings.h"

/* The first distance at which Σ_i cos(m·θ_i) < 0, by a search of every m in double precision that
   shares no code with this one. */
static void first_negative_distances_are_known(void **state) {
  (void)state;
#define LLAMA3(factor)                                                                             \
  "llama3:factor=" factor ",low_freq_factor=1,high_freq_factor=4,"                                 \
  "original_max_position_embeddings=8192"
  static const struct {
    size_t dim;
    double base;
    const char *scaling;
    int64_t distance;
  } rows[] = {{128, 1e4, "none", 1707},
              {128, 5e5, "none", 18438},
              {128, 5e5, LLAMA3("8"), 85133},
              {128, 5e5, LLAMA3("32"), 241522},
              {64, 5e5, LLAMA3("32"), 110699},
              {128, 1e4, "yarn:factor=16,original_max_position_embeddings=4096", 11671},
              {128, 1e4, "yarn:factor=32,original_max_position_embeddings=4096", 25500},
              {128, 1e6, "yarn:factor=4,original_max_position_embeddings=32768", 66234},
              {128, 1e4, "linear:factor=8", 13649},
              {128, 1e4, "ntk:factor=2", 2572},
              {128, 1e4, "ntk:factor=8", 5732}};
#undef LLAMA3
  struct backend *backend = open_cpu();
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    struct spectrum *spectrum = scaled_spectrum(rows[r].dim, rows[r].base, rows[r].scaling);
    int64_t first;
    struct error error;
    const struct cosine_sum_batch batch = {.phases = {.series = 1,
                                                      .pairs = spectrum->pairs,
                                                      .step = spectrum->step,
                                                      .precision = PRECISION_FP64},
                                           .step = 1,
                                           .count = 300000,
                                           .stop_at_negative = true,
                                           .first_negative = &first};
    assert_int_equal(backend_cosine_sum(backend, &batch, &error), OK);
    if (first != rows[r].distance)
      fail_msg("%s: %lld, not %lld", rows[r].scaling, (long long)first,
               (long long)rows[r].distance);
    spectrum_destroy(spectrum);
  }
  backend_close(backend);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_negative_distances_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
