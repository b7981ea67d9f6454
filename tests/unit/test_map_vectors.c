/* Maps of one's own queries and keys: lib/analysis/map_vectors.h, scores, softmax and norms. */
#include "tests/unit/maps.h"

#include "lib/base/thread.h"
#include "lib/encoding/scorer.h"

enum { BATCH = 2, HEADS = 4, KV_HEADS = 2, LENGTH = 9, DIM = 8 };

/* Sixteenths between −2 and 2, which every type holds. */
static double number_at(size_t heads, size_t batch, size_t head, size_t position, size_t dim) {
  const size_t index = ((batch * heads + head) * LENGTH + position) * DIM + dim;
  return (double)((index * 2654435761u + heads * 40503u) >> 7 & 63) / 16 - 2;
}

/* A tensor with its axes in the order of `list`. */
static struct tensor *make(const char *list, enum storage storage, size_t heads) {
  static const size_t most[AXES] = {
      [AXIS_BATCH] = BATCH, [AXIS_POSITION] = LENGTH, [AXIS_DIM] = DIM};
  struct axes axes = {0};
  size_t shape[AXES];
  char name[16];
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
    enum axis axis = AXIS_BATCH;
    while (strcmp(axis_name(axis), name))
      axis++;
    shape[axes.rank] = axis == AXIS_HEAD ? heads : most[axis];
    axes.axis[axes.rank++] = axis;
  }
  struct tensor *tensor = tensor_create(storage, axes.rank, shape, "a tensor", NULL);
  assert_non_null(tensor);
  for (size_t i = 0; i < tensor->count; i++) {
    size_t place[AXES] = {0}, rest = i;
    for (size_t a = axes.rank; a--; rest /= shape[a])
      place[axes.axis[a]] = rest % shape[a];
    const double value = number_at(heads, place[AXIS_BATCH], place[AXIS_HEAD], place[AXIS_POSITION],
                                   place[AXIS_DIM]);
    storage_store(storage, &value, 1, (char *)tensor->data + i * storage_size(storage));
  }
  return tensor;
}

static struct map_vectors vectors_of(const struct tensor *tensor, const char *list) {
  struct map_vectors vectors;
  struct error error;
  if (map_vectors_of(tensor, list, &vectors, &error)) fail_msg("%s", error.message);
  return vectors;
}

/* Pair i of a vector at position m, turned, in the spectrum's layout. */
static void turn(const struct spectrum *spectrum, const double *in, int64_t m, double *out) {
  for (size_t i = 0; i < spectrum->pairs; i++) {
    const size_t a = layout_first(spectrum->spec.layout, i),
                 b = layout_second(spectrum->spec.layout, i, spectrum->pairs);
    const double angle = (double)m * (double)spectrum->inv_freq[i];
    out[a] = in[a] * cos(angle) - in[b] * sin(angle);
    out[b] = in[a] * sin(angle) + in[b] * cos(angle);
  }
}

static double score_of(const struct map_request *request, size_t batch, int64_t m, int64_t n) {
  double q[DIM], k[DIM], x[DIM], y[DIM], sum = 0;
  for (size_t i = 0; i < DIM; i++) {
    q[i] = x[i] = number_at(HEADS, batch, request->head, (size_t)m, i);
    k[i] = y[i] = number_at(KV_HEADS, batch, request->head / 2, (size_t)n, i);
  }
  if (request->encoding->kind == ENCODING_ROTATES) {
    turn(request->spectrum, q, m, x);
    turn(request->spectrum, k, n, y);
  }
  for (size_t i = 0; i < DIM; i++)
    sum += x[i] * y[i];
  return sum;
}

