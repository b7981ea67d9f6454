/* Queries and keys of tokens: as a whole, or what contents and positions are of them. */
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/compare_parts.h"
#include "lib/base/memory.h"

/* Rows that are worked on at once. */
enum { BLOCK = 512 };

static const double *table_row(const struct compare_side *side, size_t row) {
  return side->table ? side->table + row % side->length * side->projection->width : NULL;
}

int compare_project(const struct compare_side *side, double *vector, struct error *error) {
  const size_t width = side->projection->width, dim = side->projection->dim;
  double *block = memory_array(BLOCK * width, sizeof *block, "tokens with positions", error);
  int status = block ? OK : ERROR_FAILED;
  for (size_t first = 0; !status && first < side->rows; first += BLOCK) {
    const size_t rows = side->rows - first < BLOCK ? side->rows - first : BLOCK;
    for (size_t r = 0; r < rows; r++) {
      const double *token = side->token + (first + r) * width, *table = table_row(side, first + r);
      for (size_t i = 0; i < width; i++)
        block[r * width + i] = token[i] + (table ? table[i] : 0);
    }
    status =
        projection_apply(side->projection, side->key, block, rows, vector + first * dim, error);
  }
  free(block);
  return status;
}

static double mean_of(const double *x, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += x[i];
  return sum / (double)count;
}

static double square_of(const double *x, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += x[i] * x[i];
  return sum;
}

/* A token's content and position as they are behind the norm of their sum. */
static void split(const struct compare_side *side, size_t row, double *content, double *position) {
  const struct projection *projection = side->projection;
  const size_t width = projection->width;
  const double *token = side->token + row * width, *table = table_row(side, row);
  double square = 0;
  for (size_t i = 0; i < width; i++) {
    content[i] = token[i] + (projection->offset ? projection->offset[i] : 0);
    position[i] = table ? table[i] : 0;
  }
  if (projection->gain && projection->centred) {
    const double means[2] = {mean_of(content, width), mean_of(position, width)};
    for (size_t i = 0; i < width; i++) {
      content[i] -= means[0];
      position[i] -= means[1];
    }
  }
  for (size_t i = 0; i < width; i++)
    square += (content[i] + position[i]) * (content[i] + position[i]);
  const double scale = 1 / sqrt(square / (double)width + projection->epsilon);
  for (size_t i = 0; i < width; i++) {
    if (projection->gain) {
      content[i] *= scale * projection->gain[i];
      position[i] *= scale * projection->gain[i];
    }
    if (projection->shift) content[i] += projection->shift[i];
  }
}

/* The norm of a head's vector, behind the projection: both parts by that of their sum. */
static void norm_heads(const struct compare_side *side, size_t rows, double *content,
                       double *position, double *sum) {
  const struct projection *projection = side->projection;
  const double *gain = side->key ? projection->key_gain : projection->query_gain;
  const size_t dim = projection->dim;
  for (size_t r = 0; gain && r < rows; r++) {
    for (size_t i = 0; i < dim; i++)
      sum[i] = content[r * dim + i] + position[r * dim + i];
    const double scale = 1 / sqrt(square_of(sum, dim) / (double)dim + projection->epsilon);
    for (size_t i = 0; i < dim; i++) {
      content[r * dim + i] *= scale * gain[i];
      position[r * dim + i] *= scale * gain[i];
    }
  }
}

int compare_project_part(const struct compare_side *side, double *vector, struct error *error) {
  const size_t width = side->projection->width, dim = side->projection->dim;
  /* The weights alone, with and without the bias. */
  struct projection of_content = *side->projection;
  of_content.gain = of_content.shift = of_content.offset = NULL;
  of_content.query_gain = of_content.key_gain = NULL;
  struct projection of_position = of_content;
  of_position.query_bias = of_position.key_bias = NULL;
  double *room = memory_array(2 * BLOCK * (width + dim) + dim, sizeof *room,
                              "contents and positions apart", error);
  if (!room) return ERROR_FAILED;
  double *content = room, *position = content + BLOCK * width, *made = position + BLOCK * width;
  double *other = made + BLOCK * dim;
  int status = OK;
  for (size_t first = 0; !status && first < side->rows; first += BLOCK) {
    const size_t rows = side->rows - first < BLOCK ? side->rows - first : BLOCK;
    for (size_t r = 0; r < rows; r++)
      split(side, first + r, content + r * width, position + r * width);
    status = projection_apply(&of_content, side->key, content, rows, made, error);
    if (!status) status = projection_apply(&of_position, side->key, position, rows, other, error);
    norm_heads(side, rows, made, other, other + BLOCK * dim);
    const double *part = side->part == PART_CONTENT ? made : other;
    for (size_t i = 0; i < rows * dim; i++)
      vector[first * dim + i] = part[i];
  }
  free(room);
  return status;
}
