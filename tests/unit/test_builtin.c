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

/* The built-in models and the public configs that they are from. */
static const struct {
  const char *name, *file;
} public[] = {
    {"llama-2-7b", "Llama-2-7b-hf"},
    {"llama-3-8b", "Meta-Llama-3-8B"},
    {"llama-3.1-8b", "Llama-3.1-8B"},
    {"mistral-7b-v0.1", "Mistral-7B-v0.1"},
    {"mistral-7b-v0.2", "Mistral-7B-Instruct-v0.2"},
    {"qwen2.5-7b", "Qwen2.5-7B"},
    {"qwen2-vl-7b", "Qwen2-VL-7B-Instruct"},
    {"gemma-2-9b", "gemma-2-9b"},
    {"llama-3.2-1b", "Llama-3.2-1B"},
    {"llama-4-scout", "Llama-4-Scout-17B-16E"},
    {"codellama-7b", "CodeLlama-7b"},
    {"yarn-llama-2-7b-64k", "Yarn-Llama-2-7b-64k"},
    {"mixtral-8x7b", "Mixtral-8x7B-v0.1"},
    {"qwen3-8b", "Qwen3-8B"},
    {"gemma-3-4b", "gemma-3-4b-it"},
    {"gemma-4-12b", "gemma-4-12b"},
    {"gpt-oss-20b", "gpt-oss-20b"},
    {"deepseek-v2-lite", "DeepSeek-V2-Lite"},
    {"deepseek-v3", "DeepSeek-V3"},
    {"phi-2", "phi-2"},
    {"gpt-j-6b", "gpt-j-6b"},
    {"pythia-6.9b", "pythia-6.9b"},
    {"command-r", "c4ai-command-r-v01"},
    {"glm-4-9b", "glm-4-9b-chat"},
    {"olmo-2-7b", "OLMo-2-1124-7B"},
    {"smollm3-3b", "SmolLM3-3B"},
    {"modernbert-base", "ModernBERT-base"},
};

enum { PUBLIC = sizeof public / sizeof *public };

static void same_scaling(const struct spec_scaling *one, const struct spec_scaling *other) {
  assert_string_equal(one->type, other->type);
  assert_int_equal(one->count, other->count);
  assert_int_equal(one->list_count, other->list_count);
  for (size_t i = 0; i < one->count; i++) {
    assert_string_equal(one->parameters[i].key, other->parameters[i].key);
    assert_true(one->parameters[i].value == other->parameters[i].value);
  }
}

static void same_model(const struct model *one, const struct model *other) {
  assert_int_equal(one->count, other->count);
  for (size_t i = 0; i < one->count; i++) {
    const struct rope_spec *spec_one = &one->ropes[i], *spec_other = &other->ropes[i];
    assert_string_equal(spec_one->layer_type, spec_other->layer_type);
    assert_int_equal(spec_one->head_dim, spec_other->head_dim);
    assert_int_equal(spec_one->rotary_dim, spec_other->rotary_dim);
    assert_true(spec_one->base == spec_other->base);
    assert_int_equal(spec_one->context, spec_other->context);
    assert_int_equal(spec_one->layout, spec_other->layout);
    assert_int_equal(spec_one->axes, spec_other->axes);
    assert_memory_equal(spec_one->section, spec_other->section, sizeof spec_one->section);
    assert_int_equal(spec_one->sections_interleaved, spec_other->sections_interleaved);
    assert_int_equal(spec_one->plain_softmax, spec_other->plain_softmax);
    same_scaling(&spec_one->scaling, &spec_other->scaling);
  }
  assert_int_equal(one->layers, other->layers);
  assert_true(one->layers > 0);
  assert_memory_equal(one->schedule, other->schedule, one->layers * sizeof *one->schedule);
}

static void builtins_are_the_public_models(void **state) {
  (void)state;
  for (size_t i = 0; i < PUBLIC; i++) {
    const struct builtin_model *builtin = builtin_model_at(i);
    assert_non_null(builtin);
    assert_string_equal(builtin->name, public[i].name);
    assert_ptr_equal(builtin_model_find(public[i].name), builtin);
    assert_true(strlen(builtin->source) > 0);
    struct meta *meta = meta_create(), *expected_meta = meta_create();
    struct model *model, *expected;
    char path[256];
    if (model_read(public[i].name, &model, meta, &error)) fail_msg("%s", error.message);
    snprintf(path, sizeof path, "tests/golden/configs/%s.json", public[i].file);
    assert_int_equal(model_read(path, &expected, expected_meta, &error), OK);
    assert_int_equal(meta_count(meta, "warnings"), meta_count(expected_meta, "warnings"));
    assert_string_equal(model->ropes->label, builtin->title);
    assert_string_equal(model->source.name, public[i].name);
    assert_string_equal(model->source.sha256, "");
    same_model(model, expected);
    model_destroy(model);
    model_destroy(expected);
    meta_destroy(meta);
    meta_destroy(expected_meta);
  }
  assert_null(builtin_model_at(PUBLIC));
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
                        "qwen2.5-7b, qwen2-vl-7b, gemma-2-9b, ");
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
