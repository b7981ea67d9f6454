/* lib/analysis/map.h: what training did not show, against a search through all its angles. */
#include "tests/unit/maps.h"

#define TWO_PI 6.283185307179586476925L

/* Whether the angle of position m is at least as far beyond every angle of training as those are
   apart; angles that are equal but for rounding are equal. */
static bool is_unseen(const struct spectrum *plain, const struct spectrum *scaled, size_t pair,
                      size_t m, size_t trained) {
  const long double theta = plain->inv_freq[pair];
  long double angle = fmodl((long double)m * scaled->inv_freq[pair], TWO_PI);
  if (angle > TWO_PI - 1e-12L) angle = 0;
  long double nearest = INFINITY; /* angle of training below it */
  for (size_t n = 0; n < trained; n++) {
    const long double seen = fmodl((long double)n * theta, TWO_PI);
    if (angle >= seen - 1e-12L) nearest = fminl(nearest, angle - seen);
  }
  if ((long double)trained * theta >= TWO_PI) return false;
  return nearest >= theta - 1e-12L;
}

static const struct {
  size_t dim, length, trained;
  double base;
  const char *scaling;
} cases[] = {{16, 300, 40, 100, "none"},
             {32, 400, 50, 10000, "none"},
             {32, 160, 40, 10000, "linear:factor=4"},
             {32, 200, 40, 10000, "linear:factor=4"},
             {32, 160, 40, 10000, "yarn:factor=4,original_max_position_embeddings=40"},
             {32, 160, 40, 10000, "ntk:factor=4"},
             {8, 90, 3, 50, "none"},
             {32, 300, 200, 10000, "p-rope:p=0.75"},
             /* Rules that make ties: angles at a whole turn, or at the end of those of training. */
             {32, 400, 100, 500, "resonance"},
             {32, 1025, 256, 10000, "linear:factor=4"},
             {32, 301, 100, 10000, "linear:factor=3"},
             {32, 201, 40, 10000, "ntk:factor=5"},
             {32, 301, 100, 10000, "yarn:factor=3,original_max_position_embeddings=100"},
             {32, 301, 100, 10000,
              "llama3:factor=3,low_freq_factor=1,high_freq_factor=4,"
              "original_max_position_embeddings=100"},
             {32, 301, 100, 10000, "dynamic:alpha=3"}};
enum { CASES = sizeof cases / sizeof *cases };

static void cells_are_those_of_a_search(void **state) {
  for (size_t c = 0; c < CASES; c++) {
    struct spectrum *plain = plain_spectrum(cases[c].dim, cases[c].base);
    struct spectrum *scaled = scaled_spectrum(cases[c].dim, cases[c].base, cases[c].scaling);
    struct map_request request = request_of("angles", "rope", scaled, cases[c].length);
    request.trained = cases[c].trained;
    request.cells = cases[c].length;
    struct matrix *matrix = run(*state, &request);
    size_t unseen = 0, pairs = 0, first = SIZE_MAX;
    for (size_t i = 0; i < plain->pairs; i++) {
      bool any = false;
      for (size_t m = 0; m < cases[c].length; m++) {
        const bool found = matrix->hatch.cell[m * plain->pairs + i];
        if (found != is_unseen(plain, scaled, i, m, cases[c].trained))
          fail_msg("case %zu, pair %zu at %zu: %d", c, i, m, found);
        unseen += found;
        any |= found;
      }
      pairs += any;
      if (any && first == SIZE_MAX) first = i;
    }
    const struct meta *meta = matrix->meta;
    assert_near(meta_real(meta, "trained", NAN), (double)cases[c].trained, 0);
    assert_near(meta_real(meta, "unseen_pairs", NAN), (double)pairs, 0);
    assert_near(meta_real(meta, "first_unseen_pair", -1), pairs ? (double)first : -1, 0);
    assert_near(meta_real(meta, "unseen_share", NAN),
                (double)unseen / (double)(cases[c].length * plain->pairs), 1e-15);
    assert_int_equal(matrix->hatch.row, cases[c].trained);
    assert_string_equal(matrix->hatch.column, "unseen");
    matrix_destroy(matrix);
    spectrum_destroy(scaled);
    spectrum_destroy(plain);
  }
}

/* Llama 2: 46 of 64 pairs complete a turn within 4096 tokens, dimension 92 (Liu et al. 2023). The
   others are all beyond at 4096; interpolated by 4 they are nowhere before 16384, and all there. */
