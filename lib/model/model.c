#include "lib/model/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/model/config.h"
#include "lib/model/gguf_model.h"

enum { LARGEST_CONFIG = 16 * 1024 * 1024 };

/* As much of `text` as fits, without cutting a UTF-8 sequence; nothing of what is not fit to be
 * shown. */
static void copy_label(char label[SPEC_LABEL], const char *text, size_t length) {
  if (length >= SPEC_LABEL) {
    length = SPEC_LABEL - 1;
    while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
      length--;
  }
  memcpy(label, text, length);
  label[length] = '\0';
  if (!text_is_utf8(label, length) || text_has_control(label)) label[0] = '\0';
}

/* "models/Llama-3-8B/config.json" is Llama-3-8B, "configs/my-model.json" is my-model. Empty when
   the path does not tell. */
static void label_of_path(char label[SPEC_LABEL], const char *path) {
  const char *name = file_name(path);
  size_t length = strlen(name);
  if (strcmp(name, "config.json")) {
    if (length > 5 && (!strcmp(name + length - 5, ".json") || !strcmp(name + length - 5, ".gguf")))
      length -= 5;
    copy_label(label, name, length);
    return;
  }
  const char *folder = file_last_part(path, (size_t)(name - path), &length);
  copy_label(label, folder, length);
}

struct model *model_create(const char *label, size_t count, struct error *error) {
  struct model *model = memory_array(1, sizeof *model, "a model", error);
  if (!model) return NULL;
  model->count = count;
  model->ropes = memory_array(count, sizeof *model->ropes, "a model", error);
  model->values = model->ropes ? table_create(error) : NULL;
  static const char *const columns[] = {"layer_type", "name", "value", "source"};
  bool made = model->values != NULL;
  for (size_t i = 0; made && i < sizeof columns / sizeof *columns; i++)
    made = table_add_column(model->values, columns[i], COLUMN_TEXT, error) >= 0;
  for (size_t i = 0; made && i < count; i++) {
    spec_default(&model->ropes[i]);
    copy_label(model->ropes[i].label, label, strlen(label));
  }
  if (made) return model;
  model_destroy(model);
  return NULL;
}

void model_destroy(struct model *model) {
  if (!model) return;
  free(model->ropes);
  free(model->schedule);
  table_destroy(model->values);
  free(model);
}

int model_explain(struct model *model, const char *layer_type, const char *name, const char *value,
                  const char *source, struct error *error) {
  const char *const cells[] = {layer_type, name, value, source};
  const size_t row = table_rows(model->values);
  int failed = table_add_rows(model->values, 1, error);
  for (size_t i = 0; !failed && i < sizeof cells / sizeof *cells; i++)
    failed = table_set_text(model->values, row, i, cells[i], error);
  return failed;
}

const char *model_number(double value, char text[32]) {
  if (value == floor(value) && fabs(value) < 1e15) {
    snprintf(text, 32, "%.0f", value);
    return text;
  }
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, 32, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return text;
}

static int unknown_model(const char *name, struct error *error) {
  char list[768] = "";
  const struct builtin_model *model;
  size_t used = 0;
  for (size_t i = 0; (model = builtin_model_at(i)) && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", model->name);
  return error_set(error, ERROR_INPUT,
                   "unknown model '%s': no file has that name, and built in are %s", name, list);
}

static int read_builtin(const struct builtin_model *builtin, struct model **model,
                        struct meta *meta, struct error *error) {
  const char *config = builtin->config;
  if (config_read(config, strlen(config), builtin->title, model, meta, error))
    return error_prefix(error, "'%s'", builtin->name);
  snprintf((*model)->source.name, sizeof(*model)->source.name, "%s", builtin->name);
  return OK;
}

/* By its first bytes; those of a pipe are not looked at. */
static bool is_gguf(const char *path) {
  struct stat status;
  unsigned char first[4];
  if (stat(path, &status) || !S_ISREG(status.st_mode)) return false;
  FILE *file = fopen(path, "re");
  if (!file) return false;
  const size_t size = fread(first, 1, sizeof first, file);
  fclose(file);
  return gguf_recognises((struct tensor_bytes){first, size});
}

static int read_gguf(const char *path, struct model **model, struct meta *meta,
                     struct error *error) {
  struct gguf *gguf;
  char label[SPEC_LABEL];
  int failed = gguf_open(path, &gguf, error);
  if (failed) return failed;
  label_of_path(label, path);
  failed = gguf_model_read(gguf, label, model, meta, error);
  if (!failed) {
    const struct tensor_bytes bytes = gguf_bytes(gguf);
    copy_label((*model)->source.name, file_name(path), strlen(file_name(path)));
    hash_bytes(bytes.data, bytes.size, (*model)->source.sha256);
  }
  gguf_destroy(gguf);
  return failed ? error_prefix(error, "'%s'", path) : OK;
}

static int read_file(const char *path, struct model **model, struct meta *meta,
                     struct error *error) {
  char extension[8];
  text_extension(path, extension);
  if (!strcmp(extension, ".gguf") || is_gguf(path)) return read_gguf(path, model, meta, error);
  char *text, label[SPEC_LABEL];
  size_t size;
  int failed = file_read(path, LARGEST_CONFIG, &text, &size, error);
  if (failed) return failed;
  label_of_path(label, path);
  failed = config_read(text, size, label, model, meta, error);
  if (!failed) {
    copy_label((*model)->source.name, file_name(path), strlen(file_name(path)));
    hash_bytes(text, size, (*model)->source.sha256);
  }
  free(text);
  return failed ? error_prefix(error, "'%s'", path) : OK;
}

static int read_folder(const char *folder, struct model **model, struct meta *meta,
                       struct error *error) {
  char *path;
  if (asprintf(&path, "%s%sconfig.json", folder, folder[strlen(folder) - 1] == '/' ? "" : "/") < 0)
    return error_set(error, ERROR_FAILED, "out of memory for the name of a file");
  struct stat status;
  int failed;
  if (stat(path, &status) && errno == ENOENT)
    failed = error_set(error, ERROR_INPUT, "the folder '%s' holds no config.json", folder);
  else
    failed = read_file(path, model, meta, error);
  free(path);
  return failed;
}

int model_read(const char *reference, struct model **model, struct meta *meta,
               struct error *error) {
  *model = NULL;
  char extension[8];
  text_extension(reference, extension);
  struct stat status;
  if (!*reference) return unknown_model(reference, error);
  if (!stat(reference, &status) && S_ISDIR(status.st_mode))
    return read_folder(reference, model, meta, error);
  if (strchr(reference, '/') || !strcmp(extension, ".json") || !strcmp(extension, ".gguf") ||
      !stat(reference, &status))
    return read_file(reference, model, meta, error);
  const struct builtin_model *builtin = builtin_model_find(reference);
  return builtin ? read_builtin(builtin, model, meta, error) : unknown_model(reference, error);
}
