/* Built-in models, and how a reference becomes a model: files, folders, names. */
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/model/family.h"
#include "tests/unit/models.h"

static struct rope_spec spec;
static struct model_source source;
static struct error error;

static void builtins_are_the_public_models(void **state) {
  (void)state;
  static const char *const files[] = {"Llama-2-7b-hf",   "Meta-Llama-3-8B",          "Llama-3.1-8B",
                                      "Mistral-7B-v0.1", "Mistral-7B-Instruct-v0.2", "Qwen2.5-7B",
                                      "gemma-2-9b"};
  static const char *const names[] = {"llama-2-7b",      "llama-3-8b",      "llama-3.1-8b",
                                      "mistral-7b-v0.1", "mistral-7b-v0.2", "qwen2.5-7b",
                                      "gemma-2-9b"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct builtin_model *model = builtin_model_at(i);
    assert_non_null(model);
    assert_string_equal(model->name, names[i]);
    assert_ptr_equal(builtin_model_find(names[i]), model);
    assert_true(strlen(model->source) > 0);
    struct meta *meta = meta_create();
    struct rope_spec expected;
    struct model_source file;
    char path[256];
    if (read_one(names[i], &spec, &source, meta, &error)) fail_msg("%s", error.message);
    assert_int_equal(meta_count(meta, "warnings"), 0);
    snprintf(path, sizeof path, "tests/golden/configs/%s.json", files[i]);
    assert_int_equal(read_one(path, &expected, &file, meta, &error), OK);
    meta_destroy(meta);
    assert_string_equal(spec.label, model->title);
    assert_string_equal(source.name, names[i]);
    assert_string_equal(source.sha256, "");
    assert_int_equal(spec.head_dim, expected.head_dim);
    assert_int_equal(spec.rotary_dim, expected.rotary_dim);
    assert_true(spec.base == expected.base);
    assert_int_equal(spec.context, expected.context);
    assert_int_equal(spec.layout, expected.layout);
    assert_string_equal(spec.scaling.type, expected.scaling.type);
    assert_int_equal(spec.scaling.count, expected.scaling.count);
    for (size_t j = 0; j < spec.scaling.count; j++) {
      const struct spec_parameter *parameter = &spec.scaling.parameters[j];
      assert_true(spec_parameter(&expected, parameter->key) == parameter->value);
    }
  }
  assert_null(builtin_model_at(sizeof names / sizeof *names));
  assert_null(builtin_model_find("llama-3-9b"));
}

static char folder[64];

static int make_folder(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/test_builtin-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(path);
}

static int remove_folder(void **state) {
  (void)state;
  return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static const char *put(const char *name, const char *text) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  return path;
}

static void refused(const char *reference, const char *message) {
  error = (struct error){OK, ""};
  assert_int_equal(read_one(reference, &spec, &source, NULL, &error), ERROR_INPUT);
  if (!strstr(error.message, message))
    fail_msg("%s: \"%s\" does not hold \"%s\"", reference, error.message, message);
}

static const char small[] = "{\"model_type\": \"llama\", \"head_dim\": 64}";

