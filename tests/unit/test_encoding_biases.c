/* Encodings that add numbers to the scores: lib/encoding/{none,alibi,t5,kerple,fire}.c. */
#include "tests/unit/encodings.h"

static void nothing_is_nothing(void **state) {
  const struct encoding_setting setting = setting_of(NULL, 4, 9);
  struct scorer scorer = scorer_of(*state, "none", &setting);
  struct score_batch batch = {0};
  double vector[4 * 9];
  scorer_batch(&scorer, &(struct scorer_vectors){1, vector, vector, false}, &batch);
  assert_ptr_equal(batch.query, vector);
  assert_true(!batch.bias && !batch.terms && !batch.rotation && !batch.query_add && !batch.key_add);
  assert_near(batch.scale, 1.0 / 3, 1e-16);
  assert_true(isinf(scorer.positions));
  scorer_release(&scorer);
}

/* Slopes of 1, 8 and 12 heads: ofirpress/attention_with_linear_biases; of 12, the last four are
   2^(−1/2), 2^(−3/2), 2^(−5/2), 2^(−7/2). */
static void alibi_slopes(void **state) {
  static const double eight[] = {0.5,     0.25,     0.125,     0.0625,
                                 0.03125, 0.015625, 0.0078125, 0.00390625};
  static const double rest[] = {0.7071067811865476, 0.35355339059327384, 0.17677669529663692,
                                0.08838834764831849};
  static const size_t heads[] = {1, 8, 12};
  enum { LENGTH = 6 };
  for (size_t h = 0; h < 3; h++)
    for (size_t head = 0; head < heads[h]; head++) {
      struct encoding_setting setting = setting_of(NULL, LENGTH, 16);
      setting.heads = heads[h];
      setting.head = head;
      struct scorer scorer = scorer_of(*state, "alibi", &setting);
      const double slope = heads[h] == 1 ? eight[7] : head < 8 ? eight[head] : rest[head - 8];
      for (int m = -LENGTH + 1; m < LENGTH; m++)
        assert_near(scorer.bias[LENGTH - 1 + m], -slope * abs(m), 1e-15 * abs(m));
      assert_near(scorer.scale, 0.25, 0); /* of the product: the bias is behind it */
      assert_false(scorer.untrained);
      scorer_release(&scorer);
    }
}

/* First distances of the buckets of 32 and 128, as T5's own code has them. */
static const size_t both_start[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91},
                    causal_start[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                      11, 12, 13, 14, 15, 16, 19, 21, 24, 27, 31,
                                      35, 40, 46, 52, 59, 67, 77, 87, 99, 113};

static size_t bucket_in(const size_t *start, size_t count, size_t distance) {
  size_t bucket = count - 1;
  while (start[bucket] > distance)
    bucket--;
  return bucket;
}

/* The table says its own bucket and head. */
static void t5_buckets(void **state) {
  enum { LENGTH = 200, HEADS = 3 };
  double table[32 * HEADS];
  for (int i = 0; i < 32 * HEADS; i++)
    table[i] = i;
  struct encoding_values *values = values_of((const char *[]){NULL});
  add_tensor(values, "t5.bias", table, 32, HEADS);
  for (int causal = 0; causal < 2; causal++) {
    struct encoding_setting setting = setting_of(NULL, LENGTH, 16);
    setting.values = values;
    setting.head = 2;
    setting.causal = causal;
    struct scorer scorer = scorer_of(*state, "t5", &setting);
    for (int m = -LENGTH + 1; m < LENGTH; m++) { /* query − key */
      const size_t bucket = causal  ? bucket_in(causal_start, 32, m > 0 ? (size_t)m : 0)
                            : m < 0 ? 16 + bucket_in(both_start, 16, (size_t)-m)
                                    : bucket_in(both_start, 16, (size_t)m);
      assert_near(scorer.bias[LENGTH - 1 + m], (double)(bucket * HEADS + 2), 0);
    }
    assert_near(scorer.scale, 1, 0);
    assert_false(scorer.untrained);
    scorer_release(&scorer);
    setting.head = 3;
    assert_encoding_refused(*state, encoding_of("t5"), &setting,
                            "'t5.bias' has 3 heads, and head '3'");
  }
  encoding_values_destroy(values);
}

struct shown {
  double number[64];
  size_t count;
};

static int collect(void *to, const char *item, int64_t index, double value, struct error *error) {
  (void)item;
  (void)index;
  (void)error;
  struct shown *shown = to;
  assert_true(shown->count < 64);
  shown->number[shown->count++] = value;
  return OK;
}

static void t5_shows_its_buckets(void **state) {
  struct shown shown = {.count = 0};
  const struct encoding_setting setting = setting_of(NULL, 1, 1);
  const struct encoding_sink sink = {.add = collect, .to = &shown};
  assert_int_equal(encoding_of("t5")->show(*state, &setting, &sink, NULL), OK);
  assert_int_equal(shown.count, 48);
  for (size_t i = 0; i < 48; i++)
    assert_near(shown.number[i], (double)(i < 16 ? both_start[i] : causal_start[i - 16]), 0);
}

static void t5_refuses(void **state) {
  static const struct {
    const char *value, *part;
  } cases[] = {{"t5.buckets=31", "'t5.buckets' is '31': an even number"},
               {"t5.max_distance=8", "'t5.max_distance' is '8', and 8 buckets"},
               {"t5.buckets=32", "needs 't5.bias'"}};
  for (size_t c = 0; c < 3; c++) {
    struct encoding_values *values = values_of((const char *[]){cases[c].value, NULL});
    struct encoding_setting setting = setting_of(NULL, 8, 16);
    setting.values = values;
    assert_encoding_refused(*state, encoding_of("t5"), &setting, cases[c].part);
    encoding_values_destroy(values);
  }
}

