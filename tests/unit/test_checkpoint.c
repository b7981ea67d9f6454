/* Projections of real weights beside facts that were computed elsewhere, and the names of many
   families in small. */
#include "tests/unit/checkpoints.h"
#include "tests/unit/learned_table.h"

#include "lib/model/checkpoint.h"
#include "lib/model/position_table.h"

static struct backend *backend;
static struct error error;
static struct projection projection;

static void built_in_heads(void **state) {
  (void)state;
  enum { LENGTH = 512, DIM = 32 };
  static double query[LENGTH * DIM], key[LENGTH * DIM];
  struct position_table table;
  assert_done(position_table_read("minilm", &table, &error));
  for (size_t head = 0; head < 12; head++) {
    const struct checkpoint_choice choice = {.head = head};
    assert_done(projection_read("minilm", &choice, &projection, &error));
    assert_int_equal(projection.width, 384);
    assert_int_equal(projection.dim, DIM);
    assert_int_equal(projection.heads, 12);
    assert_int_equal(projection.key_heads, 12);
    assert_true(projection.centred && projection.shift && projection.offset);
    assert_close(projection.epsilon, 1e-12, 0);
    assert_string_equal(projection.name, "minilm:encoder.layer.0.attention.self.query.weight");
    assert_string_equal(projection.sha256, "");
    assert_done(projection_apply(&projection, false, table.row, LENGTH, query, &error));
    assert_done(projection_apply(&projection, true, table.row, LENGTH, key, &error));
    const struct score_batch batch = {.length = LENGTH, .dim = DIM, .query = query, .key = key};
    assert_learned_scores(backend, batch, 1 / sqrt(32), "head", (int)head);
    projection_release(&projection);
  }
  position_table_release(&table);
}

/* The definition, term by term; `norm` of a row comes first. */
static void assert_applied(const double *token, size_t rows, bool key) {
  const size_t width = projection.width, dim = projection.dim;
  double *vector = malloc(rows * dim * sizeof *vector);
  assert_non_null(vector);
  assert_done(projection_apply(&projection, key, token, rows, vector, &error));
  const double *weight = key ? projection.key : projection.query;
  const double *bias = key ? projection.key_bias : projection.query_bias;
  const double *head_gain = key ? projection.key_gain : projection.query_gain;
  for (size_t row = 0; row < rows; row++) {
    long double x[8], out[8], mean = 0, square = 0, head_square = 0;
    for (size_t w = 0; w < width; w++) {
      x[w] = (long double)token[row * width + w] + (projection.offset ? projection.offset[w] : 0);
      if (projection.centred) mean += x[w] / width;
    }
    for (size_t w = 0; w < width; w++)
      square += (x[w] - mean) * (x[w] - mean) / width;
    for (size_t w = 0; w < width && projection.gain; w++)
      x[w] = (x[w] - mean) / sqrtl(square + projection.epsilon) * projection.gain[w] +
             (projection.shift ? projection.shift[w] : 0);
    for (size_t d = 0; d < dim; d++) {
      out[d] = bias ? bias[d] : 0;
      for (size_t w = 0; w < width; w++)
        out[d] += x[w] * weight[d * width + w];
      head_square += out[d] * out[d] / dim;
    }
    for (size_t d = 0; d < dim; d++) {
      if (head_gain) out[d] *= head_gain[d] / sqrtl(head_square + projection.epsilon);
      assert_close(vector[row * dim + d], (double)out[d], 1e-13);
    }
  }
  free(vector);
}

/* All that a projection may have, and may lack. */
static void applied(void **state) {
  (void)state;
  enum { ROWS = 5, WIDTH = 7, DIM = 3 };
  uint64_t seed = 3;
  double token[ROWS * WIDTH], number[8][WIDTH * DIM];
  for (size_t i = 0; i < ROWS * WIDTH; i++)
    token[i] = random_unit(&seed);
  for (size_t i = 0; i < 8 * WIDTH * DIM; i++)
    number[i / (WIDTH * DIM)][i % (WIDTH * DIM)] = random_unit(&seed);
  for (int bits = 0; bits < 64; bits++) {
    projection = (struct projection){.width = WIDTH,
                                     .dim = DIM,
                                     .query = number[0],
                                     .key = number[1],
                                     .query_bias = bits & 1 ? number[2] : NULL,
                                     .key_bias = bits & 1 ? number[3] : NULL,
                                     .gain = bits & 2 ? number[4] : NULL,
                                     .shift = bits & 4 && bits & 2 ? number[5] : NULL,
                                     .centred = bits & 8,
                                     .offset = bits & 16 ? number[6] : NULL,
                                     .query_gain = bits & 32 ? number[7] : NULL,
                                     .key_gain = bits & 32 ? number[7] + DIM : NULL,
                                     .epsilon = 0.01};
    assert_applied(token, ROWS, false);
    assert_applied(token, ROWS, true);
  }
  projection = (struct projection){0};
}

