#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/figure/provenance_pdf.h"

enum { LARGEST_STREAM = 64 << 20 };

static const char no_memory[] = "needs more memory than there is";

/* An object by its number, from the cross-reference stream (table 3.16). */
struct object {
  enum { FREE, PLAIN, PACKED } type;
  size_t offset;        /* of a plain one */
  size_t stream, index; /* of a packed one: number of its object stream, and its place in it */
  bool holds_objects;   /* an object stream */
  bool dropped;         /* not in the new file: object streams, their lengths */
  size_t new_offset;    /* 0: none */
};

struct packed_file {
  const struct blob *file;
  size_t table;      /* offset of the cross-reference stream */
  size_t count;      /* of objects, with number 0 */
  size_t root, info; /* their numbers */
  size_t widths[3];  /* bytes of the fields of an entry */
  struct object *objects;
};

bool pdf_is_packed(const struct blob *file) {
  size_t xref, end;
  if (pdf_read_end(file, &xref, &end)) return false;
  struct pdf_cursor cursor = {file, xref};
  return !pdf_take(&cursor, "xref");
}

/* The bytes of the stream whose dictionary is at `offset`. zlib finds their end itself. */
static const char *read_stream(const struct blob *file, size_t offset, struct blob *bytes) {
  static const char word[] = "\nstream\n";
  const size_t start = blob_find(file, offset, word) + strlen(word);
  FILE *out = start < file->size ? open_memstream(&bytes->data, &bytes->size) : NULL;
  z_stream inflater = {.next_in = (Bytef *)file->data + start};
  if (!out || inflateInit(&inflater)) {
    if (out) fclose(out);
    return start < file->size ? no_memory : "is cut off within a stream";
  }
  const size_t left = file->size - start;
  inflater.avail_in = left < UINT32_MAX ? (uInt)left : UINT32_MAX;
  int status = Z_OK;
  while (status == Z_OK && inflater.total_out < LARGEST_STREAM) {
    unsigned char piece[16384];
    inflater.next_out = piece;
    inflater.avail_out = sizeof piece;
    status = inflate(&inflater, Z_NO_FLUSH);
    fwrite(piece, 1, sizeof piece - inflater.avail_out, out);
  }
  inflateEnd(&inflater);
  if (fclose(out)) return no_memory;
  return status == Z_STREAM_END ? NULL : "has a broken stream";
}

static const char *read_header(struct packed_file *packed) {
  static const char unknown[] = "has a cross-reference stream of another kind than cairo's";
  const struct blob *file = packed->file;
  const size_t from = packed->table, to = blob_find(file, from, "stream\n");
  struct pdf_cursor cursor = {file, pdf_find_name(file, from, to, "/W")};
  if (!pdf_key_number(file, from, to, "/Size", &packed->count) ||
      !pdf_key_number(file, from, to, "/Root", &packed->root) ||
      !pdf_key_number(file, from, to, "/Info", &packed->info) || cursor.at >= to ||
      !pdf_take(&cursor, "/W") || !pdf_take(&cursor, "["))
    return unknown;
  for (int i = 0; i < 3; i++)
    if (!pdf_take_number(&cursor, &packed->widths[i]) || packed->widths[i] > 4) return unknown;
  const bool other = pdf_find_name(file, from, to, "/Prev") < to ||
                     pdf_find_name(file, from, to, "/Index") < to ||
                     pdf_find_name(file, from, to, "/DecodeParms") < to;
  return other || packed->count > file->size ? unknown : NULL;
}

static size_t read_field(const unsigned char **bytes, size_t width) {
  size_t value = 0;
  while (width--)
    value = value << 8 | *(*bytes)++;
  return value;
}

static const char *read_objects(struct packed_file *packed) {
  struct blob table = {NULL, 0};
  const char *fault = read_stream(packed->file, packed->table, &table);
  const size_t entry = packed->widths[0] + packed->widths[1] + packed->widths[2];
  if (!fault && table.size != entry * packed->count) fault = "has a cut cross-reference stream";
  packed->objects = fault ? NULL : calloc(packed->count + 1, sizeof *packed->objects);
  if (!fault && !packed->objects) fault = no_memory;
  const unsigned char *bytes = (const unsigned char *)table.data;
  for (size_t i = 0; !fault && i < packed->count; i++) {
    struct object *object = &packed->objects[i];
    const size_t type = read_field(&bytes, packed->widths[0]);
    const size_t second = read_field(&bytes, packed->widths[1]);
    const size_t third = read_field(&bytes, packed->widths[2]);
    object->type = type == 1 ? PLAIN : type == 2 ? PACKED : FREE;
    object->offset = second;
    object->stream = second;
    object->index = third;
    if (object->type == PLAIN && !pdf_object_starts(packed->file, second, i, third))
      fault = "has an object that is not at its place";
  }
  free(table.data);
  return fault;
}

