/* Hostile figures. Whatever the bytes are, reading them ends with a result or an error; and a
   figure that can be sealed in any format reads back as it was sealed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/figure/provenance.h"
#include "lib/figure/raster.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) {
  if (!holds) abort();
}

static void read_back(const void *data, size_t size) {
  struct meta *provenance;
  struct error error;
  int intact;
  require(provenance_read(data, size, &provenance, &intact, &error) == OK && intact);
  const char *command = meta_text(provenance, "command");
  require(command && !strcmp(command, "ropetool decay --title 'a(b)\\ <\xce\xb1>'"));
  meta_destroy(provenance);
}

static void seal(enum figure_format format, const uint8_t *data, size_t size) {
  struct meta *provenance = meta_create();
  meta_set_text(provenance, "command", "ropetool decay --title 'a(b)\\ <\xce\xb1>'");
  struct blob picture = {malloc(size + !size), size};
  struct error error;
  require(picture.data != NULL);
  memcpy(picture.data, data, size);
  if (!provenance_seal(format, 300, provenance, &picture, &error))
    read_back(picture.data, picture.size);
  else
    require(picture.size == size && !memcmp(picture.data, data, size));
  free(picture.data);
  meta_destroy(provenance);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct meta *provenance;
  struct error error;
  unsigned width, height;
  int intact;
  if (!provenance_read(data, size, &provenance, &intact, &error)) {
    free(meta_to_json(provenance, 0));
    meta_destroy(provenance);
  }
  if (!raster_check(data, size, &error))
    require(raster_size(data, size, &width, &height, &error) == OK && width && height);
  for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++)
    seal((enum figure_format)format, data, size);
  return 0;
}