static void drawn(void **state) {
  (void)state;
  enum { WIDTH = 96, DIM = 64, COUNT = WIDTH * DIM };
  double square = 0, product = 0;
  assert_done(projection_draw(backend, WIDTH, DIM, 5, &projection, &error));
  assert_int_equal(projection.heads, 1);
  assert_null(projection.gain);
  assert_string_equal(projection.name, "random");
  for (size_t i = 0; i < COUNT; i++) {
    square += projection.query[i] * projection.query[i];
    product += projection.query[i] * projection.key[i];
  }
  /* Five standard errors each. */
  assert_close(square * WIDTH / COUNT, 1, 5 * sqrt(2. / COUNT));
  assert_close(product * WIDTH / COUNT, 0, 5 / sqrt(COUNT));
  const double first = projection.query[0];
  projection_release(&projection);
  assert_done(projection_draw(backend, WIDTH, DIM, 5, &projection, &error));
  assert_close(projection.query[0], first, 0);
  projection_release(&projection);
  assert_refused(projection_draw(backend, SIZE_MAX / 2, 64, 5, &projection, &error), ERROR_FAILED,
                 "random projections");
}

/* A checkpoint that is refused: tensors "NAME rows columns", 0 columns a vector. */
struct bad_case {
  const char *tensors[6], *config;
  size_t layer;
  const char *part;
};

#define Q          "layers.0.self_attn.q_proj.weight 4 4"
#define K          "layers.0.self_attn.k_proj.weight 4 4"
#define BERT_QUERY "encoder.layer.0.attention.self.query.weight 4 4"
#define BERT_KEY   "encoder.layer.0.attention.self.key.weight 4 4"
#define TWO        "{\"num_attention_heads\": 2}"

static const struct bad_case bad_cases[] = {
    {{"glayers.0.self_attn.q_proj.weight 4 4", "layers..self_attn.q_proj.weight 4 4",
      "layers.1234567.self_attn.q_proj.weight 4 4", "layers.x.self_attn.q_proj.weight 4 4"},
     TWO,
     0,
     "no query weights with a known name in '"},
    {{"wte.weight 4 4"}, TWO, 0, "no query weights with a known name in '"},
    {{Q, "layers.0.input_layernorm.weight 4 0"}, TWO, 0, "no tensor 'layers.0.self_attn.k_proj"},
    {{Q, K}, TWO, 0, "'layers.0.input_layernorm' is needed"},
    {{BERT_QUERY, BERT_KEY}, TWO, 0, "no norm before the projections in '"},
    {{Q, K, "layers.0.input_layernorm.weight 4 0"}, NULL, 0, "a head's dimension: give it"},
    {{Q, K, "layers.0.input_layernorm.weight 4 0"}, "{}", 0, "a head's dimension: give it"},
    {{Q, K}, "{\"num_attention_heads\": 0}", 0, "config.json beside '"},
    {{Q, K}, "{\"num_attention_heads\": 3}", 0, "3 heads of 1 dimensions"},
    {{Q, K}, "{\"num_attention_heads\": 9}", 0, "a head's dimension"},
    {{Q, K}, "[]", 0, "its JSON is not an object"},
    {{Q, K, "layers.0.input_layernorm.weight 4 0"}, TWO, 1, "layer 1 of '"},
    {{Q, K, "layers.0.input_layernorm.weight 3 0"}, TWO, 0, "3 elements in a row: 4 are needed"},
    {{Q, K, "layers.0.input_layernorm.weight 4 0", "layers.0.input_layernorm.bias 5 0"},
     TWO,
     0,
     "5 elements in a row"},
    {{Q, "layers.0.self_attn.k_proj.weight 4 5"}, TWO, 0, "' 5: as many are needed"},
    {{Q, "layers.0.self_attn.k_proj.weight 3 4"}, TWO, 0, "no whole number of heads of 2"},
    {{"layers.0.self_attn.q_proj.weight 4 4", "layers.0.self_attn.k_proj.weight 6 4"},
     TWO,
     0,
     "2 heads of queries, and of keys 3"},
    {{"layers.0.self_attn.q_proj.weight 4 0", K}, TWO, 0, "has the shape (4,)"},
    {{Q, K, "layers.0.self_attn.q_proj.bias 3 0"}, TWO, 0, "has 3 elements: 4 are needed"},
    {{Q, K, "layers.0.self_attn_layer_norm.weight 4 0"}, TWO, 0, "before or behind"},
    {{Q, K, "layers.0.self_attn_layer_norm.weight 4 0"},
     "{\"num_attention_heads\": 2, \"do_layer_norm_before\": 1}",
     0,
     "'do_layer_norm_before'"},
    /* mBART, CLIP's vision part, RoBERTa-PreLayerNorm, OLMo 2, Persimmon. */
    {{Q, K, "layers.0.self_attn_layer_norm.weight 4 0", "layernorm_embedding.weight 4 0",
      "layer_norm.weight 4 0"},
     TWO,
     0,
     "normalises twice before its projections"},
    {{"vision_model.encoder." Q, "vision_model.encoder." K, "vision_model.pre_layrnorm.weight 4 0",
      "vision_model.encoder.layers.0.layer_norm1.weight 4 0"},
     TWO,
     0,
     "by 'vision_model.pre_layrnorm' and 'vision_model.encoder.layers.0.layer_norm1'"},
    {{BERT_QUERY, BERT_KEY, "embeddings.LayerNorm.weight 4 0",
      "encoder.layer.0.attention.LayerNorm.weight 4 0"},
     TWO,
     0,
     "normalises twice"},
    {{Q, K, "layers.0.input_layernorm.weight 4 0", "layers.0.self_attn.q_norm.weight 4 0"},
     TWO,
     0,
     "a norm of single heads, (2,), can be read"},
    {{Q, K, "layers.0.input_layernorm.weight 4 0", "layers.0.self_attn.k_norm.weight 2 0",
      "layers.0.self_attn.k_norm.bias 2 0"},
     TWO,
     0,
     "makes a LayerNorm of heads"},
    {{"encoder.layer.1.attention.self.query.weight 4 4",
      "encoder.layer.1.attention.self.key.weight 4 4", "embeddings.LayerNorm.weight 4 0"},
     TWO,
     1,
     "takes in what the layer before it normalised"},
    {{"a." Q, "b." Q}, TWO, 0, "query weights under 'a.', 'b.'"},
};

