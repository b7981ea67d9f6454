#include "cmd/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/base/thread.h"
#include "lib/figure/legend.h"
#include "lib/figure/palette.h"
#include "lib/figure/style.h"

/* Keys are only unique numbers: options are read by their long names. */
enum { KEY = 0x1000 };

const struct argp_option group_spectrum[] = {
    {"model", KEY + 1, "FILE|DIR|NAME", 0,
     "a Hugging Face config.json, its folder, a GGUF file, or a built-in name (see 'ropetool "
     "models'; may be repeated)",
     0},
    {"layer-type", KEY + 8, "NAME", 0,
     "of a model with a RoPE for each layer type, this one alone (default: all, one series each)",
     0},
    {"dim", KEY + 2, "N[,N...]", 0, "rotated dimensions of a head, even (default 128)", 0},
    {"base", KEY + 3, "X[,X...]", 0, "frequency base, theta (default 10000)", 0},
    {"scaling", KEY + 4, "TYPE[:KEY=VALUE,...]", 0,
     "scaling rule: none, linear:factor=4, yarn:factor=4,original_max_position_embeddings=8k, ... "
     "(may be repeated)",
     0},
    {"inv-freq", KEY + 9, "FILE[:TENSOR]", 0,
     "the inverse frequencies themselves: .npy, .safetensors, .gguf, or text with one number a "
     "line",
     0},
    {"context", KEY + 5, "N", 0,
     "sequence length for rules that depend on it (default: the model's)", 0},
    {"layout", KEY + 6, "interleaved|halves", 0,
     "how dimensions form pairs (default: the model's, else interleaved)", 0},
    {"precision", KEY + 7, "fp64|fp32|tf32|bf16|fp16", 0,
     "rounding of frequencies, angles, cos and sin (default fp64)", 0},
    {0},
};

const struct argp_option group_encoding[] = {
    {"param", KEY + 80, "NAME.KEY=FILE", 0,
     "a parameter of an encoding: NAME.KEY=NUMBER, NAME.KEY=FILE[:TENSOR] or NAME.KEY=random:SEED; "
     "NAME=random:SEED for all that are learned; may be repeated",
     0},
    {"learned", KEY + 81, "FILE[:TENSOR]", 0,
     "table of the encoding 'learned', a folder with a checkpoint, minilm or random:SEED", 0},
    {"heads", KEY + 82, "N", 0, "heads of the model, for encodings that differ by head (default 8)",
     0},
    {"head", KEY + 83, "H", 0, "which of them, from 0 (default 0)", 0},
    {0},
};

const struct argp_option group_figure[] = {
    {"style", KEY + 20, "NAME", 0,
     "journal preset: default, neurips, icml, icml-full, iclr, acl, ieee, nature, ...", 0},
    {"width", KEY + 21, "LENGTH", 0, "width in in, cm, mm, pt or px (default: the style's)", 0},
    {"height", KEY + 22, "LENGTH", 0, "height (default: by the style)", 0},
    {"dpi", KEY + 23, "N", 0, "pixels per inch of a PNG (default: the style's)", 0},
    {"font", KEY + 24, "NAME", 0, "font family", 0},
    {"font-size", KEY + 25, "POINTS", 0, "size of labels, in points", 0},
    {"palette", KEY + 26, "NAME", 0, "viridis, cividis, magma, gray, coolwarm, cycle", 0},
    {"range", KEY + 34, "LOW:HIGH", 0,
     "ends of the colour scale of maps: numbers, or percentiles as in 1%:99%; what lies beyond has "
     "their colours (default: the values')",
     0},
    {"title", KEY + 27, "TEXT", 0, "title above the figure", 0},
    {"letter", KEY + 35, "LETTER", 0, "(LETTER) at the upper left, of a figure among others", 0},
    {"xlabel", KEY + 28, "TEXT", 0, "label of the x axis", 0},
    {"ylabel", KEY + 29, "TEXT", 0, "label of the y axis", 0},
    {"legend", KEY + 30, "WHERE", 0,
     "auto, none, above, direct, top-right, top-left, bottom-right, bottom-left", 0},
    {"log", KEY + 31, "x|y|c", 0,
     "logarithmic x, y or colour axis, of both signs for signed maps (may be repeated)", 0},
    {"dark", KEY + 32, NULL, 0, "dark background", 0},
    {"no-provenance", KEY + 33, NULL, 0, "leave out how the figure was made", 0},
    {0},
};

const struct argp_option group_drawing[] = {
    {"keep-script", KEY + 41, NULL, 0, "leave gnuplot's script and data beside the figure", 0},
    {0},
};

/* One of the three belongs to a command: whether it draws, gives data alone, or writes tensors. */
const struct argp_option group_output[] = {
    {"output", 'o', "FILE", 0,
     "write to FILE; .png .pdf .svg .tex draw, .csv .tsv .json .npy hold the data; '-' is stdout "
     "(may be repeated)",
     0},
    {"format", KEY + 40, "text|csv|tsv|json", 0, "what stdout gets (default text: a summary)", 0},
    {0},
};

const struct argp_option group_output_data[] = {
    {"output", 'o', "FILE", 0,
     "write to FILE, .csv .tsv .json or .npy; '-' is stdout (may be repeated)", 0},
    {"format", KEY + 40, "text|csv|tsv|json", 0, "what stdout gets (default text: a summary)", 0},
    {0},
};