/* The mean over the batch of what plain loops find. */
static void check_map(struct backend *backend, const struct map_request *request, bool softmax) {
  struct matrix *matrix = run(backend, request);
  assert_int_equal(matrix->rows, request->length);
  assert_int_equal(matrix->columns, request->length);
  for (size_t m = 0; m < request->length; m++) {
    double row[LENGTH] = {0};
    for (size_t b = 0; b < BATCH; b++) {
      double weight[LENGTH], sum = 0;
      for (size_t n = 0; n < request->length; n++) {
        weight[n] = score_of(request, b, (int64_t)m, (int64_t)n);
        if (!softmax) continue;
        weight[n] = request->causal && n > m ? 0 : exp(weight[n] / sqrt(DIM));
        sum += weight[n];
      }
      for (size_t n = 0; n < request->length; n++)
        row[n] += (softmax ? weight[n] / sum : weight[n]) / BATCH;
    }
    for (size_t n = 0; n < request->length; n++)
      if (request->causal && n > m)
        assert_true(isnan(cell(matrix, m, n)));
      else
        assert_near(cell(matrix, m, n), row[n], 1e-12);
  }
  matrix_destroy(matrix);
}

/* Every order of the axes, type, head, layout and mask. */
static void scores_of_tensors_equal_plain_loops(void **state) {
  static const char *const lists[] = {"batch,head,position,dim", "position,batch,head,dim",
                                      "dim,head,position,batch"};
  for (size_t variant = 0; variant < 3 * STORAGE_REALS * HEADS; variant++) {
    const char *list = lists[variant % 3];
    const enum storage storage = (enum storage)(variant / 3 % STORAGE_REALS);
    struct tensor *q = make(list, storage, HEADS), *k = make(list, storage, KV_HEADS);
    const struct map_vectors query = vectors_of(q, list), key = vectors_of(k, list);
    struct spectrum *spectrum = plain_spectrum(DIM, 100);
    spectrum->spec.layout = variant % 2 ? LAYOUT_HALVES : LAYOUT_INTERLEAVED;
    const bool softmax = variant / 2 % 2;
    struct map_request request =
        request_of(softmax ? "softmax" : "scores", variant % 5 ? "rope" : "none", spectrum, LENGTH);
    request.query = &query;
    request.key = &key;
    request.head = variant / 3 / STORAGE_REALS;
    request.causal = variant % 7 < 3;
    check_map(*state, &request, softmax);
    request.length = 4;
    check_map(*state, &request, softmax);
    spectrum_destroy(spectrum);
    tensor_destroy(q);
    tensor_destroy(k);
  }
}

/* 12 query heads share 4 of the keys in threes; 1 is for all. */
static void heads_are_grouped(void **state) {
  (void)state;
  struct tensor *q = make("head,position,dim", STORAGE_F32, 12);
  struct tensor *k = make("head,position,dim", STORAGE_F32, 4);
  struct tensor *one = make("position,dim", STORAGE_F32, 1);
  const struct map_vectors query = vectors_of(q, NULL), key = vectors_of(k, NULL),
                           shared = vectors_of(one, NULL);
  for (size_t head = 0; head < 12; head++) {
    assert_int_equal(map_vectors_key_head(&query, &key, head), head * 4 / 12);
    assert_int_equal(map_vectors_key_head(&query, &shared, head), 0);
    assert_int_equal(map_vectors_match(&query, &key, head, NULL), OK);
    assert_int_equal(map_vectors_match(&query, &shared, head, NULL), OK);
  }
  tensor_destroy(q);
  tensor_destroy(k);
  tensor_destroy(one);
}

