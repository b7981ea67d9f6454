/* ropetool rotate: tensors of vectors rotated, or the tables of the rotation. */
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "lib/io/axes.h"
#include "lib/io/positions.h"
#include "lib/rope/rotate_tensor.h"

enum { KEY_INPUT = 256, KEY_POSITIONS, KEY_AXES, KEY_INVERSE, KEY_TABLES, KEY_DTYPE };

static const struct argp_option options[] = {
    {"input", KEY_INPUT, "FILE[:TENSOR]", 0, "vectors to rotate, .npy, .safetensors or .gguf", 0},
    {"positions", KEY_POSITIONS, "FILE|A:B", 0,
     "their positions: A to B, or whole numbers (position) or (batch, position) of a file", 0},
    {"axes", KEY_AXES, "LIST", 0,
     "what the axes are: layer, batch, position, head and dim in any order (default: by rank, the "
     "end of layer,batch,head,position,dim)",
     0},
    {"inverse", KEY_INVERSE, NULL, 0, "undo the rotation", 0},
    {"tables", KEY_TABLES, NULL, 0, "write cos and sin, (2, position, pair), instead", 0},
    {"dtype", KEY_DTYPE, "f64|f32|f16|bf16", 0,
     "element type of the result (default: the input's; f64 for --tables)", 0},
    {0},
};

static int check_conflicts(const struct invocation *invocation, struct error *error) {
  static const char *const of_vectors[] = {"input", "axes", "inverse"};
  const bool tables = option_given(invocation, "tables");
  if (!option_given(invocation, "positions"))
    return error_set(error, ERROR_INPUT, "--positions is missing: A:B, or a file of whole numbers");
  if (!tables && !option_given(invocation, "input"))
    return error_set(error, ERROR_INPUT,
                     "--input is missing: a file of vectors (or --tables for cos and sin)");
  for (size_t i = 0; tables && i < sizeof of_vectors / sizeof *of_vectors; i++)
    if (option_given(invocation, of_vectors[i]))
      return error_set(error, ERROR_INPUT, "--%s does not go with --tables, which rotates nothing",
                       of_vectors[i]);
  return OK;
}

/* Heads of another size than the model's, or than the default, may be a mistake. */
static void warn_of_rest(const struct invocation *invocation, const struct rotate_request *request,
                         struct meta *meta) {
  const size_t dim = axes_extent(&request->axes, request->input, AXIS_DIM);
  const struct spectrum *spectrum = request->spectrum;
  char warning[256];
  if (dim == spectrum->spec.head_dim || option_given(invocation, "dim")) return;
  snprintf(warning, sizeof warning,
           "the vectors have %zu dimensions, heads of the spectrum %zu: dimensions from %zu on are "
           "copied",
           dim, spectrum->spec.head_dim, 2 * spectrum->pairs);
  meta_append_text(meta, "warnings", warning);
}

static int rotate(const struct invocation *invocation, struct backend *backend,
                  const struct series *series, const struct positions *positions,
                  struct result *result, struct error *error) {
  const char *text = option_text(invocation, "input", NULL),
             *dtype = option_text(invocation, "dtype", NULL);
  struct tensor *input;
  int status = tensor_read(text, &input, error);
  if (status) return error_prefix(error, "--input");
  struct rotate_request request = {
      .spectrum = series->spectra[0],
      .input = input,
      .positions = positions,
      .inverse = option_given(invocation, "inverse"),
      .storage = input->storage,
  };
  status = axes_of(option_text(invocation, "axes", NULL), input, &request.axes, error);
  if (!status && dtype) status = storage_parse_real(dtype, &request.storage, error);
  if (!status) status = rotate_tensor(backend, &request, &result->tensor, error);
  if (!status) {
    struct meta *meta = result->tensor->meta = meta_create();
    meta_set_text(meta, "axes", axes_list(&request.axes).text);
    meta_set_flag(meta, "inverse", request.inverse);
    inputs_add_file(series->meta, text, input->sha256);
    warn_of_rest(invocation, &request, series->meta);
  }
  tensor_destroy(input);
  return status;
}