static void kerple_forms(void **state) {
  enum { LENGTH = 50 };
  for (int power = 0; power < 2; power++) {
    struct encoding_values *values = values_of((const char *[]){
        "kerple.p=1.25", "kerple.a=0.5", power ? "kerple.power=1" : "kerple.power=0", NULL});
    struct encoding_setting setting = setting_of(NULL, LENGTH, 16);
    setting.values = values;
    struct scorer scorer = scorer_of(*state, "kerple", &setting);
    for (int m = -LENGTH + 1; m < LENGTH; m++)
      assert_near(scorer.bias[LENGTH - 1 + m],
                  power ? -0.5 * pow(abs(m), 1.25) : -1.25 * log(1 + 0.5 * abs(m)), 1e-13);
    assert_false(scorer.untrained);
    scorer_release(&scorer);
    encoding_values_destroy(values);
  }
  struct encoding_values *values =
      values_of((const char *[]){"kerple.p=2.5", "kerple.a=1", "kerple.power=1", NULL});
  struct encoding_setting setting = setting_of(NULL, LENGTH, 16);
  assert_encoding_refused(*state, encoding_of("kerple"), &setting, "--param kerple.p=NUMBER");
  setting.values = values;
  assert_encoding_refused(*state, encoding_of("kerple"), &setting, "'2.5' and '1'");
  encoding_values_destroy(values);
}

/* The network's input is ψ(m − n)/ψ(max(L, m)): with min, the first rows would divide by ψ(0). */
static void fire_takes_the_larger(void **state) {
  enum { LENGTH = 40, HIDDEN = 5, HEADS = 2 };
  const double c = 0.3, threshold = 17;
  double weight[HIDDEN], bias[HIDDEN], output[HEADS * HIDDEN], rest[HEADS];
  draw(*state, 1, HIDDEN, weight);
  draw(*state, 2, HIDDEN, bias);
  draw(*state, 3, HEADS * HIDDEN, output);
  draw(*state, 4, HEADS, rest);
  struct encoding_values *values = values_of((const char *[]){"fire.c=0.3", "fire.L=17", NULL});
  add_tensor(values, "fire.hidden_weight", weight, HIDDEN, 1);
  add_tensor(values, "fire.hidden_bias", bias, 1, HIDDEN);
  add_tensor(values, "fire.output_weight", output, HEADS, HIDDEN);
  add_tensor(values, "fire.output_bias", rest, 1, HEADS);
  struct encoding_setting setting = setting_of(NULL, LENGTH, 4);
  setting.values = values;
  setting.head = 1;
  struct scorer scorer = scorer_of(*state, "fire", &setting);
  static double cells[LENGTH * LENGTH], weights[LENGTH * LENGTH];
  assert_false(scorer.untrained);
  score_all(*state, &scorer, &(struct score_map){.cells = cells});
  score_all(*state, &scorer, &(struct score_map){.softmax = true, .cells = weights});
  for (int m = 0; m < LENGTH; m++) {
    double sum = 0, expected[LENGTH];
    for (int n = 0; n < LENGTH; n++) {
      const double input = log(c * abs(m - n) + 1) / log(c * (m > threshold ? m : threshold) + 1);
      expected[n] = rest[1];
      for (int h = 0; h < HIDDEN; h++)
        expected[n] += output[HIDDEN + h] * fmax(weight[h] * input + bias[h], 0);
      assert_near(cells[m * LENGTH + n], expected[n], 1e-13);
      sum += exp(expected[n]); /* not scaled by 1/√4 */
    }
    for (int n = 0; n < LENGTH; n++)
      assert_near(weights[m * LENGTH + n], exp(expected[n]) / sum, 1e-14);
  }
  scorer_release(&scorer);
  setting.head = 2;
  assert_encoding_refused(*state, encoding_of("fire"), &setting, "has 2 heads, and head '2'");
  encoding_values_destroy(values);
}

/* c and L as training starts with them are no trained values. */
static void fire_starts_untrained(void **state) {
  struct encoding_values *values =
      values_of((const char *[]){"fire=random:1", "fire.c=0.1", "fire.L=512", NULL});
  struct encoding_setting setting = setting_of(NULL, 8, 4);
  assert_encoding_refused(*state, encoding_of("fire"), &setting, "needs 'fire.hidden_weight'");
  setting.values = values;
  struct scorer scorer = scorer_of(*state, "fire", &setting);
  assert_true(scorer.untrained);
  scorer_release(&scorer);
  encoding_values_destroy(values);
  values = values_of((const char *[]){"fire.c=0", NULL});
  setting.values = values;
  assert_encoding_refused(*state, encoding_of("fire"), &setting, "'0' and '512': greater than 0");
  encoding_values_destroy(values);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_nothing),
      cmocka_unit_test(alibi_slopes),
      cmocka_unit_test(t5_buckets),
      cmocka_unit_test(t5_shows_its_buckets),
      cmocka_unit_test(t5_refuses),
      cmocka_unit_test(kerple_forms),
      cmocka_unit_test(fire_takes_the_larger),
      cmocka_unit_test(fire_starts_untrained),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