/* The slope of ALiBi is that of the queries' head. */
static void heads_choose_slopes(void **state) {
  struct tensor *q = make("head,position,dim", STORAGE_F64, HEADS);
  struct tensor *k = make("head,position,dim", STORAGE_F64, KV_HEADS);
  const struct map_vectors query = vectors_of(q, NULL), key = vectors_of(k, NULL);
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  struct map_request request = request_of("scores", "none", spectrum, LENGTH);
  request.query = &query;
  request.key = &key;
  request.head = 2;
  struct matrix *none = run(*state, &request);
  request.encoding = encoding_of("alibi");
  struct matrix *alibi = run(*state, &request);
  /* Of 4 heads: 2^-2, 2^-4, 2^-6, 2^-8. */
  for (size_t m = 0; m < LENGTH; m++)
    for (size_t n = 0; n < LENGTH; n++)
      assert_near(cell(alibi, m, n) - cell(none, m, n), -fabs((double)m - (double)n) / 64, 1e-13);
  assert_near(meta_real(alibi->meta, "heads", 0), HEADS, 0);
  assert_near(meta_real(alibi->meta, "key_head", 0), 1, 0);
  assert_near(meta_real(none->meta, "kv_heads", 0), KV_HEADS, 0);
  assert_null(meta_text(none->meta, "layout")); /* nothing turns */
  assert_string_equal(meta_text(meta_child(none->meta, "query"), "shape"), "(4, 9, 8)");
  assert_string_equal(meta_text(meta_child(none->meta, "key"), "axes"), "head,position,dim");
  matrix_destroy(none);
  matrix_destroy(alibi);
  spectrum_destroy(spectrum);
  tensor_destroy(q);
  tensor_destroy(k);
}

/* A NaN is in the scores it takes part in, and in no other. */
static void not_a_number_stays(void **state) {
  struct tensor *q = make("position,dim", STORAGE_F64, 1);
  ((double *)q->data)[3 * DIM + 1] = NAN;
  const struct map_vectors query = vectors_of(q, NULL);
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  struct tensor *k = make("position,dim", STORAGE_F64, 1);
  const struct map_vectors key = vectors_of(k, NULL);
  struct map_request request = request_of("scores", "rope", spectrum, LENGTH);
  request.query = &query;
  request.key = &key;
  struct matrix *matrix = run(*state, &request);
  for (size_t m = 0; m < LENGTH; m++)
    for (size_t n = 0; n < LENGTH; n++)
      assert_int_equal(!!isnan(cell(matrix, m, n)), m == 3);
  matrix_destroy(matrix);
  spectrum_destroy(spectrum);
  tensor_destroy(q);
  tensor_destroy(k);
}

static void norms_equal_plain_loops(void **state) {
  for (int variant = 0; variant < 8; variant++) {
    const bool grouped = variant & 2;
    const size_t heads = grouped ? KV_HEADS : HEADS;
    struct tensor *tensor = make("batch,position,head,dim", STORAGE_BF16, heads);
    const struct map_vectors vectors = vectors_of(tensor, "batch,position,head,dim");
    /* Two of eight dimensions may not be turned. */
    struct spectrum *spectrum = plain_spectrum(variant & 4 ? DIM - 2 : DIM, 10000);
    spectrum->spec.layout = variant & 1 ? LAYOUT_HALVES : LAYOUT_INTERLEAVED;
    struct map_request request = request_of("norms", "rope", spectrum, 0);
    *(grouped ? &request.key : &request.query) = &vectors;
    struct matrix *matrix = run(*state, &request);
    assert_int_equal(matrix->rows, heads);
    assert_int_equal(matrix->columns, spectrum->pairs);
    assert_string_equal(meta_text(matrix->meta, "of"), grouped ? "keys" : "queries");
    for (size_t h = 0; h < heads; h++)
      for (size_t i = 0; i < spectrum->pairs; i++) {
        double sum = 0;
        for (size_t b = 0; b < BATCH; b++)
          for (size_t m = 0; m < LENGTH; m++) {
            const double x = number_at(heads, b, h, m, variant & 1 ? i : 2 * i),
                         y = number_at(heads, b, h, m,
                                       variant & 1 ? i + spectrum->pairs : 2 * i + 1);
            sum += sqrt(x * x + y * y);
          }
        assert_near(cell(matrix, h, i), sum / (BATCH * LENGTH), 1e-13);
      }
    matrix_destroy(matrix);
    spectrum_destroy(spectrum);
    tensor_destroy(tensor);
  }
}