/* Marks object streams, and their lengths where these are objects themselves. */
static const char *drop_streams(struct packed_file *packed) {
  for (size_t i = 0; i < packed->count; i++) {
    if (packed->objects[i].type != PACKED) continue;
    const size_t stream = packed->objects[i].stream;
    if (stream >= packed->count || packed->objects[stream].type != PLAIN)
      return "has an object in a stream that is not there";
    packed->objects[stream].holds_objects = true;
    packed->objects[stream].dropped = true;
    const size_t from = packed->objects[stream].offset;
    const size_t to = blob_find(packed->file, from, "stream\n");
    size_t length, generation;
    struct pdf_cursor cursor = {packed->file, pdf_find_name(packed->file, from, to, "/Length")};
    if (cursor.at < to && pdf_take(&cursor, "/Length") && pdf_take_number(&cursor, &length) &&
        pdf_take_number(&cursor, &generation) && pdf_take(&cursor, "R") && length < packed->count)
      packed->objects[length].dropped = true;
  }
  return NULL;
}

static int compare_offsets(const void *left, const void *right) {
  const struct object *const *a = left, *const *b = right;
  return ((*a)->offset > (*b)->offset) - ((*a)->offset < (*b)->offset);
}

/* Copies the file's header and the plain objects, in the order in which they stand; an object
   reaches to the next one, the last is the cross-reference stream. */
static const char *copy_plain(struct packed_file *packed, FILE *out) {
  struct object **order = calloc(packed->count + 1, sizeof *order);
  size_t count = 0;
  if (!order) return no_memory;
  for (size_t i = 0; i < packed->count; i++)
    if (packed->objects[i].type == PLAIN) order[count++] = &packed->objects[i];
  qsort(order, count, sizeof *order, compare_offsets);
  const bool complete = count && order[count - 1]->offset == packed->table;
  if (complete) fwrite(packed->file->data, 1, order[0]->offset, out);
  for (size_t i = 0; complete && i + 1 < count; i++) {
    if (order[i]->dropped) continue;
    order[i]->new_offset = (size_t)ftell(out);
    fwrite(packed->file->data + order[i]->offset, 1, order[i + 1]->offset - order[i]->offset, out);
  }
  free(order);
  return complete ? NULL : "has objects behind its cross-reference stream";
}

/* Writes the objects of one stream, which starts with their numbers and places. */
static const char *write_packed(struct packed_file *packed, size_t stream, FILE *out) {
  const struct blob *file = packed->file;
  const size_t from = packed->objects[stream].offset, to = blob_find(file, from, "stream\n");
  struct blob bytes = {NULL, 0};
  size_t count, first, number, number_ahead, start, next;
  if (!pdf_key_number(file, from, to, "/N", &count) ||
      !pdf_key_number(file, from, to, "/First", &first))
    return "has a malformed object stream";
  const char *fault = read_stream(file, from, &bytes);
  struct pdf_cursor cursor = {&bytes, 0};
  for (size_t k = 0; !fault && k < count; k++) {
    bool good = pdf_take_number(&cursor, &number) && pdf_take_number(&cursor, &start);
    struct pdf_cursor ahead = cursor;
    next = bytes.size - first;
    if (good && k + 1 < count)
      good = pdf_take_number(&ahead, &number_ahead) && pdf_take_number(&ahead, &next);
    if (!good || first > bytes.size || start > next || next > bytes.size - first ||
        number >= packed->count || packed->objects[number].type != PACKED ||
        packed->objects[number].stream != stream || packed->objects[number].index != k) {
      fault = "has a malformed object stream";
      break;
    }
    packed->objects[number].new_offset = (size_t)ftell(out);
    fprintf(out, "%zu 0 obj\n", number);
    fwrite(bytes.data + first + start, 1, next - start, out);
    fputs(next > start && bytes.data[first + next - 1] == '\n' ? "endobj\n" : "\nendobj\n", out);
  }
  free(bytes.data);
  return fault;
}

static void write_table(const struct packed_file *packed, FILE *out) {
  const long xref = ftell(out);
  fprintf(out, "xref\n0 %zu\n", packed->count);
  for (size_t i = 0; i < packed->count; i++) {
    const size_t offset = packed->objects[i].new_offset;
    fprintf(out, "%010zu %s \n", offset, offset ? "00000 n" : i ? "00000 f" : "65535 f");
  }
  fprintf(out, "trailer\n<< /Size %zu\n   /Root %zu 0 R\n   /Info %zu 0 R\n>>\n", packed->count,
          packed->root, packed->info);
  fprintf(out, "startxref\n%ld\n%%%%EOF\n", xref);
}

const char *pdf_unpack(const struct blob *file, FILE *out) {
  struct packed_file packed = {.file = file};
  size_t end;
  const char *fault = pdf_read_end(file, &packed.table, &end);
  if (!fault) fault = read_header(&packed);
  if (!fault) fault = read_objects(&packed);
  if (!fault) fault = drop_streams(&packed);
  if (!fault) fault = copy_plain(&packed, out);
  for (size_t i = 0; !fault && i < packed.count; i++)
    if (packed.objects[i].holds_objects) fault = write_packed(&packed, i, out);
  if (!fault) write_table(&packed, out);
  free(packed.objects);
  return fault;
}
