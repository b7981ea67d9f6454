/* Learned tables: the one that is built in, and checkpoints of many models in small. */
#include "tests/unit/checkpoints.h"
#include "tests/unit/gguf_make.h"
#include "tests/unit/learned_table.h"

#include "lib/model/position_table.h"

static struct backend *backend;
static struct error error;
static struct position_table table;
static struct checkpoint_make make;

static void read_table(const char *text) {
  position_table_release(&table);
  assert_done(position_table_read(text, &table, &error));
}

static void assert_bad_table(const char *text, const char *part) {
  position_table_release(&table);
  assert_refused(position_table_read(text, &table, &error), ERROR_INPUT, part);
  assert_message(&error, part);
  assert_null(table.row);
}

/* "FILE:TENSOR" in the test's folder. */
static const char *tensor_of(const char *file, const char *tensor) {
  static char text[512];
  snprintf(text, sizeof text, "%s%s%s", path_of(file), *tensor ? ":" : "", tensor);
  return text;
}

static double product(size_t one, size_t other) {
  double sum = 0;
  for (size_t i = 0; i < table.width; i++)
    sum += table.row[one * table.width + i] * table.row[other * table.width + i];
  return sum;
}

static void built_in(void **state) {
  (void)state;
  read_table("minilm");
  assert_int_equal(table.positions, 512);
  assert_int_equal(table.width, 384);
  assert_int_equal(table.skipped + table.classes, 0);
  assert_false(table.untrained);
  assert_string_equal(table.name, "minilm:embeddings.position_embeddings.weight");
  assert_string_equal(table.sha256, "");
  static const size_t distances[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 511};
  double norm[512], sum = 0;
  size_t smallest = 0, largest = 0;
  for (size_t m = 0; m < 512; m++) {
    sum += norm[m] = sqrt(product(m, m));
    if (norm[m] < norm[smallest]) smallest = m;
    if (norm[m] > norm[largest]) largest = m;
  }
  assert_learned(sum / 512, "row_norm_mean", 0);
  assert_learned(norm[smallest], "row_norm_min", (int)smallest);
  assert_learned(norm[largest], "row_norm_max", (int)largest);
  for (size_t i = 0; i < COUNT_OF(distances); i++) {
    const size_t d = distances[i];
    double cosines = 0;
    for (size_t m = 0; m + d < 512; m++)
      cosines += product(m, m + d) / (norm[m] * norm[m + d]);
    assert_learned(cosines / (double)(512 - d), "cosine_mean", (int)d);
  }
}

static void built_in_scores(void **state) {
  (void)state;
  read_table("minilm");
  const struct score_batch batch = {
      .length = 512, .dim = 384, .query_add = table.row, .key_add = table.row};
  assert_learned_scores(backend, batch, 1, "raw", 0);
}

static void built_in_by_name(void **state) {
  (void)state;
  read_table("minilm:embeddings.word_embeddings.weight");
  assert_int_equal(table.positions, 2048);
  assert_string_equal(table.name, "minilm:embeddings.word_embeddings.weight");
  assert_bad_table("minilm:words", "'minilm': no tensor 'words' in it: it holds 'embeddings.Layer");
}