static void the_wall_of_llama_2(void **state) {
  struct spectrum *plain = plain_spectrum(128, 10000);
  struct map_request request = request_of("cosines", "rope", plain, 16384);
  request.trained = 4096;
  request.cells = 16384;
  struct matrix *matrix = run(*state, &request);
  assert_near(meta_real(matrix->meta, "critical_dim", NAN), 92, 0);
  assert_near(meta_real(matrix->meta, "unseen_pairs", NAN), 18, 0);
  assert_near(meta_real(matrix->meta, "first_unseen_pair", NAN), 46, 0);
  for (size_t i = 0; i < 64; i++)
    assert_true(!matrix->hatch.cell[4095 * 64 + i] &&
                matrix->hatch.cell[4096 * 64 + i] == (i > 45));
  matrix_destroy(matrix);
  struct spectrum *scaled = scaled_spectrum(128, 10000, "linear:factor=4");
  request.spectrum = scaled;
  matrix = run(*state, &request);
  assert_near(meta_real(matrix->meta, "unseen_share", NAN), 0, 0);
  assert_true(isnan(meta_real(matrix->meta, "first_unseen_pair", NAN)));
  matrix_destroy(matrix);
  request.length = request.cells = 16385;
  matrix = run(*state, &request);
  assert_near(meta_real(matrix->meta, "unseen_pairs", NAN), 18, 0);
  for (size_t i = 0; i < 64; i++)
    assert_true(matrix->hatch.cell[16384 * 64 + i] == (i > 45));
  matrix_destroy(matrix);
  spectrum_destroy(scaled);
  spectrum_destroy(plain);
}

/* Of the base 500, wavelengths of 140, 207 and 306 tokens complete no turn within 100. They are
   back at the angle 0 after one turn and after two; a position before and behind is not all of it.
 */
static void whole_turns_are_seen(void **state) {
  static const size_t whole[][2] = {{140, 8}, {280, 8}, {207, 9}, {306, 10}};
  struct spectrum *scaled = scaled_spectrum(32, 500, "resonance");
  struct map_request request = request_of("angles", "rope", scaled, 400);
  request.trained = 100;
  struct matrix *matrix = run(*state, &request);
  for (size_t k = 0; k < 4; k++) {
    const bool *cell = &matrix->hatch.cell[whole[k][0] * 16 + whole[k][1]];
    assert_true(!cell[0] && cell[-16] && !cell[16]);
  }
  matrix_destroy(matrix);
  spectrum_destroy(scaled);
}

/* A cell is hatched where more than half of its angles are unseen; the counts stay. */
static void cells_of_several_go_by_the_half(void **state) {
  enum { LENGTH = 400, TRAINED = 52 };
  static const size_t cells[] = {7, 10, 100};
  struct spectrum *plain = plain_spectrum(32, 10000);
  struct map_request request = request_of("angles", "rope", plain, LENGTH);
  request.trained = TRAINED;
  struct matrix *whole = run(*state, &request);
  for (size_t k = 0; k < 3; k++) {
    request.cells = cells[k];
    struct matrix *matrix = run(*state, &request);
    for (size_t r = 0; r < matrix->rows; r++)
      for (size_t c = 0; c < matrix->columns; c++) {
        size_t unseen = 0, all = 0;
        for (size_t m = matrix_first(r, LENGTH, matrix->rows);
             m < matrix_first(r + 1, LENGTH, matrix->rows); m++)
          for (size_t i = matrix_first(c, 16, matrix->columns);
               i < matrix_first(c + 1, 16, matrix->columns); i++) {
            unseen += whole->hatch.cell[m * 16 + i];
            all++;
          }
        assert_int_equal(matrix->hatch.cell[r * matrix->columns + c], 2 * unseen > all);
      }
    assert_near(meta_real(matrix->meta, "unseen_share", NAN),
                meta_real(whole->meta, "unseen_share", NAN), 0);
    matrix_destroy(matrix);
  }
  matrix_destroy(whole);
  spectrum_destroy(plain);
}

static void refused(struct backend *backend, const struct map_request *request,
                    const char *message) {
  struct matrix *matrix;
  struct error error;
  assert_int_equal(map_run(backend, request, &matrix, &error), ERROR_INPUT);
  assert_message(error, message);
  assert_null(matrix);
}

static void senseless_requests(void **state) {
  struct spectrum *plain = plain_spectrum(32, 10000);
  struct map_request request = request_of("scores", "rope", plain, 64);
  request.trained = 32;
  refused(*state, &request, "angles and cosines, not of 'scores'");
  request.kind = kind_of("angles");
  request.trained = 64;
  refused(*state, &request, "'64', and the map ends at 64 positions");
  request.trained = 0;
  struct matrix *matrix = run(*state, &request);
  assert_null(matrix->hatch.cell);
  assert_true(isnan(meta_real(matrix->meta, "trained", NAN)));
  matrix_destroy(matrix);
  spectrum_destroy(plain);
}

static int open_maps(void **state) {
  *state = open_cpu();
  return 0;
}

static int close_maps(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_are_those_of_a_search),
      cmocka_unit_test(the_wall_of_llama_2),
      cmocka_unit_test(whole_turns_are_seen),
      cmocka_unit_test(cells_of_several_go_by_the_half),
      cmocka_unit_test(senseless_requests),
  };
  return cmocka_run_group_tests(tests, open_maps, close_maps);
}
