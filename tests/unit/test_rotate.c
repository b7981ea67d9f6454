/* Rotation and maps of phases, against 50-digit values and the oracle. */
#include "tests/oracle/cpu_backend.h"
#include "tests/oracle/oracle.h"

static struct error error;

static size_t numbers_from(const char *text, double *value, size_t most) {
  size_t count = 0;
  for (char *end; count < most; text = end + 1) {
    value[count] = strtod(text, &end);
    if (end == text) break;
    count++;
    if (*end != ',') break;
  }
  return count;
}

static void golden_values(void **state) {
  (void)state;
  FILE *file = fopen("tests/golden/rotate.tsv", "r");
  assert_non_null(file);
  char line[4096], layout_text[32], input_text[2048], output_text[2048];
  size_t rows = 0;
  while (fgets(line, sizeof line, file)) {
    size_t dim;
    double base, input[64], expected[64], output[64], back[64];
    long long position;
    if (sscanf(line, "%zu %lf %lld %31s %2047s %2047s", &dim, &base, &position, layout_text,
               input_text, output_text) != 6)
      continue;
    assert_int_equal(numbers_from(input_text, input, 64), dim);
    assert_int_equal(numbers_from(output_text, expected, 64), dim);
    struct phases phases = phases_of(dim / 2, base, PRECISION_FP64);
    struct rotate_batch batch = {.phases = phases,
                                 .amplitude = 1,
                                 .batch = 1,
                                 .length = 1,
                                 .heads = 1,
                                 .dim = dim,
                                 .position = &(int64_t){position},
                                 .input = input,
                                 .output = output};
    assert_done(layout_parse(layout_text, &batch.layout, &error));
    assert_done(backend_rotate(backend, &batch, &error));
    /* A step is exact to 2^-65 turns: what that makes at the position, and a few roundings. */
    const double tolerance = 1e-15 + 4e-19 * fabs((double)position);
    assert_all_close(output, expected, dim, 4 * tolerance, line);
    batch.inverse = true;
    batch.input = output;
    batch.output = back;
    assert_done(backend_rotate(backend, &batch, &error));
    assert_all_close(back, input, dim, 4e-15, line);
    phases_free(&phases);
    rows++;
  }
  fclose(file);
  assert_int_equal(rows, 6);
}

struct shape {
  size_t rows, dim, pairs;
};

static const struct shape shapes[] = {{1, 2, 1},   {3, 5, 2},     {7, 16, 8},    {63, 33, 16},
                                      {64, 64, 7}, {65, 128, 64}, {130, 80, 16}, {200, 256, 128}};

/* Positions that repeat in runs, also where blocks of rows meet, go down, and are large. */
static int64_t position_at(size_t row) {
  return row / 7 % 2 ? 1000000 - (int64_t)(row / 7) : (int64_t)row - 40;
}

static struct rotate_batch batch_of(const struct phases *phases, const struct shape *shape,
                                    const int64_t *position) {
  return (struct rotate_batch){.phases = *phases,
                               .amplitude = 1.25,
                               .batch = 1,
                               .length = shape->rows,
                               .heads = 1,
                               .dim = shape->dim,
                               .position = position,
                               .layout = LAYOUT_INTERLEAVED};
}

static void expect_rotation(const struct rotate_batch *batch, const double *input,
                            double *expected) {
  long double vector[512] = {0};
  for (size_t row = 0; row < batch->length; row++) {
    for (size_t i = 0; i < batch->dim; i++)
      vector[i] = input[row * batch->dim + i];
    oracle_rotate(batch->phases.step, batch->phases.pairs, batch->layout, batch->amplitude,
                  batch->inverse ? -batch->position[row] : batch->position[row], vector);
    for (size_t i = 0; i < batch->dim; i++)
      expected[row * batch->dim + i] = (double)vector[i];
  }
}