/* Names of models, rows, and what is made of them. */
static void usual_names(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t leading, rows, positions, skipped, classes;
  } cases[] = {
      {"wpe.weight", 0, 1024, 1024, 0, 0},
      {"transformer.wpe.weight", 0, 514, 514, 0, 0},
      {"embeddings.position_embeddings.weight", 0, 512, 512, 0, 0},
      {"bert.embeddings.position_embeddings.weight", 0, 100, 100, 0, 0},
      {"roberta.embeddings.position_embeddings.weight", 0, 514, 512, 2, 0},
      {"longformer.embeddings.position_embeddings.weight", 0, 4098, 4096, 2, 0},
      {"model.decoder.embed_positions.weight", 0, 2050, 2048, 2, 0},
      {"model.decoder.embed_positions.weight", 0, 448, 448, 0, 0},
      {"model.encoder.embed_positions.weight", 0, 1026, 1024, 2, 0},
      {"bert.embeddings.position_embeddings.weight", 0, 34, 34, 0, 0},
      {"vit.embeddings.position_embeddings", 1, 197, 197, 0, 1},
      {"embeddings.position_embeddings", 1, 198, 198, 0, 2},
      {"embeddings.position_embeddings", 1, 196, 196, 0, 0},
      {"pos_embed", 1, 257, 257, 0, 1},
      {"text_model.embeddings.position_embedding.weight", 0, 77, 77, 0, 0},
      {"text_model.embeddings.position_embedding.weight", 0, 82, 82, 0, 0},
      {"vision_model.embeddings.position_embedding.weight", 0, 50, 50, 0, 1},
      {"positions_embed.weight", 0, 512, 512, 0, 0},
      {"visual.positional_embedding", 0, 50, 50, 0, 0},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const size_t rows = cases[i].rows, count = rows * 3;
    double *value = malloc(count * sizeof *value);
    assert_non_null(value);
    for (size_t n = 0; n < count; n++)
      value[n] = (double)n / 8;
    make_counting(&make, "embeddings.position_ids", 1, rows, 0);
    make_weights(&make, cases[i].name, STORAGE_F32,
                 cases[i].leading ? (size_t[3]){1, rows, 3} : (size_t[3]){rows, 3, 0}, value);
    const char *path = write_weights(&make, "usual.safetensors");
    read_table(path);
    if (table.positions != cases[i].positions || table.skipped != cases[i].skipped ||
        table.classes != cases[i].classes)
      fail_msg("%s, %zu rows: %zu positions, %zu left out, %zu of classes", cases[i].name, rows,
               table.positions, table.skipped, table.classes);
    assert_int_equal(table.width, 3);
    assert_memory_equal(table.row, value + 3 * table.skipped, 3 * table.positions * sizeof *value);
    char name[256], hash[HASH_TEXT];
    snprintf(name, sizeof name, "usual.safetensors:%s", cases[i].name);
    assert_string_equal(table.name, name);
    assert_done(hash_file(path, hash, &error));
    assert_string_equal(table.sha256, hash);
    free(value);
  }
}

/* config.json decides where it says a model that is known. */
static void reserved_by_config(void **state) {
  (void)state;
  static const struct {
    const char *config, *name;
    size_t rows, skipped;
  } cases[] = {
      {"{\"model_type\": \"bert\"}", "embeddings.position_embeddings.weight", 514, 0},
      {"{\"model_type\": \"roberta\"}", "embeddings.position_embeddings.weight", 9, 2},
      {"{\"model_type\": \"camembert\"}", "embeddings.position_embeddings.weight", 514, 2},
      {"{\"model_type\": \"opt\"}", "decoder.embed_positions.weight", 7, 2},
      {"{\"model_type\": \"whisper\"}", "decoder.embed_positions.weight", 66, 0},
      {"{\"model_type\": \"of our own\"}", "decoder.embed_positions.weight", 66, 2},
      {"{}", "decoder.embed_positions.weight", 66, 2},
      {"{\"model_type\": \"roberta\"}", "wpe.weight", 66, 0},
  };
  make_folder("model");
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    make_counting(&make, cases[i].name, cases[i].rows, 2, 1);
    write_weights(&make, "model/model.safetensors");
    write_text("model/config.json", cases[i].config);
    read_table(path_of("model"));
    assert_int_equal(table.skipped, cases[i].skipped);
    assert_int_equal(table.positions, cases[i].rows - cases[i].skipped);
    assert_close(table.row[0], 1 + 2 * (double)cases[i].skipped, 0);
    read_table(tensor_of("model", cases[i].name));
    assert_int_equal(table.skipped, cases[i].skipped);
  }
  make_counting(&make, "roberta.embeddings.position_embeddings.weight", 2, 2, 1);
  write_weights(&make, "model/model.safetensors");
  write_text("model/config.json", "{\"model_type\": \"roberta\"}");
  assert_bad_table(path_of("model"), "has 2 rows: the first 2 are reserved in such models");
  write_text("model/config.json", "{\"model_type\": 3}");
  assert_bad_table(path_of("model"), "config.json beside '");
  write_text("model/config.json", "{");
  assert_bad_table(path_of("model"), "model/config.json': not valid JSON");
}

