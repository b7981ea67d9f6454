/* How RoPE over several axes sees a picture: lib/analysis/map_axes.c, lib/rope/mixed.h. */
#include "tests/unit/maps.h"

#include "lib/rope/axis_of_pair.h"

static struct rope_spec spec_of(size_t dim, double base, const char *sections) {
  struct rope_spec spec;
  struct error error;
  spec_default(&spec);
  spec.head_dim = spec.rotary_dim = dim;
  spec.base = base;
  if (sections && spec_parse_sections(sections, &spec, &error)) fail_msg("%s", error.message);
  return spec;
}

static struct spectrum *sectioned(size_t dim, double base, const char *sections) {
  const struct rope_spec spec = spec_of(dim, base, sections);
  return spectrum_of(&spec);
}

static struct map_request grid_of(const struct spectrum *spectrum, size_t height, size_t width) {
  return (struct map_request){.kind = kind_of("axes"),
                              .spectrum = spectrum,
                              .grid = {.height = height, .width = width},
                              .cells = 1024,
                              .reduction = -1};
}

/* Each pair turns by the distance along its own axis: written out pair by pair. */
static void sections_equal_plain_loops(void **state) {
  enum { HEIGHT = 9, WIDTH = 12 };
  for (int variant = 0; variant < 2 * 3; variant++) {
    const bool interleaved = variant & 1;
    const int64_t frame = (variant >> 1) * 5 - 5;
    struct spectrum *spectrum =
        sectioned(128, 10000, interleaved ? "24,20,20:interleaved" : "16,24,24");
    struct map_request request = grid_of(spectrum, HEIGHT, WIDTH);
    request.grid.frame = frame;
    struct matrix *matrix = run(*state, &request);
    assert_int_equal(matrix->rows, HEIGHT);
    assert_int_equal(matrix->columns, WIDTH);
    for (int r = 0; r < HEIGHT; r++)
      for (int c = 0; c < WIDTH; c++) {
        const int64_t distance[] = {frame, r - HEIGHT / 2, c - WIDTH / 2};
        double sum = 0;
        for (size_t i = 0; i < 64; i++) {
          const size_t axis = interleaved ? (i < 60 ? i % 3 : 0) : i < 16 ? 0 : i < 40 ? 1 : 2;
          sum += (double)cosl((long double)distance[axis] * spectrum->inv_freq[i]);
        }
        assert_near(cell(matrix, (size_t)r, (size_t)c), sum, 1e-12);
      }
    assert_int_equal(
        strncmp(meta_text(matrix->meta, "pair_axes"), interleaved ? "THWTHW" : "TTTTTT", 6), 0);
    assert_near(meta_real(matrix->meta, "query_row", NAN), 4, 0);
    assert_near(meta_real(matrix->meta, "query_column", NAN), 6, 0);
    if (!frame) assert_near(cell(matrix, 4, 6), 64, 0);
    matrix_destroy(matrix);
    spectrum_destroy(spectrum);
  }
}

/* All pairs on one axis are RoPE along that axis. */
static void one_axis_is_plain_rope(void **state) {
  static const char *const sections[] = {"32,0,0", "0,32,0", "0,0,32", "0,0,0,32"};
  for (size_t axis = 0; axis < 4; axis++) {
    struct spectrum *spectrum = sectioned(64, 500, sections[axis]);
    struct map_request request = grid_of(spectrum, 7, 7);
    request.grid.frame = -4;
    struct matrix *matrix = run(*state, &request);
    double sum[5];
    const struct decay_batch batch = {.phases = {.series = 1, .pairs = 32, .step = spectrum->step},
                                      .count = 5,
                                      .distance = (int64_t[]){0, 1, 2, 3, 4},
                                      .cosine_sum = sum};
    assert_int_equal(backend_decay_bound(*state, &batch, NULL), OK);
    for (size_t r = 0; r < 7; r++)
      for (size_t c = 0; c < 7; c++) {
        const size_t distance[] = {4, r > 3 ? r - 3 : 3 - r, c > 3 ? c - 3 : 3 - c, 0};
        assert_near(cell(matrix, r, c), sum[distance[axis]], 1e-12);
      }
    matrix_destroy(matrix);
    spectrum_destroy(spectrum);
  }
}

/* θ_i = base^(−4i/dim), i < dim/4, once for the columns and once for the rows (naver-ai/rope-vit,
   models/vit_rope.py). The map is a sum of what each axis has, and the same with them exchanged. */