static void twin_of_the_oracle(void **state) {
  (void)state;
  thread_use(2);
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int variant = 0; variant < 4; variant++) {
      const size_t count = shapes[s].rows * shapes[s].dim;
      struct phases phases = phases_of(shapes[s].pairs, 10000, PRECISION_FP64);
      int64_t position[200];
      for (size_t row = 0; row < shapes[s].rows; row++)
        position[row] = position_at(row);
      struct rotate_batch batch = batch_of(&phases, &shapes[s], position);
      batch.layout = variant % 2 ? LAYOUT_HALVES : LAYOUT_INTERLEAVED;
      batch.inverse = variant >= 2;
      double *input = random_array(count, 5 + s), *expected = random_array(count, 1);
      double *output = guarded_array(count), *in_place = guarded_array(count);
      expect_rotation(&batch, input, expected);
      batch.input = input;
      batch.output = output;
      assert_done(backend_rotate(backend, &batch, &error));
      assert_all_close(output, expected, count, 2e-15, "rotated");
      memcpy(in_place, input, count * sizeof *input);
      batch.input = batch.output = in_place;
      assert_done(backend_rotate(backend, &batch, &error));
      assert_memory_equal(in_place, output, count * sizeof *output);
      for (size_t row = 0; row < batch.length; row++) /* what is not rotated is copied */
        assert_memory_equal(output + row * batch.dim + 2 * shapes[s].pairs,
                            input + row * batch.dim + 2 * shapes[s].pairs,
                            (batch.dim - 2 * shapes[s].pairs) * sizeof *output);
      guarded_finish(output, count);
      guarded_finish(in_place, count);
      free(input);
      free(expected);
      phases_free(&phases);
    }
}

static void not_a_number_stays_where_it_is(void **state) {
  (void)state;
  enum { DIM = 12, ROWS = 3 };
  struct phases phases = phases_of(4, 10000, PRECISION_FP64);
  const int64_t position[ROWS] = {0, 3, 9};
  for (int layout = 0; layout < 2; layout++)
    for (size_t at = 0; at < DIM; at++) {
      double *vector = random_array(ROWS * DIM, 6);
      vector[DIM + at] = NAN;
      const struct rotate_batch batch = {.phases = phases,
                                         .layout = (enum layout)layout,
                                         .amplitude = 1,
                                         .batch = 1,
                                         .length = ROWS,
                                         .heads = 1,
                                         .dim = DIM,
                                         .position = position,
                                         .input = vector,
                                         .output = vector};
      assert_done(backend_rotate(backend, &batch, &error));
      size_t a = at, b = at;
      for (size_t i = 0; i < 4; i++) {
        size_t first, second;
        oracle_pair((enum layout)layout, i, 4, &first, &second);
        if (at == first || at == second) a = first, b = second;
      }
      for (size_t i = 0; i < ROWS * DIM; i++)
        assert_int_equal(isnan(vector[i]) != 0, i == DIM + a || i == DIM + b);
      free(vector);
    }
  phases_free(&phases);
}

static void rounded_tables(void **state) {
  (void)state;
  struct phases phases = phases_of(3, 10000, PRECISION_BF16);
  const int64_t position = 257; /* which bf16 takes for 256 */
  const double input[6] = {1, 0, 1, 0, 1, 0};
  double output[6];
  const struct rotate_batch batch = {.phases = phases,
                                     .amplitude = 1,
                                     .batch = 1,
                                     .length = 1,
                                     .heads = 1,
                                     .dim = 6,
                                     .position = &position,
                                     .input = input,
                                     .output = output};
  assert_done(backend_rotate(backend, &batch, &error));
  for (size_t i = 0; i < 3; i++) {
    const double angle =
        precision_round(PRECISION_BF16, precision_round(PRECISION_BF16, phases.inv_freq[i]) * 256);
    assert_true(output[2 * i] == precision_round(PRECISION_BF16, cos(angle)));
    assert_true(output[2 * i + 1] == precision_round(PRECISION_BF16, sin(angle)));
  }
  phases_free(&phases);
}