static void element_types(void **state) {
  (void)state;
  const double value[4] = {0.5, -2, 0.25, 1024};
  for (int storage = STORAGE_F64; storage < STORAGE_REALS; storage++) {
    make_weights(&make, "wpe.weight", (enum storage)storage, (size_t[3]){2, 2, 0}, value);
    read_table(write_weights(&make, "types.safetensors"));
    assert_memory_equal(table.row, value, sizeof value);
  }
  struct bytes bytes = safetensors_bytes(
      "{\"wpe.weight\":{\"dtype\":\"I32\",\"shape\":[1,1],\"data_offsets\":[0,4]}}", "1234", 4);
  write_whole(path_of("whole.safetensors"), bytes.data, bytes.size);
  bytes_free(&bytes);
  assert_bad_table(path_of("whole.safetensors"), "type i32: real ones are needed");
}

static void any_name(void **state) {
  (void)state;
  make_counting(&make, "a.table", 3, 2, 5);
  read_table(write_weights(&make, "one.safetensors"));
  assert_int_equal(table.positions, 3);
  make_counting(&make, "a.table", 66, 2, 5);
  make_counting(&make, "b.xwpe.weight", 4, 2, 5);
  const char *path = write_weights(&make, "two.safetensors");
  assert_bad_table(path, "no table of positions with a usual name in '");
  assert_message(&error, "it holds 'a.table', 'b.xwpe.weight'");
  read_table(tensor_of("two.safetensors", "a.table"));
  assert_int_equal(table.positions, 66);
  assert_bad_table(tensor_of("two.safetensors", "c"), "no tensor 'c' in it");
}

static void several_tables(void **state) {
  (void)state;
  make_counting(&make, "model.encoder.embed_positions.weight", 3, 2, 5);
  make_counting(&make, "model.decoder.embed_positions.weight", 4, 2, 5);
  make_counting(&make, "model.other", 4, 2, 5);
  assert_bad_table(write_weights(&make, "whisper.safetensors"),
                   "whisper.safetensors'? FILE:TENSOR takes one; it has "
                   "'model.decoder.embed_positions.weight', "
                   "'model.encoder.embed_positions.weight'");
  read_table(tensor_of("whisper.safetensors", "model.decoder.embed_positions.weight"));
  assert_int_equal(table.positions, 4);
  for (int i = 0; i < 60; i++) {
    char name[48];
    snprintf(name, sizeof name, "part.%d.wpe.weight", i);
    make_counting(&make, name, 1, 1, 0);
  }
  assert_bad_table(write_weights(&make, "many.safetensors"), " and 38 more");
}

static void other_shapes(void **state) {
  (void)state;
  static const struct {
    size_t shape[3];
    const char *text;
  } cases[] = {{{6, 0, 0}, "has the shape (6,)"}, {{2, 3, 1}, "has the shape (2, 3, 1)"}};
  const double value[6] = {0};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    make_weights(&make, "wpe.weight", STORAGE_F32, cases[i].shape, value);
    assert_bad_table(write_weights(&make, "shape.safetensors"), cases[i].text);
  }
  write_text("empty.npy", "");
  struct bytes bytes =
      npy_bytes(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4), }      \n", NULL, 0);
  write_whole(path_of("empty.npy"), bytes.data, bytes.size);
  bytes_free(&bytes);
  assert_bad_table(path_of("empty.npy"), "'empty.npy' has the shape (0, 4)");
}

static void not_finite(void **state) {
  (void)state;
  double value[12] = {0};
  value[7] = NAN;
  make_weights(&make, "wpe.weight", STORAGE_F16, (size_t[3]){4, 3, 0}, value);
  assert_bad_table(write_weights(&make, "nan.safetensors"), "row 2, column 1");
  value[7] = 0;
  value[11] = INFINITY;
  make_weights(&make, "pos_embed", STORAGE_BF16, (size_t[3]){1, 4, 3}, value);
  assert_bad_table(write_weights(&make, "inf.safetensors"), "inf in '");
  assert_message(&error, "at (0, 3, 2)");
}