const struct argp_option group_output_tensor[] = {
    {"output", 'o', "FILE", 0,
     "write to FILE: .npy the numbers, .json the meta data; '-' is stdout (may be repeated)", 0},
    {"format", KEY + 40, "text|json", 0,
     "what stdout gets (default text: a summary); json: the meta data", 0},
    {0},
};

const struct argp_option group_run[] = {
    {"device", KEY + 60, "auto|cpu|cuda", 0, "where to compute (default auto)", 0},
    {"threads", KEY + 61, "N", 0, "CPU threads (default: the cores this process may use)", 0},
    {"max-memory", KEY + 62, "GIB", 0,
     "refuse work that needs more memory, in GiB (default: what is free)", 0},
    {"quiet", 'q', NULL, 0, "no notes and no progress on stderr", 0},
    {"verbose", 'v', NULL, 0, "explain on stderr", 0},
    {"help", 'h', NULL, 0, "this text", 0},
    {0},
};

/* Pixels are those of the given resolution, else of the style's, which is then kept. */
static int read_size(const struct invocation *invocation, struct figure_options *options,
                     struct error *error) {
  const char *width = option_text(invocation, "width", NULL);
  const char *height = option_text(invocation, "height", NULL);
  struct style style;
  if (style_find(options->style ? options->style : "default", &style, error)) return error->code;
  const bool pixels = (width && strstr(width, "px")) || (height && strstr(height, "px"));
  if (pixels && !(options->dpi > 0)) options->dpi = style.dpi;
  if (width && number_paper(width, "--width", options->dpi, &options->width, error))
    return error->code;
  return height ? number_paper(height, "--height", options->dpi, &options->height, error) : OK;
}

int figure_options_read(const struct invocation *invocation, struct figure_options *options,
                        struct error *error) {
  *options = (struct figure_options){
      .style = option_text(invocation, "style", NULL),
      .font = option_text(invocation, "font", NULL),
      .palette = option_text(invocation, "palette", NULL),
      .title = option_text(invocation, "title", NULL),
      .letter = option_text(invocation, "letter", NULL),
      .xlabel = option_text(invocation, "xlabel", NULL),
      .ylabel = option_text(invocation, "ylabel", NULL),
      .legend = option_text(invocation, "legend", NULL),
      .dark = option_given(invocation, "dark"),
  };
  if (option_positive(invocation, "dpi", &options->dpi, error)) return error->code;
  if (option_positive(invocation, "font-size", &options->font_size, error)) return error->code;
  struct palette palette;
  if (options->palette && palette_find(options->palette, &palette, error)) return ERROR_INPUT;
  if (options->letter && figure_letter_check(options->letter, error)) return ERROR_INPUT;
  if (options->legend && legend_check(options->legend, error)) return ERROR_INPUT;
  if (read_size(invocation, options, error)) return ERROR_INPUT;
  const char *range = option_text(invocation, "range", NULL);
  if (range && colour_range_parse(range, &options->colours, error)) return ERROR_INPUT;
  const char *axis;
  for (size_t cursor = 0; (axis = option_next(invocation, "log", &cursor));) {
    char item[8];
    for (const char *list = axis; list_next(&list, item, sizeof item);)
      if (!strcmp(item, "x"))
        options->log_x = true;
      else if (!strcmp(item, "y"))
        options->log_y = true;
      else if (!strcmp(item, "c"))
        options->colours.logarithmic = true;
      else
        return error_set(error, ERROR_INPUT, "unknown axis '%s' of --log: x, y or c", axis);
  }
  return OK;
}

int figure_options_check_curves(const struct invocation *invocation, struct error *error) {
  const char *axis;
  for (size_t cursor = 0; (axis = option_next(invocation, "log", &cursor));)
    if (strchr(axis, 'c'))
      return error_set(error, ERROR_INPUT, "--log '%s' goes with maps; curves take x and y", axis);
  return OK;
}

/* A device that was asked for must be there, also where nothing is computed on it. */
static int check_device(const struct invocation *invocation, struct error *error) {
  struct backend *backend;
  if (!option_given(invocation, "device")) return OK;
  if (invocation->command->reports_devices &&
      !strcmp(option_text(invocation, "device", ""), "cuda"))
    return OK;
  const int status = run_options_backend(invocation, &backend, error);
  if (!status) backend_close(backend);
  return status;
}

int run_options_apply(const struct invocation *invocation, struct error *error) {
  int64_t threads = thread_available();
  double gib = 0;
  if (option_integer(invocation, "threads", 1, 4096, &threads, error)) return error->code;
  if (option_positive(invocation, "max-memory", &gib, error)) return error->code;
  thread_use((int)threads);
  if (gib > 0) memory_set_limit(gib >= 1e9 ? UINT64_MAX : (uint64_t)(gib * 1073741824.0));
  return check_device(invocation, error);
}

int run_options_backend(const struct invocation *invocation, struct backend **backend,
                        struct error *error) {
  static bool said;
  const int status = backend_open(option_text(invocation, "device", "auto"), backend, error);
  const char *reason = status ? NULL : backend_reason(*backend);
  if (reason && !said && option_given(invocation, "verbose") &&
      !option_given(invocation, "quiet")) {
    fprintf(stderr, "ropetool %s: device cpu: %s\n", invocation->command->name, reason);
    said = true;
  }
  return status;
}