static void refused(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(bad_cases); i++) {
    static struct checkpoint_make make;
    for (size_t t = 0; t < 6 && bad_cases[i].tensors[t]; t++) {
      char name[128];
      size_t rows, columns;
      assert_int_equal(sscanf(bad_cases[i].tensors[t], "%127s %zu %zu", name, &rows, &columns), 3);
      make_counting(&make, name, rows, columns, 0);
    }
    make_folder("bad");
    unlink(path_of("bad/config.json"));
    if (bad_cases[i].config) write_text("bad/config.json", bad_cases[i].config);
    write_weights(&make, "bad/model.safetensors");
    const struct checkpoint_choice choice = {.layer = bad_cases[i].layer};
    assert_refused(projection_read(path_of("bad"), &choice, &projection, &error), ERROR_INPUT,
                   bad_cases[i].part);
    assert_message(&error, bad_cases[i].part);
    assert_null(projection.query);
  }
}

/* The first of each is NaN, in the head that is read or in another. */
static void not_finite(void **state) {
  (void)state;
  static const char *const names[] = {
      "layers.0.self_attn.q_proj.weight", "layers.0.self_attn.k_proj.weight",
      "layers.0.self_attn.q_proj.bias", "layers.0.input_layernorm.weight"};
  static const size_t shape[][3] = {{4, 4, 0}, {4, 4, 0}, {4, 0, 0}, {4, 0, 0}};
  for (size_t bad = 0; bad < 5; bad++) {
    static struct checkpoint_make make;
    for (size_t i = 0; i < 4; i++) {
      const double value[16] = {i == bad ? NAN : 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
      make_weights(&make, names[i], STORAGE_BF16, shape[i], value);
    }
    const char *path = write_weights(&make, "nan.safetensors");
    const struct checkpoint_choice choice = {.dim = 2}, other = {.dim = 2, .head = 1};
    if (bad == 4)
      assert_done(projection_read(path, &choice, &projection, &error));
    else
      assert_refused(projection_read(path, &choice, &projection, &error), ERROR_INPUT, names[bad]);
    projection_release(&projection);
    if (bad == 4 || bad < 2)
      assert_done(projection_read(path, &other, &projection, &error));
    else
      assert_refused(projection_read(path, &other, &projection, &error), ERROR_INPUT,
                     "weights must be finite");
    projection_release(&projection);
  }
}

static void no_checkpoints(void **state) {
  (void)state;
  const struct checkpoint_choice first = {0}, second = {.layer = 1}, many = {.head = 12};
  assert_refused(projection_read("minilm", &second, &projection, &error), ERROR_INPUT,
                 "layer 1 of 'minilm': it has layer 0");
  assert_refused(projection_read("minilm", &many, &projection, &error), ERROR_INPUT,
                 "the head is '12', and a layer of 'minilm' has 12 of 32 dimensions: 0 to 11");
  assert_refused(projection_read("minilm:other", &first, &projection, &error), ERROR_INPUT,
                 "in 'minilm' under 'other'");
  assert_refused(projection_read(path_of("gone"), &first, &projection, &error), ERROR_INPUT,
                 "cannot read '");
  projection_release(&projection);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(built_in_heads), cmocka_unit_test(applied),
      cmocka_unit_test(drawn),          cmocka_unit_test(refused),
      cmocka_unit_test(not_finite),     cmocka_unit_test(no_checkpoints),
  };
  if (backend_open("cpu", &backend, &error)) return 1;
  const int failed = cmocka_run_group_tests(tests, folder_create, folder_remove);
  projection_release(&projection);
  backend_close(backend);
  return failed;
}
