/* ropetool heatmap: one map to a picture. */
#include <math.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "cmd/heatmap_request.h"

enum {
  KEY_WHAT = 256,
  KEY_ENCODING,
  KEY_LENGTH,
  KEY_CONTENT,
  KEY_BATCH,
  KEY_TRAINED,
  KEY_CAUSAL,
  KEY_SINGLE,
  KEY_POSITION,
  KEY_CELLS,
  KEY_REDUCE,
  KEY_RASTER,
  KEY_SEED,
  KEY_BEYOND,
  KEY_QUERY,
  KEY_KEYS,
  KEY_AXES,
  KEY_LAYER,
  KEY_MATRIX,
  KEY_INDEX,
  KEY_SECTIONS,
  KEY_MIXED,
  KEY_GRID,
  KEY_FRAME
};

static const struct argp_option options[] = {
    {"what", KEY_WHAT, "KIND", 0,
     "scores, softmax, angles, cosines, rotation, table, norms or axes (default scores)", 0},
    {"encoding", KEY_ENCODING, "NAME", 0,
     "position encoding: `ropetool encodings` lists them (default rope)", 0},
    {"length", KEY_LENGTH, "N", 0,
     "positions (default: those of --q, the learned table's, else 512)", 0},
    {"beyond", KEY_BEYOND, NULL, 0,
     "let the length pass the learned table's end: nothing is added there", 0},
    {"trained", KEY_TRAINED, "N", 0,
     "of angles and cosines: hatch what training on N tokens, without the scaling rule, did not "
     "show",
     0},
    {"content", KEY_CONTENT, "KIND", 0,
     "query and key vectors: ones, zero, gaussian or aligned[:RHO] (default ones)", 0},
    {"q", KEY_QUERY, "FILE[:TENSOR]", 0,
     "queries of one's own, before positions are applied: .npy, .safetensors or .gguf; one file a "
     "layer may be repeated",
     0},
    {"k", KEY_KEYS, "FILE[:TENSOR]", 0, "the keys that go with them; may be repeated, too", 0},
    {"axes", KEY_AXES, "LIST", 0,
     "what the axes of --q and --k are: layer, batch, position, head and dim in any order "
     "(default: by rank, the end of layer,batch,head,position,dim)",
     0},
    {"layer", KEY_LAYER, "L", 0,
     "which of their layers, or of --mixed, from 0 (default 0; norms: all, a row each)", 0},
    {"matrix", KEY_MATRIX, "FILE[:TENSOR]", 0, "a map of one's own instead, of 2 to 4 axes", 0},
    {"index", KEY_INDEX, "I[,J]|mean", 0,
     "which map of those along the leading axes of --matrix, or their mean", 0},
    {"batch", KEY_BATCH, "B", 0, "draws averaged over (default 1)", 0},
    {"causal", KEY_CAUSAL, NULL, 0, "mask the keys after the query", 0},
    {"single", KEY_SINGLE, NULL, 0, "compute scores in float: about twice as fast", 0},
    {"position", KEY_POSITION, "M", 0, "of the rotation matrix (default 1)", 0},
    {"sections", KEY_SECTIONS, "T,H,W|axial", 0,
     "of --what axes: how many pairs take their position from time, height and width, in blocks "
     "or, "
     "with :interleaved behind, in turn; axial: half from width, half from height (default: the "
     "model's)",
     0},
    {"mixed", KEY_MIXED, "FILE[:TENSOR]", 0,
     "of --what axes: frequencies of width and height for each pair, (2, pair), (2, head, pair) or "
     "(2, layer, head, pair), or random:SEED",
     0},
    {"grid", KEY_GRID, "H,W", 0, "keys of --what axes, around the query (default 33,33)", 0},
    {"frame", KEY_FRAME, "N", 0, "how many frames those are from the query's (default 0)", 0},
    {"cells", KEY_CELLS, "N", 0,
     "at most so many cells along an axis; more are reduced (default 1024)", 0},
    {"reduce", KEY_REDUCE, "mean|max|absmax", 0, "how (default mean; max for softmax)", 0},
    {"raster", KEY_RASTER, NULL, 0, "one pixel a position, without axes, by libpng alone", 0},
    {"seed", KEY_SEED, "N", 0, "of the random vectors (default 1)", 0},
    {0},
};

static void summary(const struct result *result, FILE *out) {
  const struct matrix *matrix = result->matrix;
  const struct matrix_span span = matrix_span(matrix);
  fprintf(out, "%s: %zu x %zu cells", matrix->value_label, matrix->rows, matrix->columns);
  if (span.finite) fprintf(out, ", from %.12g to %.12g", span.low, span.high);
  if (span.finite < matrix->rows * matrix->columns)
    fprintf(out, ", %zu masked", matrix->rows * matrix->columns - span.finite);
  fputc('\n', out);
  const char *axes = meta_text(matrix->meta, "pair_axes"),
             *reduced = meta_text(matrix->meta, "reduced");
  if (axes) fprintf(out, "axes of the pairs: %s\n", axes);
  if (reduced) fprintf(out, "reduced %s\n", reduced);
  if (!matrix->hatch.cell) return;
  fprintf(out, "beyond training on %.0f tokens: %.4g of the angles",
          meta_real(matrix->meta, "trained", NAN), meta_real(matrix->meta, "unseen_share", NAN));
  if (meta_real(matrix->meta, "unseen_pairs", 0) > 0)
    fprintf(out, ", of %.0f pairs from %.0f on", meta_real(matrix->meta, "unseen_pairs", NAN),
            meta_real(matrix->meta, "first_unseen_pair", NAN));
  fputc('\n', out);
}

/* Notes what the map was made from; `warned`: of a length beyond the context, too. */
static void describe(struct heatmap_question *question, bool warned, struct meta *meta) {
  encoding_options_note(&question->given, question->series.meta);
  heatmap_tensors_note(&question->tensors, question->series.meta);
  const struct map_request *request = &question->request;
  if (warned && request->spectrum && map_kind_has_positions(request->kind))
    spectrum_warn_length(request->spectrum, (int64_t)request->length, "--length",
                         question->series.meta);
  if (!strcmp(map_kind_name(request->kind), "axes")) series_shows_axes(&question->series);
  meta_prepend(meta, question->series.meta);
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct heatmap_question question;
  struct backend *backend = NULL;
  result->summary = summary;
  result->drawing = option_given(invocation, "raster") ? DRAWING_RASTER : DRAWING_MAP;
  int status = heatmap_question_read(invocation, &question, error);
  if (!status) status = run_options_backend(invocation, &backend, error);
  if (!status) status = heatmap_question_draw(backend, &question, error);
  if (!status) status = map_run(backend, &question.request, &result->matrix, error);
  if (!status) {
    meta_set_text(question.series.meta, "backend", backend_name(backend));
    describe(&question, !option_given(invocation, "context"), result->matrix->meta);
  }
  backend_close(backend);
  heatmap_question_release(&question);
  return status;
}

const struct command command_heatmap = {
    .name = "heatmap",
    .summary = "attention scores, angles or rotations as a picture",
    .description = "Draws one map: scores or softmax weights of queries and keys, angles or "
                   "cosines of positions and pairs, a rotation matrix, an encoding's table, norms "
                   "of one's own queries or keys, a model's picture axes, or a map of one's own.",
    .options = options,
    .groups = GROUP_SPECTRUM | GROUP_ENCODING | GROUP_FIGURE | GROUP_OUTPUT,
    .compute = compute,
};
