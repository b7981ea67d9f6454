#include "lib/model/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/asset.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/io/mapping.h"
#include "lib/model/weights_parts.h"

static const char builtin_name[] = "minilm";
static const char builtin_asset[] = "minilm/minilm-l6-v2-positions.safetensors";
/* What of its config.json is asked for. */
static const char builtin_config[] = "{\"model_type\": \"bert\", \"num_attention_heads\": 12,"
                                     " \"layer_norm_eps\": 1e-12}";

const char *weights_builtin_at(size_t index) {
  return index ? NULL : builtin_name;
}

bool weights_named(const char *name, const char *usual) {
  const size_t length = strlen(name), end = strlen(usual);
  return length >= end && !strcmp(name + length - end, usual) &&
         (length == end || name[length - end - 1] == '.');
}

/* Length of PATH in "PATH[:REST]". */
static size_t path_length(const char *text) {
  char *path = strdup(text);
  size_t length = strlen(text);
  if (!path || !access(path, F_OK)) {
    free(path);
    return length;
  }
  length = tensor_path_length(text);
  for (char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
    *colon = '\0';
    const bool there = !access(path, F_OK);
    *colon = ':';
    if (!there) continue;
    length = (size_t)(colon - path);
    break;
  }
  free(path);
  return length;
}

/* The path of `name` in the folder of `path`, or in `path` itself where that is a folder; to be
   released with free(). */
static char *path_beside(const char *path, bool inside, const char *name, struct error *error) {
  char *result;
  const int folder = inside ? (int)strlen(path) : (int)(file_name(path) - path);
  const char *slash = inside && folder && path[folder - 1] != '/' ? "/" : "";
  if (asprintf(&result, "%.*s%s%s", folder, path, slash, name) >= 0) return result;
  error_set(error, ERROR_FAILED, "out of memory: the path of '%s'", name);
  return NULL;
}

/* Puts the checkpoint of a folder in its place. */
static int enter_folder(struct weights *weights, struct error *error) {
  static const char *const usual[] = {"model.safetensors", "model.safetensors.index.json"};
  struct stat status;
  if (stat(weights->path, &status) || !S_ISDIR(status.st_mode)) return OK;
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    char *path = path_beside(weights->path, true, usual[i], error);
    if (!path) return ERROR_FAILED;
    if (!access(path, F_OK)) {
      free(weights->path);
      weights->path = path;
      return OK;
    }
    free(path);
  }
  return error_set(error, ERROR_INPUT,
                   "no checkpoint in folder '%s': model.safetensors or "
                   "model.safetensors.index.json is looked for",
                   weights->path);
}

static int open_builtin(struct weights *weights, struct error *error) {
  const struct asset *asset = asset_find(builtin_asset);
  if (!asset) return error_set(error, ERROR_FAILED, "'%s' is not built in", builtin_asset);
  struct weights_file *file = &weights->file[0];
  file->bytes = (struct mapping){.data = (void *)(uintptr_t)asset->data, .size = asset->size};
  file->open = true;
  return weights_list_file(weights, error);
}

static int open_named(struct weights *weights, struct error *error) {
  static const char index[] = ".json";
  int status = enter_folder(weights, error);
  if (status) return status;
  const size_t length = strlen(weights->path);
  if (length >= sizeof index && !strcmp(weights->path + length - (sizeof index - 1), index))
    return weights_list_index(weights, error);
  weights->file = memory_array(1, sizeof *weights->file, "a checkpoint", error);
  if (!weights->file) return ERROR_FAILED;
  weights->files = 1;
  weights->file[0].path = memory_text(weights->path, error);
  if (!weights->file[0].path) return ERROR_FAILED;
  status = weights_open_file(&weights->file[0], error);
  return status ? status : weights_list_file(weights, error);
}

static int open_any(const char *text, struct weights *weights, struct error *error) {
  const size_t name = sizeof builtin_name - 1;
  weights->builtin = !strncmp(text, builtin_name, name) && (!text[name] || text[name] == ':');
  weights->path = memory_text(text, error);
  if (!weights->path) return ERROR_FAILED;
  const size_t length = weights->builtin ? name : path_length(text);
  weights->path[length] = '\0';
  if (text[length]) weights->rest = memory_text(text + length + 1, error);
  if (text[length] && !weights->rest) return ERROR_FAILED;
  if (!weights->builtin) return open_named(weights, error);
  weights->file = memory_array(1, sizeof *weights->file, "a checkpoint", error);
  if (!weights->file) return ERROR_FAILED;
  weights->files = 1;
  return open_builtin(weights, error);
}

int weights_open(const char *text, struct weights **result, struct error *error) {
  *result = NULL;
  struct weights *weights = memory_array(1, sizeof *weights, "a checkpoint", error);
  if (!weights) return ERROR_FAILED;
  const int status = open_any(text, weights, error);
  if (status)
    weights_close(weights);
  else
    *result = weights;
  return status;
}

void weights_close(struct weights *weights) {
  if (!weights) return;
  gguf_destroy(weights->gguf);
  fields_release(weights->config);
  for (size_t i = 0; i < weights->files; i++) {
    if (!weights->builtin) mapping_close(&weights->file[i].bytes);
    free(weights->file[i].path);
  }
  for (size_t i = 0; i < weights->count; i++)
    free(weights->tensor[i].name);
  free(weights->tensor);
  free(weights->file);
  free(weights->rest);
  free(weights->path);
  free(weights);
}

const char *weights_rest(const struct weights *weights) {
  return weights->rest;
}

const char *weights_path(const struct weights *weights) {
  return weights->path;
}

void weights_describe(const struct weights *weights, const char *name, char *text, size_t size) {
  snprintf(text, size, "%s%s%s", file_name(weights->path), *name ? ":" : "", name);
}

void weights_hash(const struct weights *weights, char hex[HASH_TEXT]) {
  *hex = '\0';
  if (weights->builtin) return;
  size_t count = 0;
  struct hash_part *part = malloc(weights->files * sizeof *part);
  if (!part) return;
  for (size_t i = 0; i < weights->files; i++)
    if (weights->file[i].open)
      part[count++] = (struct hash_part){weights->file[i].bytes.data, weights->file[i].bytes.size};
  hash_parts(part, count, hex);
  free(part);
}

static int parse_config(struct weights *weights, const char *path, struct error *error) {
  char *text;
  size_t size;
  int status = file_read(path, memory_limit(), &text, &size, error);
  if (status) return status;
  status = fields_parse(text, size, &weights->config, error);
  free(text);
  return status ? error_prefix(error, "'%s'", path) : OK;
}

int weights_config(struct weights *weights, const struct fields **config, struct error *error) {
  int status = OK;
  if (!weights->config && weights->builtin) {
    status = fields_parse(builtin_config, sizeof builtin_config - 1, &weights->config, error);
  } else if (!weights->config) {
    char *path = path_beside(weights->path, false, "config.json", error);
    if (!path) return ERROR_FAILED;
    if (!access(path, F_OK)) status = parse_config(weights, path, error);
    free(path);
  }
  *config = weights->config;
  return status;
}

int weights_gguf(struct weights *weights, const struct gguf **gguf, struct error *error) {
  struct tensor_bytes bytes = {0};
  int status = OK;
  if (weights->files == 1)
    bytes = (struct tensor_bytes){weights->file[0].bytes.data, weights->file[0].bytes.size};
  if (!weights->gguf && gguf_recognises(bytes)) status = gguf_parse(bytes, &weights->gguf, error);
  *gguf = weights->gguf;
  return status ? error_prefix(error, "'%s'", weights->path) : OK;
}