static int make_tables(const struct invocation *invocation, struct backend *backend,
                       const struct series *series, const struct positions *positions,
                       struct result *result, struct error *error) {
  enum storage storage = STORAGE_F64;
  const char *dtype = option_text(invocation, "dtype", NULL);
  int status = dtype ? storage_parse_real(dtype, &storage, error) : OK;
  if (!status)
    status = rotate_tables(backend, series->spectra[0], positions, storage, &result->tensor, error);
  if (status) return status;
  result->tensor->meta = meta_create();
  meta_set_text(result->tensor->meta, "axes",
                positions->rank == 1 ? "cos/sin,position,pair" : "cos/sin,batch,position,pair");
  return OK;
}

/* What is in the result and what it was made from. */
static int describe(const struct invocation *invocation, struct backend *backend,
                    const struct series *series, const struct positions *positions,
                    struct tensor *tensor, struct error *error) {
  char hash[HASH_TEXT];
  const size_t count = positions->batch * positions->length;
  int64_t least = count ? positions->position[0] : 0, most = least;
  for (size_t i = 1; i < count; i++) {
    if (positions->position[i] < least) least = positions->position[i];
    if (positions->position[i] > most) most = positions->position[i];
  }
  if (tensor_hash(tensor, hash, error)) return ERROR_FAILED;
  inputs_add_file(series->meta, option_text(invocation, "positions", NULL), positions->sha256);
  meta_set_text(series->meta, "backend", backend_name(backend));
  meta_set_text(tensor->meta, "dtype", storage_name(tensor->storage));
  meta_set_text(tensor->meta, "shape", tensor_shape(tensor).text);
  meta_set_integer(tensor->meta, "first_position", least);
  meta_set_integer(tensor->meta, "last_position", most);
  spectrum_describe(series->spectra[0], tensor->meta);
  meta_set_text(tensor->meta, "data_sha256", hash);
  meta_prepend(tensor->meta, series->meta);
  return OK;
}

static void summary(const struct result *result, FILE *out) {
  const struct meta *meta = result->tensor->meta;
  fprintf(out, "%s %s, %s\n", meta_text(meta, "dtype"), meta_text(meta, "shape"),
          meta_text(meta, "axes"));
  fprintf(out, "positions %.0f to %.0f, %s layout, attention factor %.6g\n",
          meta_real(meta, "first_position", 0), meta_real(meta, "last_position", 0),
          meta_text(meta, "layout"), meta_real(meta, "attention_factor", 1));
  fprintf(out, "-o NAME.npy writes it\n");
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct series series = {0};
  struct positions positions = {0};
  struct backend *backend = NULL;
  result->summary = summary;
  int status = check_conflicts(invocation, error);
  if (!status) status = series_create_one(invocation, &series, error);
  if (!status)
    status = positions_read(option_text(invocation, "positions", NULL), "--positions", &positions,
                            error);
  if (!status) status = run_options_backend(invocation, &backend, error);
  if (!status)
    status = (option_given(invocation, "tables") ? make_tables : rotate)(
        invocation, backend, &series, &positions, result, error);
  if (!status) status = describe(invocation, backend, &series, &positions, result->tensor, error);
  backend_close(backend);
  positions_release(&positions);
  series_release(&series);
  return status;
}

const struct command command_rotate = {
    .name = "rotate",
    .summary = "rotate vectors, or write the tables of cos and sin",
    .description = "Rotates tensors of vectors by their positions, as a model's kernel has to: "
                   "reference values for other implementations. The attention factor of a scaling "
                   "rule multiplies the result, as it does there.",
    .options = options,
    .groups = GROUP_SPECTRUM | GROUP_OUTPUT | GROUP_TENSOR,
    .compute = compute,
};
