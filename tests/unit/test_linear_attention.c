/* lib/analysis/linear_attention.h */
#include "tests/unit/encodings.h"

#include "lib/analysis/linear_attention.h"
#include "lib/base/thread.h"

enum { LENGTH = 150, DIM = 8, COLUMNS = 3 };

/* Features of random vectors, and the same rotated. */
struct job {
  double vector[LENGTH * DIM], query[LENGTH * DIM], key[LENGTH * DIM];
  double rotated_query[LENGTH * DIM], rotated_key[LENGTH * DIM], value[LENGTH * COLUMNS];
  struct linear_attention attention;
};

static void gaussian(struct backend *backend, uint32_t stream, size_t count, double *output) {
  const struct gaussian_batch batch = {
      .seed = 7, .stream = stream, .count = count, .output = output};
  assert_int_equal(backend_gaussian(backend, &batch, NULL), OK);
}

static void turn(const double *feature, double *rotated) {
  for (int m = 0; m < LENGTH; m++)
    for (int i = 0; i < DIM; i += 2) {
      const double angle = m * pow(100, -i / (double)DIM), *x = feature + m * DIM + i;
      rotated[m * DIM + i] = x[0] * cos(angle) - x[1] * sin(angle);
      rotated[m * DIM + i + 1] = x[0] * sin(angle) + x[1] * cos(angle);
    }
}

static struct job *job_create(struct backend *backend, bool causal) {
  struct job *job = calloc(1, sizeof *job);
  assert_non_null(job);
  struct feature_map map = {.dim = DIM};
  assert_int_equal(feature_map_make(backend, &map, 1, NULL), OK);
  assert_int_equal(map.count, DIM);
  for (int side = 0; side < 2; side++) {
    double *feature = side ? job->key : job->query;
    gaussian(backend, (uint32_t)side, LENGTH * DIM, job->vector);
    assert_int_equal(feature_map_apply(&map, side, LENGTH, job->vector, feature, NULL), OK);
    for (int i = 0; i < LENGTH * DIM; i++) {
      const double x = job->vector[i];
      assert_near(feature[i], x > 0 ? x + 1 : exp(x), 1e-15);
    }
  }
  turn(job->query, job->rotated_query);
  turn(job->key, job->rotated_key);
  gaussian(backend, 9, LENGTH * COLUMNS, job->value);
  job->attention = (struct linear_attention){.length = LENGTH,
                                             .features = DIM,
                                             .query = job->query,
                                             .key = job->key,
                                             .rotated_query = job->rotated_query,
                                             .rotated_key = job->rotated_key,
                                             .causal = causal,
                                             .columns = COLUMNS,
                                             .value = job->value};
  feature_map_release(&map);
  return job;
}

static double weight(const struct linear_attention *attention, int m, int n) {
  double numerator = 0, denominator = 0;
  if (attention->causal && n > m) return 0;
  for (int i = 0; i < DIM; i++)
    numerator += attention->rotated_query[m * DIM + i] * attention->rotated_key[n * DIM + i];
  for (int j = 0; j < (attention->causal ? m + 1 : LENGTH); j++)
    for (int i = 0; i < DIM; i++)
      denominator += attention->query[m * DIM + i] * attention->key[j * DIM + i];
  return numerator / denominator;
}

/* Everything the matrix makes against sums over all of it. */
static void check_matrix(const struct job *job, const struct linear_sums *sums,
                         const double *output, const struct tiles *tiles) {
  const struct linear_attention *attention = &job->attention;
  double locality = 0, distance = 0, negative = 0, expected[LENGTH * COLUMNS] = {0};
  double cell[16][16] = {{0}};
  int count[16][16] = {{0}};
  for (int m = 0, row = 0; m < LENGTH; m++) {
    while ((row + 1) * LENGTH / (int)tiles->rows <= m)
      row++;
    for (int n = 0, column = 0; n < (attention->causal ? m + 1 : LENGTH); n++) {
      while ((column + 1) * LENGTH / (int)tiles->columns <= n)
        column++;
      const double a = weight(attention, m, n);
      locality += a * exp2(-abs(m - n));
      distance += a * abs(m - n);
      negative += a < 0;
      for (int c = 0; c < COLUMNS; c++)
        expected[m * COLUMNS + c] += a * job->value[n * COLUMNS + c];
      if (tiles->reduction == REDUCE_MEAN)
        cell[row][column] += a;
      else
        cell[row][column] = count[row][column] ? fmax(cell[row][column], a) : a;
      count[row][column]++;
    }
  }
  assert_near(sums->locality, locality, 1e-11);
  assert_near(sums->distance, distance, 1e-9);
  assert_near(sums->negative, negative, 0);
  assert_true(negative > 0);
  assert_true(isnan(sums->entropy));
  for (int i = 0; i < LENGTH * COLUMNS; i++)
    assert_near(output[i], expected[i], 1e-13);
  for (size_t r = 0; r < tiles->rows; r++)
    for (size_t c = 0; c < tiles->columns; c++) {
      const double value = tiles->cells[r * tiles->columns + c];
      if (!count[r][c])
        assert_true(isnan(value));
      else
        assert_near(value, cell[r][c] / (tiles->reduction == REDUCE_MEAN ? (double)count[r][c] : 1),
                    1e-14);
    }
}