static void axial_restarts_on_each_axis(void **state) {
  enum { SIDE = 11, DIM = 64 };
  struct spectrum *spectrum = sectioned(DIM, 100, "axial");
  const struct map_request request = grid_of(spectrum, SIDE, SIDE);
  struct matrix *matrix = run(*state, &request);
  for (int r = 0; r < SIDE; r++)
    for (int c = 0; c < SIDE; c++) {
      const int down = r - SIDE / 2, across = c - SIDE / 2;
      long double sum = 0;
      for (int i = 0; i < DIM / 4; i++) {
        const long double theta = powl(100, -4.0L * i / DIM);
        sum += cosl(down * theta) + cosl(across * theta);
      }
      const size_t row = (size_t)r, column = (size_t)c;
      assert_near(cell(matrix, row, column), (double)sum, 1e-13);
      assert_near(cell(matrix, row, column), cell(matrix, column, row), 0);
      assert_near(cell(matrix, row, column), cell(matrix, SIDE - 1 - row, column), 0);
      assert_near(cell(matrix, row, column) - cell(matrix, row, 0),
                  cell(matrix, 0, column) - cell(matrix, 0, 0), 1e-13);
    }
  assert_near(cell(matrix, SIDE / 2, SIDE / 2), 32, 0);
  assert_string_equal(meta_text(matrix->meta, "pair_axes"), "WWWWWWWWWWWWWWWWHHHHHHHHHHHHHHHH");
  assert_string_equal(meta_text(matrix->meta, "sections"), "axial");
  matrix_destroy(matrix);
  spectrum_destroy(spectrum);
}

/* Both halves are the spectrum of half the dimensions, and a factor divides them alike. */
static void axial_spectrum(void **state) {
  (void)state;
  struct spectrum *half = plain_spectrum(32, 100);
  struct rope_spec spec = spec_of(64, 100, "axial");
  for (int factor = 1; factor <= 4; factor += 3) {
    struct spectrum *spectrum = spectrum_of(&spec);
    for (size_t i = 0; i < 32; i++)
      assert_near(spectrum->inv_freq_double[i], half->inv_freq_double[i % 16] / factor, 0);
    spectrum_destroy(spectrum);
    struct error error;
    assert_int_equal(spec_parse_scaling("linear:factor=4", &spec.scaling, &error), OK);
  }
  spectrum_destroy(half);
}

static void refuse_spec(const struct rope_spec *spec, const char *part) {
  struct spectrum *spectrum = NULL;
  struct error error;
  assert_int_equal(spectrum_create(spec, &spectrum, &error), ERROR_INPUT);
  assert_null(spectrum);
  assert_message(error, part);
}

static void axial_needs_even_shares_and_one_factor(void **state) {
  (void)state;
  struct error error;
  struct rope_spec spec = spec_of(66, 100, "axial");
  refuse_spec(&spec, "the rotary dimension 66 is no multiple of 4");
  spec = spec_of(64, 100, "axial");
  assert_int_equal(spec_parse_scaling("ntk:factor=4", &spec.scaling, &error), OK);
  refuse_spec(&spec, "the scaling type 'ntk' is of one axis");
}

/* Frequencies of either sign, in a picture that is no square. */
static void mixed_equals_plain_loops(void **state) {
  enum { HEIGHT = 6, WIDTH = 9, PAIRS = 5 };
  double frequency[2 * PAIRS] = {0.5, -1.25, 0, 3, -0.001, 2, 0.75, -0.3, 0, -2.9};
  struct mixed mixed = {.pairs = PAIRS, .frequency = frequency, .layers = 12, .layer = 3};
  strcpy(mixed.name, "freqs.npy");
  struct map_request request = grid_of(NULL, HEIGHT, WIDTH);
  request.mixed = &mixed;
  struct matrix *matrix = run(*state, &request);
  for (int r = 0; r < HEIGHT; r++)
    for (int c = 0; c < WIDTH; c++) {
      const int down = r - HEIGHT / 2, across = c - WIDTH / 2;
      long double sum = 0;
      for (int i = 0; i < PAIRS; i++)
        sum += cosl(across * (long double)frequency[i] + down * (long double)frequency[PAIRS + i]);
      assert_near(cell(matrix, (size_t)r, (size_t)c), (double)sum, 1e-13);
    }
  assert_near(cell(matrix, HEIGHT / 2, WIDTH / 2), PAIRS, 0);
  const struct meta *meta = meta_child(matrix->meta, "mixed");
  assert_string_equal(meta_text(meta, "frequencies"), "freqs.npy");
  assert_near(meta_real(meta, "layer", NAN), 3, 0);
  assert_true(isnan(meta_real(meta, "heads", NAN)));
  assert_null(meta_text(matrix->meta, "layout")); /* nothing of a spectrum */
  assert_string_equal(matrix->value_label, "sum of cosines");
  matrix_destroy(matrix);
}

/* An axial spectrum turned by no angle is itself, by a right angle its mirror image; by any it is
   the same from the other side. */
