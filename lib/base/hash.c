#include "lib/base/hash.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void finish(struct sha256_ctx *context, char hex[HASH_TEXT]) {
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(context, sizeof digest, digest);
  for (size_t i = 0; i < sizeof digest; i++)
    snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

struct hash {
  struct sha256_ctx context;
};

struct hash *hash_begin(struct error *error) {
  struct hash *hash = malloc(sizeof *hash);
  if (!hash)
    error_set(error, ERROR_FAILED, "out of memory: a hash");
  else
    sha256_init(&hash->context);
  return hash;
}

void hash_add(struct hash *hash, const void *data, size_t size) {
  sha256_update(&hash->context, size, data);
}

void hash_end(struct hash *hash, char hex[HASH_TEXT]) {
  finish(&hash->context, hex);
  free(hash);
}

void hash_parts(const struct hash_part *parts, size_t count, char hex[HASH_TEXT]) {
  struct sha256_ctx context;
  sha256_init(&context);
  for (size_t i = 0; i < count; i++)
    sha256_update(&context, parts[i].size, parts[i].data);
  finish(&context, hex);
}

void hash_bytes(const void *data, size_t size, char hex[HASH_TEXT]) {
  hash_parts(&(struct hash_part){data, size}, 1, hex);
}

int hash_file(const char *path, char hex[HASH_TEXT], struct error *error) {
  FILE *file = fopen(path, "rbe");
  if (!file) return error_set(error, ERROR_INPUT, "cannot read '%s': %s", path, strerror(errno));
  struct sha256_ctx context;
  uint8_t block[65536];
  size_t got;
  sha256_init(&context);
  while ((got = fread(block, 1, sizeof block, file)) > 0)
    sha256_update(&context, got, block);
  const int failed = ferror(file), number = errno;
  fclose(file);
  if (failed) return error_set(error, ERROR_INPUT, "cannot read '%s': %s", path, strerror(number));
  finish(&context, hex);
  return OK;
}