static void matrix_and_state(void **state) {
  double output[2][LENGTH * COLUMNS], cells[16 * 16];
  for (int variant = 0; variant < 4; variant++) {
    struct job *job = job_create(*state, variant & 1);
    const struct tiles tiles = {.rows = 7,
                                .columns = 16,
                                .reduction = variant & 2 ? REDUCE_MAX : REDUCE_MEAN,
                                .cells = cells};
    struct linear_sums sums;
    assert_int_equal(linear_attention_matrix(&job->attention, &sums, output[0], &tiles, NULL), OK);
    check_matrix(job, &sums, output[0], &tiles);
    assert_int_equal(linear_attention_state(&job->attention, output[1], NULL), OK);
    /* Sums of 150·8 products in two orders; denominators are the same. */
    const double difference = linear_attention_difference(&job->attention, output[0], output[1]);
    assert_true(difference > 0);
    assert_near(difference, 0, 1e-13);
    output[1][5] += 1;
    assert_true(linear_attention_difference(&job->attention, output[0], output[1]) > 0.1);
    output[1][5] = NAN;
    assert_true(isnan(linear_attention_difference(&job->attention, output[0], output[1])));
    free(job);
  }
}

/* Without a rotation rows sum to 1, and all features alike make them uniform. */
static void plain_rows_are_weights(void **state) {
  struct job *job = job_create(*state, true);
  struct linear_attention *attention = &job->attention;
  struct linear_sums sums;
  double output[LENGTH * COLUMNS], entropy = 0;
  for (int i = 0; i < LENGTH * DIM; i++)
    job->key[i] = 2;
  for (int i = 0; i < LENGTH * COLUMNS; i++)
    job->value[i] = 1;
  attention->rotated_query = job->query;
  attention->rotated_key = job->key;
  assert_int_equal(linear_attention_matrix(attention, &sums, output, NULL, NULL), OK);
  for (int m = 0; m < LENGTH; m++)
    entropy += log(m + 1);
  assert_near(sums.entropy, entropy, 1e-11);
  assert_near(sums.distance, LENGTH * (LENGTH - 1) / 4.0, 1e-10);
  assert_near(sums.negative, 0, 0);
  for (int i = 0; i < LENGTH * COLUMNS; i++)
    assert_near(output[i], 1, 1e-13);
  free(job);
}

static void threads_do_not_matter(void **state) {
  struct job *job = job_create(*state, false);
  struct linear_sums one, more;
  thread_use(1);
  assert_int_equal(linear_attention_matrix(&job->attention, &one, NULL, NULL, NULL), OK);
  thread_use(3);
  assert_int_equal(linear_attention_matrix(&job->attention, &more, NULL, NULL, NULL), OK);
  thread_use(thread_available());
  assert_near(one.locality, more.locality, 0);
  assert_near(one.distance, more.distance, 0);
  free(job);
}

/* Blocks of orthogonal rows; φ(q)·φ(k) over many draws of directions is exp(q·k/√d), once the
   shifts are taken out. */
static void favor_features(void **state) {
  enum { COUNT = 20, DRAWS = 600 };
  const double query[DIM] = {0.5, -0.2, 0.3, 0.1, 0.7, -0.4, 0.2, 0.6},
               key[DIM] = {0.4, 0.3, -0.1, 0.2, 0.5, -0.3, 0.8, -0.2};
  double mean = 0, square = 0, product = 0;
  for (int i = 0; i < DIM; i++)
    product += query[i] * key[i] / sqrt(DIM);
  for (uint64_t seed = 0; seed < DRAWS; seed++) {
    struct feature_map map = {.favor = true, .dim = DIM, .count = COUNT};
    double feature[2][COUNT], kernel = 0, shift[2] = {-INFINITY, -INFINITY};
    assert_int_equal(feature_map_make(*state, &map, seed, NULL), OK);
    for (int r = 0; r < COUNT; r++)
      for (int other = r / DIM * DIM; other < r; other++) {
        double dot = 0, length = 0;
        for (int i = 0; i < DIM; i++) {
          dot += map.directions[r * DIM + i] * map.directions[other * DIM + i];
          length += map.directions[r * DIM + i] * map.directions[r * DIM + i];
        }
        assert_near(dot, 0, 1e-13 * (length + 10));
      }
    for (int side = 0; side < 2; side++) {
      const double *x = side ? key : query;
      assert_int_equal(feature_map_apply(&map, side, 1, x, feature[side], NULL), OK);
      for (int r = 0; r < COUNT; r++) {
        double dot = 0;
        for (int i = 0; i < DIM; i++)
          dot += map.directions[r * DIM + i] * x[i] * pow(DIM, -0.25);
        shift[side] = fmax(shift[side], dot);
      }
    }
    for (int r = 0; r < COUNT; r++)
      kernel += (feature[0][r] - 1e-4 / sqrt(COUNT)) * (feature[1][r] - 1e-4 / sqrt(COUNT));
    kernel *= exp(shift[0] + shift[1]);
    mean += kernel / DRAWS;
    square += kernel * kernel / DRAWS;
    feature_map_release(&map);
  }
  const double deviation = sqrt((square - mean * mean) / DRAWS);
  assert_true(deviation < 0.05);
  assert_near(mean, exp(product), 4 * deviation);
}

static void counts_of_features(void **state) {
  assert_int_equal(feature_map_default(128), 620); /* 128·ln 128 = 621.06 */
  assert_int_equal(feature_map_default(2), 2);
  struct feature_map map = {.favor = true, .dim = 4, .count = 7};
  struct error error;
  assert_int_equal(feature_map_make(*state, &map, 1, &error), ERROR_INPUT);
  assert_message(error, "'7' features");
  feature_map_release(&map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrix_and_state),      cmocka_unit_test(plain_rows_are_weights),
      cmocka_unit_test(threads_do_not_matter), cmocka_unit_test(favor_features),
      cmocka_unit_test(counts_of_features),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