static void labels_come_from_names(void **state) {
  (void)state;
  char path[256];
  snprintf(path, sizeof path, "%s/My-Model", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  put("My-Model/config.json", small);
  assert_int_equal(read_one(path, &spec, &source, NULL, &error), OK);
  assert_string_equal(spec.label, "My-Model");
  assert_string_equal(source.name, "config.json");
  strcat(path, "/");
  assert_int_equal(read_one(path, &spec, &source, NULL, &error), OK);
  assert_string_equal(spec.label, "My-Model");
  strcat(path, "config.json");
  assert_int_equal(read_one(path, &spec, &source, NULL, &error), OK);
  assert_string_equal(spec.label, "My-Model");
  /* Of the text of `small`, by sha256sum. */
  assert_string_equal(source.sha256,
                      "f858e7c126b7821c855392f5f539c731bbb402866f9d1c43bd0d9b058c09e7d8");
  assert_int_equal(read_one(put("other.json", small), &spec, &source, NULL, &error), OK);
  assert_string_equal(spec.label, "other");
  assert_int_equal(read_one(put("plain", small), &spec, &source, NULL, &error), OK);
  assert_string_equal(spec.label, "plain");
  /* A name that cannot be shown gives way to the model_type. */
  assert_int_equal(read_one(put("\xff.json", small), &spec, &source, NULL, &error), OK);
  assert_string_equal(spec.label, "llama");
  assert_string_equal(source.name, "");
  char longer[200];
  memset(longer, 'x', sizeof longer);
  memcpy(longer + 94, "\xc3\xa9", 2); /* é across the limit */
  longer[199] = '\0';
  assert_int_equal(read_one(put(longer, small), &spec, &source, NULL, &error), OK);
  assert_int_equal(strlen(spec.label), 94);
}

static void here_is_labelled_by_type(void **state) {
  (void)state;
  const int root = open(".", O_RDONLY | O_DIRECTORY);
  assert_true(root >= 0);
  put("config.json", small);
  put("llama-3-8b", "{\"model_type\": \"gptj\", \"head_dim\": 64}");
  assert_int_equal(chdir(folder), 0);
  const int plain = read_one("config.json", &spec, &source, NULL, &error);
  char label[2][SPEC_LABEL];
  memcpy(label[0], spec.label, SPEC_LABEL);
  const int dot = read_one(".", &spec, &source, NULL, &error);
  memcpy(label[1], spec.label, SPEC_LABEL);
  /* A file that exists goes before a built-in name. */
  const int file = read_one("llama-3-8b", &spec, &source, NULL, &error);
  assert_int_equal(fchdir(root), 0);
  close(root);
  assert_int_equal(plain | dot | file, OK);
  assert_string_equal(label[0], "llama");
  assert_string_equal(label[1], "llama");
  assert_int_equal(spec.layout, LAYOUT_INTERLEAVED);
  assert_true(strlen(source.sha256) == 64);
}

static void missing_models_are_told(void **state) {
  (void)state;
  char path[128];
  refused("llama-3-9b", "unknown model 'llama-3-9b': no file has that name, and built in are "
                        "llama-2-7b, llama-3-8b, llama-3.1-8b, mistral-7b-v0.1, mistral-7b-v0.2, "
                        "qwen2.5-7b, gemma-2-9b");
  refused("", "unknown model ''");
  refused("llama-3-8b.json", "cannot read 'llama-3-8b.json': No such file or directory");
  refused("nowhere/llama-3-8b", "cannot read 'nowhere/llama-3-8b': No such file or directory");
  snprintf(path, sizeof path, "%s/empty", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  refused(path, "/empty' holds no config.json");
  strcat(path, "/config.json");
  assert_int_equal(mkdir(path, 0700), 0);
  refused(path, "/empty/config.json' holds no config.json");
  path[strlen(path) - strlen("/config.json")] = '\0';
  refused(path, "it is a folder");
}

static void faults_name_the_file(void **state) {
  (void)state;
  refused(put("cut.json", "{\"model_type\": \"llama\", "), "cut.json': not valid JSON at line 1");
  refused(put("empty.json", ""), "empty.json': not valid JSON");
  refused(put("text.json", "{\"model_type\": \"llama\", \"head_dim\": \"64\"}"),
          "text.json': 'head_dim' is the text \"64\"");
  const char *large = put("large.json", small);
  assert_int_equal(truncate(large, 16 * 1024 * 1024 + 1), 0);
  refused(large, "large.json' is larger than the 16777216 bytes");
}

static void families_are_found(void **state) {
  (void)state;
  struct model_family family;
  assert_true(model_family_find("llama4_text", &family));
  assert_int_equal(family.layout, LAYOUT_INTERLEAVED);
  assert_true(family.base == 500000);
  assert_true(model_family_find("qwen3_vl_moe_text", &family));
  assert_int_equal(family.layout, LAYOUT_HALVES);
  assert_true(model_family_find("gemma3_text", &family));
  assert_true(family.layered);
  assert_true(model_family_find("gpt2", &family));
  assert_non_null(family.instead);
  static const char *const interleaved[] = {"gptj",    "codegen",     "roformer", "chatglm", "glm4",
                                            "cohere2", "deepseek_v2", "helium",   "ernie4_5"};
  for (size_t i = 0; i < sizeof interleaved / sizeof *interleaved; i++) {
    assert_true(model_family_find(interleaved[i], &family));
    assert_int_equal(family.layout, LAYOUT_INTERLEAVED);
  }
  static const char *const unknown[] = {"", "_text", "llama5", "llama4_text_text"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    assert_false(model_family_find(unknown[i], &family));
    assert_int_equal(family.layout, LAYOUT_HALVES);
    assert_true(family.share == 1 && family.base == 10000 && !family.instead && !family.layered);
  }
  assert_false(model_family_find(NULL, &family));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builtins_are_the_public_models),
      cmocka_unit_test_setup_teardown(labels_come_from_names, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(here_is_labelled_by_type, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(missing_models_are_told, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(faults_name_the_file, make_folder, remove_folder),
      cmocka_unit_test(families_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
