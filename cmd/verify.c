/* ropetool verify: a numerical certificate. */
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "lib/analysis/certificate.h"

enum { KEY_MAX_POSITION = 256, KEY_STRICT, KEY_SEED };

static const struct argp_option options[] = {
    {"max-position", KEY_MAX_POSITION, "N", 0,
     "largest position sampled (default: the model's context, else 4096)", 0},
    {"strict", KEY_STRICT, NULL, 0, "exit 3 also when a check proves nothing (vacuous)", 0},
    {"seed", KEY_SEED, "N", 0, "of the vectors and the sampled positions (default 1)", 0},
    {0},
};

static void summary(const struct result *result, FILE *out) {
  const struct meta *meta = table_meta(result->table);
  table_write_text(result->table, out);
  fprintf(out, "\n%.0f passed, %.0f failed, %.0f vacuous\n", meta_real(meta, "passed", 0),
          meta_real(meta, "failed", 0), meta_real(meta, "vacuous", 0));
}

/* The formats of the certificate: the one of --precision, else the ones models are run in. */
static size_t read_precisions(const struct invocation *invocation, const struct spectrum *spectrum,
                              enum precision precisions[PRECISION_COUNT]) {
  static const enum precision usual[] = {PRECISION_FP64, PRECISION_FP32, PRECISION_BF16,
                                         PRECISION_FP16};
  if (option_given(invocation, "precision")) {
    precisions[0] = spectrum->spec.precision;
    return 1;
  }
  memcpy(precisions, usual, sizeof usual);
  return sizeof usual / sizeof *usual;
}

static int run(const struct invocation *invocation, const struct series *series,
               struct backend *backend, struct result *result, struct error *error) {
  enum precision precisions[PRECISION_COUNT];
  const struct spectrum *spectrum = series->spectra[0];
  int64_t most = spectrum->spec.context > 0 ? spectrum->spec.context : 4096, seed = 1;
  if (option_tokens(invocation, "max-position", 0, INT64_C(1) << 31, &most, error))
    return error->code;
  if (option_integer(invocation, "seed", 0, INT64_MAX, &seed, error)) return error->code;
  const struct certificate_request request = {
      .spectrum = spectrum,
      .max_position = most,
      .precisions = precisions,
      .precision_count = read_precisions(invocation, spectrum, precisions),
      .seed = (uint64_t)seed,
  };
  if (certificate_run(backend, &request, &result->table, error)) return error->code;
  struct meta *meta = table_meta(result->table);
  meta_set_text(series->meta, "backend", backend_name(backend));
  meta_prepend(meta, series->meta);
  const bool bad = meta_real(meta, "failed", 0) > 0 ||
                   (option_given(invocation, "strict") && meta_real(meta, "vacuous", 0) > 0);
  result->check_status = bad ? 3 : 0;
  return OK;
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  struct series series = {0};
  struct backend *backend = NULL;
  result->summary = summary;
  int status = series_create_one(invocation, &series, error);
  if (!status) status = run_options_backend(invocation, &backend, error);
  if (!status) status = run(invocation, &series, backend, result, error);
  backend_close(backend);
  series_release(&series);
  return status;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "prove the rotation orthogonal, with a certificate",
    .description = "Checks real rotation matrices at positions up to the model's context: "
                   "orthogonality, determinant, "
                   "singular values, eigenvalues, group law, inverse, norms, the relative "
                   "property, layouts. Every "
                   "tolerance follows from roundoff, dimension and position, and is printed. Exit "
                   "status 3 when a "
                   "check fails.",
    .options = options,
    .groups = GROUP_SPECTRUM | GROUP_OUTPUT,
    .compute = compute,
};