static void npy(void **state) {
  (void)state;
  const double value[4] = {1, 2, 3, 4};
  struct bytes bytes = npy_bytes(
      1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }      \n", value, sizeof value);
  write_whole(path_of("table.npy"), bytes.data, bytes.size);
  bytes_free(&bytes);
  read_table(path_of("table.npy"));
  const double columns[4] = {1, 3, 2, 4};
  assert_memory_equal(table.row, columns, sizeof columns);
  assert_string_equal(table.name, "table.npy");
  assert_int_equal(strlen(table.sha256), 64);
  assert_bad_table(tensor_of("table.npy", "x"), "leave out ':x'");
}

static void gguf(void **state) {
  (void)state;
  struct gguf_make made = make_gguf(3, 2, 1);
  const float value[132] = {[2] = 3, [130] = 7};
  make_string(&made, "general.architecture", "gpt2");
  make_tensor(&made, "output.weight", 2, (uint64_t[]){1, 1});
  make_place(&made, 0, 0);
  make_tensor(&made, "position_embd.weight", 2, (uint64_t[]){2, 66});
  make_place(&made, 0, 32);
  make_padding(&made, 32);
  make_f32(&made, value, 1);
  make_padding(&made, 32);
  make_f32(&made, value, 132);
  make_padding(&made, 32);
  write_whole(path_of("table.gguf"), made.bytes.data, made.bytes.size);
  bytes_free(&made.bytes);
  read_table(path_of("table.gguf"));
  assert_int_equal(table.positions, 66);
  assert_int_equal(table.width, 2);
  assert_close(table.row[130], 7, 0);
  assert_string_equal(table.name, "table.gguf:position_embd.weight");
}

static void sharded(void **state) {
  (void)state;
  make_folder("shards");
  make_counting(&make, "h.0.ln_1.weight", 2, 0, 0);
  write_weights(&make, "shards/model-00001-of-00002.safetensors");
  make_counting(&make, "wpe.weight", 4, 2, 1);
  const char *second = write_weights(&make, "shards/model-00002-of-00002.safetensors");
  char hash[HASH_TEXT];
  assert_done(hash_file(second, hash, &error));
  write_text("shards/model.safetensors.index.json",
             "{\"metadata\": {}, \"weight_map\": {"
             "\"wpe.weight\": \"model-00002-of-00002.safetensors\","
             "\"gone.wte\": \"model-00003-of-00003.safetensors\","
             "\"h.0.ln_1.weight\": \"model-00001-of-00002.safetensors\"}}");
  const char *const texts[] = {"shards", "shards/", "shards/model.safetensors.index.json"};
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    read_table(path_of(texts[i]));
    assert_int_equal(table.positions, 4);
    assert_string_equal(table.name, "model.safetensors.index.json:wpe.weight");
    assert_string_equal(table.sha256, hash);
    read_table(tensor_of(texts[i], "wpe.weight"));
    assert_bad_table(tensor_of(texts[i], "gone.wte"), "model-00003-of-00003.safetensors': No such");
    assert_bad_table(tensor_of(texts[i], "nothing"), "index.json': no tensor 'nothing' in it");
    assert_bad_table(tensor_of(texts[i], "h.0.ln_1.weight"), "has the shape (2,)");
  }
}