static void mixed_starts_as_a_turned_axial_map(void **state) {
  enum { SIDE = 9 };
  struct spectrum *spectrum = sectioned(32, 10, "axial");
  const struct map_request axial = grid_of(spectrum, SIDE, SIDE);
  struct matrix *plain = run(*state, &axial);
  static const double angle[] = {0, M_PI / 2, 0.6};
  for (size_t a = 0; a < 3; a++) {
    struct mixed mixed;
    assert_int_equal(mixed_turn(spectrum, angle[a], &mixed, NULL), OK);
    for (size_t i = 0; i < mixed.pairs; i++)
      assert_near(hypot(mixed.frequency[i], mixed.frequency[mixed.pairs + i]),
                  pow(10, -4.0 * (double)(i % 8) / 32), 1e-15);
    struct map_request request = axial;
    request.mixed = &mixed;
    struct matrix *matrix = run(*state, &request);
    for (size_t r = 0; r < SIDE; r++)
      for (size_t c = 0; c < SIDE; c++) {
        if (a < 2) assert_near(cell(matrix, r, c), cell(plain, r, c), 1e-13);
        assert_near(cell(matrix, r, c), cell(matrix, SIDE - 1 - r, SIDE - 1 - c), 1e-13);
        assert_near(cell(matrix, r, c), cell(matrix, c, SIDE - 1 - r), 1e-13);
      }
    assert_true(fabs(cell(plain, 0, 4) - cell(matrix, 0, 4)) > (a < 2 ? -1 : 1));
    assert_string_equal(matrix->value_label, "sum of cosines (untrained)");
    matrix_destroy(matrix);
    mixed_release(&mixed);
  }
  matrix_destroy(plain);
  spectrum_destroy(spectrum);
}

/* Each head of each seed has its angle, and they are all over the circle. */
static void heads_draw_angles(void **state) {
  struct spectrum *spectrum = sectioned(8, 10, "axial");
  size_t quarter[4] = {0};
  double first = NAN;
  for (size_t head = 0; head < 400; head++) {
    struct mixed mixed;
    assert_int_equal(mixed_draw(*state, "random:7", head, spectrum, &mixed, NULL), OK);
    assert_true(mixed.angle >= 0 && mixed.angle < 2 * M_PI);
    assert_near(mixed.frequency[0], cos(mixed.angle), 1e-15);
    assert_near(mixed.frequency[4], sin(mixed.angle), 1e-15);
    quarter[(size_t)(mixed.angle / (M_PI / 2))]++;
    if (!head) first = mixed.angle;
    mixed_release(&mixed);
  }
  for (size_t q = 0; q < 4; q++) /* 100 each, and 8.7 is the standard deviation */
    assert_true(quarter[q] > 65 && quarter[q] < 135);
  struct mixed mixed;
  assert_int_equal(mixed_draw(*state, "random:8", 0, spectrum, &mixed, NULL), OK);
  assert_true(mixed.angle != first);
  assert_string_equal(mixed.name, "random:8");
  mixed_release(&mixed);
  struct error error;
  assert_int_equal(mixed_draw(*state, "random:x", 0, spectrum, &mixed, &error), ERROR_INPUT);
  assert_message(error, "the SEED of 'random:SEED'");
  mixed_release(&mixed);
  spectrum_destroy(spectrum);
}

static void refuse(struct backend *backend, const struct map_request *request, int code,
                   const char *part) {
  struct matrix *matrix = NULL;
  struct error error;
  assert_int_equal(map_run(backend, request, &matrix, &error), code);
  assert_null(matrix);
  assert_message(error, part);
}

static void axes_are_of_models_that_have_them(void **state) {
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  struct map_request request = grid_of(spectrum, 0, 0);
  refuse(*state, &request, ERROR_INPUT, "takes positions from 1 axis alone: a model");
  spectrum_destroy(spectrum);
  request.spectrum = spectrum = sectioned(128, 10000, "16,24,24");
  refuse(*state, &request, ERROR_INPUT, "a grid is '0 x 0'");
  request.grid = (struct map_grid){.height = (size_t)1 << 31, .width = (size_t)1 << 31};
  refuse(*state, &request, ERROR_FAILED, "not enough memory");
  spectrum_destroy(spectrum);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sections_equal_plain_loops),
      cmocka_unit_test(one_axis_is_plain_rope),
      cmocka_unit_test(axial_restarts_on_each_axis),
      cmocka_unit_test(axial_spectrum),
      cmocka_unit_test(axial_needs_even_shares_and_one_factor),
      cmocka_unit_test(mixed_equals_plain_loops),
      cmocka_unit_test(mixed_starts_as_a_turned_axial_map),
      cmocka_unit_test(heads_draw_angles),
      cmocka_unit_test(axes_are_of_models_that_have_them),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