static void phase_maps(void **state) {
  (void)state;
  static const size_t rows_of[] = {0, 1, 3, 500}, pairs_of[] = {1, 5, 64};
  for (size_t r = 0; r < COUNT_OF(rows_of); r++)
    for (size_t p = 0; p < COUNT_OF(pairs_of); p++)
      for (int quantity = PHASE_ANGLE; quantity <= PHASE_SINE; quantity++) {
        const size_t rows = rows_of[r], pairs = pairs_of[p];
        struct phases phases = phases_of(pairs, 10000, PRECISION_FP64);
        int64_t position[500];
        for (size_t row = 0; row < rows; row++)
          position[row] = position_at(row);
        double *output = guarded_array(rows * pairs);
        const struct phase_map_batch batch = {.phases = phases,
                                              .quantity = (enum phase_quantity)quantity,
                                              .rows = rows,
                                              .position = position,
                                              .output = output};
        assert_done(backend_phase_map(backend, &batch, &error));
        for (size_t e = 0; e < rows * pairs; e++) {
          long double angle = oracle_angle(phases.step[e % pairs], position[e / pairs]);
          if (angle < 0) angle += 6.28318530717958647692528676655900577L;
          assert_close(output[e],
                       (double)(quantity == PHASE_ANGLE    ? angle
                                : quantity == PHASE_COSINE ? cosl(angle)
                                                           : sinl(angle)),
                       quantity == PHASE_ANGLE ? 2e-15 : 3e-16);
        }
        guarded_finish(output, rows * pairs);
        phases_free(&phases);
      }
}

static void rounded_phase_map(void **state) {
  (void)state;
  struct phases phases = phases_of(16, 10000, PRECISION_FP16);
  const int64_t position[2] = {2008, -7};
  double output[32];
  const struct phase_map_batch batch = {
      .phases = phases, .quantity = PHASE_ANGLE, .rows = 2, .position = position, .output = output};
  assert_done(backend_phase_map(backend, &batch, &error));
  for (size_t e = 0; e < 32; e++)
    assert_true(output[e] == phase_angle_rounded(PRECISION_FP16, phases.step[e % 16],
                                                 phases.inv_freq[e % 16], position[e / 16]));
  phases_free(&phases);
}

static void threads_do_not_matter(void **state) {
  (void)state;
  const struct shape shape = {200, 256, 100};
  struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
  int64_t position[200];
  for (size_t row = 0; row < shape.rows; row++)
    position[row] = position_at(row);
  double *input = random_array(200 * 256, 2), *rotated[2], *map[2];
  for (int t = 0; t < 2; t++) {
    thread_use(t + 1);
    rotated[t] = random_array(200 * 256, 1);
    map[t] = random_array(200 * 100, 1);
    struct rotate_batch batch = batch_of(&phases, &shape, position);
    batch.input = input;
    batch.output = rotated[t];
    assert_done(backend_rotate(backend, &batch, &error));
    const struct phase_map_batch angles = {
        .phases = phases, .rows = 200, .position = position, .output = map[t]};
    assert_done(backend_phase_map(backend, &angles, &error));
  }
  assert_memory_equal(rotated[0], rotated[1], 200 * 256 * sizeof(double));
  assert_memory_equal(map[0], map[1], 200 * 100 * sizeof(double));
  for (int t = 0; t < 2; t++) {
    free(rotated[t]);
    free(map[t]);
  }
  free(input);
  phases_free(&phases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_values),
      cmocka_unit_test(twin_of_the_oracle),
      cmocka_unit_test(not_a_number_stays_where_it_is),
      cmocka_unit_test(rounded_tables),
      cmocka_unit_test(phase_maps),
      cmocka_unit_test(rounded_phase_map),
      cmocka_unit_test(threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