static void refuse(struct backend *backend, const struct map_request *request, const char *part) {
  struct matrix *matrix = NULL;
  struct error error;
  assert_int_equal(map_run(backend, request, &matrix, &error), ERROR_INPUT);
  assert_null(matrix);
  assert_message(error, part);
}

static void refuses_what_does_not_go_together(void **state) {
  struct tensor *q = make("head,position,dim", STORAGE_F32, HEADS);
  struct tensor *k = make("head,position,dim", STORAGE_F32, 3);
  struct tensor *flat = make("position,dim", STORAGE_F32, 1);
  struct tensor *batch = make("batch,head,position,dim", STORAGE_F32, HEADS);
  const struct map_vectors query = vectors_of(q, NULL), odd = vectors_of(k, NULL),
                           turned = vectors_of(flat, "dim,position"),
                           more = vectors_of(batch, NULL);
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  struct map_request request = request_of("scores", "rope", spectrum, LENGTH);
  request.query = &query;
  refuse(*state, &request, "the keys are missing");
  request.key = &odd;
  refuse(*state, &request, "(4, 9, 8) and keys (3, 9, 8) have '4' and '3' heads");
  request.key = &turned;
  refuse(*state, &request, "(4, 9, 8) and keys (9, 8) differ in the axis 'position': '9' and '8'");
  request.key = &more;
  refuse(*state, &request, "differ in the axis 'batch': '1' and '2'");
  request.key = &query;
  request.head = 4;
  refuse(*state, &request, "there is no head '4' in the queries (4, 9, 8): 0 to 3");
  request.head = 0;
  request.length = 10;
  refuse(*state, &request, "the length is '10', and the queries (4, 9, 8) have 9 positions");
  request.query = NULL;
  refuse(*state, &request, "the queries are missing");
  request.kind = kind_of("norms");
  request.query = &query;
  refuse(*state, &request, "one of the two");
  request.query = request.key = NULL;
  refuse(*state, &request, "one of the two");
  spectrum_destroy(spectrum);
  spectrum = plain_spectrum(DIM + 2, 100);
  request.spectrum = spectrum;
  request.key = &query;
  refuse(*state, &request, "5 pairs are of 10 dimensions, and the vectors (4, 9, 8) have '8'");
  spectrum_destroy(spectrum);
  tensor_destroy(q);
  tensor_destroy(k);
  tensor_destroy(flat);
  tensor_destroy(batch);
}

static void refuses_what_are_no_vectors(void **state) {
  (void)state;
  struct map_vectors vectors;
  struct error error;
  struct tensor *whole = tensor_create(STORAGE_I32, 2, (size_t[]){2, 4}, "a tensor", NULL);
  assert_int_equal(map_vectors_of(whole, NULL, &vectors, &error), ERROR_INPUT);
  assert_message(error, "elements of type 'i32'");
  tensor_destroy(whole);
  struct tensor *empty = tensor_create(STORAGE_F32, 2, (size_t[]){0, 4}, "a tensor", NULL);
  assert_int_equal(map_vectors_of(empty, NULL, &vectors, &error), ERROR_INPUT);
  assert_message(error, "is empty, (0, 4)");
  assert_int_equal(map_vectors_of(empty, "head,position,dim", &vectors, &error), ERROR_INPUT);
  assert_message(error, "names 3");
  tensor_destroy(empty);
}

static int open_maps(void **state) {
  *state = open_cpu();
  thread_use(1);
  return 0;
}

static int close_maps(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scores_of_tensors_equal_plain_loops),
      cmocka_unit_test(heads_are_grouped),
      cmocka_unit_test(heads_choose_slopes),
      cmocka_unit_test(not_a_number_stays),
      cmocka_unit_test(norms_equal_plain_loops),
      cmocka_unit_test(refuses_what_does_not_go_together),
      cmocka_unit_test(refuses_what_are_no_vectors),
  };
  return cmocka_run_group_tests(tests, open_maps, close_maps);
}
