#include "lib/base/hash.h"

#include <nettle/sha2.h>
#include <stdint.h>
#include <stdio.h>

void hash_parts(const struct hash_part *parts, size_t count, char hex[HASH_TEXT]) {
  struct sha256_ctx context;
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_init(&context);
  for (size_t i = 0; i < count; i++)
    sha256_update(&context, parts[i].size, parts[i].data);
  sha256_digest(&context, sizeof digest, digest);
  for (size_t i = 0; i < sizeof digest; i++)
    snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

void hash_bytes(const void *data, size_t size, char hex[HASH_TEXT]) {
  hash_parts(&(struct hash_part){data, size}, 1, hex);
}