static void bad_indexes(void **state) {
  (void)state;
  static const struct {
    const char *index, *part;
  } cases[] = {
      {"", "not valid JSON"},
      {"{", "not valid JSON"},
      {"[]", "it has no 'weight_map'"},
      {"{}", "it has no 'weight_map'"},
      {"{\"weight_map\": []}", "it has no 'weight_map'"},
      {"{\"weight_map\": {}}", "it holds nothing"},
      {"{\"weight_map\": {\"wpe.weight\": 1}}", "gives tensor 'wpe.weight' no file"},
      {"{\"weight_map\": {\"wpe.weight\": \"\"}}", "the file ''"},
      {"{\"weight_map\": {\"wpe.weight\": \"../x.safetensors\"}}", "the file '../x.safetensors'"},
      {"{\"weight_map\": {\"a\": \"a\", \"a\": \"b\"}}", "not valid JSON"},
      {"{\"weight_map\": {\"wpe.weight\": \"gone.safetensors\"}}", "gone.safetensors': No such"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    assert_bad_table(write_text("bad.safetensors.index.json", cases[i].index), cases[i].part);
}

static void no_files(void **state) {
  (void)state;
  make_folder("bare");
  assert_bad_table(path_of("bare"), "no checkpoint in folder '");
  assert_bad_table(path_of("gone.safetensors"), "cannot read '");
  assert_bad_table(tensor_of("gone.safetensors", "wpe.weight"), "gone.safetensors': No such file");
  assert_bad_table("", "cannot read ''");
  assert_bad_table(write_text("cut.safetensors", "\xff"),
                   "cut.safetensors': the file is cut short");
  assert_bad_table(write_text("note.txt", "hello"), "note.txt': not a tensor file");
}

static void random_table(void **state) {
  (void)state;
  read_table("random:7");
  assert_true(table.untrained);
  assert_null(table.row);
  assert_string_equal(table.name, "random:7");
  assert_done(position_table_draw(backend, &table, 300, 64, &error));
  double sum = 0, square = 0;
  for (size_t i = 0; i < 300 * 64; i++) {
    sum += table.row[i];
    square += table.row[i] * table.row[i];
  }
  /* Five standard errors of the mean and of the variance. */
  assert_close(sum / 19200, 0, 5 * 0.02 / sqrt(19200));
  assert_close(square / 19200, 4e-4, 5 * 4e-4 * sqrt(2. / 19200));
  const double first = table.row[5];
  assert_done(position_table_draw(backend, &table, 6, 64, &error));
  assert_int_equal(table.positions, 6);
  assert_close(table.row[5], first, 0);
  assert_refused(position_table_draw(backend, &table, SIZE_MAX / 2, 64, &error), ERROR_FAILED,
                 "a random table of positions");
  assert_int_equal(table.positions, 6);
  read_table("minilm");
  assert_done(position_table_draw(backend, &table, 6, 64, &error));
  assert_int_equal(table.positions, 512);
  assert_bad_table("random:", "the SEED of 'random:SEED'");
  assert_bad_table("random:-1", "-1");
  assert_bad_table("random:1.5", "1.5");
}

/* The part of a checkpoint that queries and keys were taken from, or what it lies in. */
static void part_of_a_checkpoint(void **state) {
  (void)state;
  static const struct {
    const char *part, *name;
  } parts[] = {
      {"text_model", "text_model.embeddings.position_embedding.weight"},
      {"text_model.encoder.", "text_model.embeddings.position_embedding.weight"},
      {"vision_model.encoder.layers", "vision_model.embeddings.position_embedding.weight"}};
  make_counting(&make, "text_model.embeddings.position_embedding.weight", 77, 4, 1);
  make_counting(&make, "vision_model.embeddings.position_embedding.weight", 50, 4, 2);
  write_weights(&make, "clip.safetensors");
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    char name[128];
    snprintf(name, sizeof name, "clip.safetensors:%s", parts[i].name);
    position_table_release(&table);
    assert_done(
        position_table_read_part(tensor_of("clip.safetensors", parts[i].part), &table, &error));
    assert_string_equal(table.name, name);
  }
  static const char *const unclear[] = {"", "text", "other.encoder."};
  for (size_t i = 0; i < COUNT_OF(unclear); i++) {
    position_table_release(&table);
    assert_refused(
        position_table_read_part(tensor_of("clip.safetensors", unclear[i]), &table, &error),
        ERROR_INPUT, "which table of");
  }
  position_table_release(&table);
  assert_done(position_table_read_part("minilm", &table, &error));
  assert_int_equal(table.positions, 512);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(built_in),
      cmocka_unit_test(built_in_scores),
      cmocka_unit_test(built_in_by_name),
      cmocka_unit_test(usual_names),
      cmocka_unit_test(reserved_by_config),
      cmocka_unit_test(element_types),
      cmocka_unit_test(any_name),
      cmocka_unit_test(several_tables),
      cmocka_unit_test(part_of_a_checkpoint),
      cmocka_unit_test(other_shapes),
      cmocka_unit_test(not_finite),
      cmocka_unit_test(npy),
      cmocka_unit_test(gguf),
      cmocka_unit_test(sharded),
      cmocka_unit_test(bad_indexes),
      cmocka_unit_test(no_files),
      cmocka_unit_test(random_table),
  };
  if (backend_open("cpu", &backend, &error)) return 1;
  const int failed = cmocka_run_group_tests(tests, folder_create, folder_remove);
  position_table_release(&table);
  backend_close(backend);
  return failed;
}
