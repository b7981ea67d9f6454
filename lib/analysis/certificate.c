#include "lib/analysis/certificate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/analysis/certificate_bound.h"
#include "lib/analysis/certificate_check.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"
#include "lib/rope/rotation.h"

/* In the order of the rows. */
const struct certificate_check *const certificate_checks[CERTIFICATE_CHECKS] = {
    &certificate_orthogonality_max, &certificate_orthogonality_spectral,
    &certificate_determinant,       &certificate_singular_values,
    &certificate_eigenvalues,       &certificate_group_law,
    &certificate_inverse,           &certificate_norm,
    &certificate_relative_property, &certificate_layout_equivalence,
    &certificate_kernel_agreement};

/* Of the random numbers, apart from those of other content. */
enum { STREAM = 16 };

static int check_request(const struct certificate_request *request, struct error *error) {
  const size_t dim = request->spectrum->spec.head_dim;
  if (dim > CERTIFICATE_DIM_MAXIMUM)
    return error_set(
        error, ERROR_INPUT,
        "cannot prove a head of '%zu' dimensions on dense matrices: at most %d are possible", dim,
        CERTIFICATE_DIM_MAXIMUM);
  if (request->max_position < 0 || request->max_position > CERTIFICATE_POSITION_MAXIMUM)
    return error_set(error, ERROR_INPUT,
                     "cannot sample positions up to '%" PRId64 "': 0 to %" PRId64 " is possible",
                     request->max_position, CERTIFICATE_POSITION_MAXIMUM);
  if (request->samples == 1 || request->samples > CERTIFICATE_SAMPLES_MAXIMUM)
    return error_set(error, ERROR_INPUT,
                     "cannot sample '%zu' more positions: none, or 2 to %d are possible",
                     request->samples, CERTIFICATE_SAMPLES_MAXIMUM);
  if (!request->precision_count)
    return error_set(error, ERROR_INPUT, "nothing to prove: at least one precision is needed");
  return OK;
}

/* The costly checks run everywhere up to 256 dimensions, at six positions for 512. */
static int choose_positions(struct certificate *work, struct error *error) {
  const struct certificate_request *request = work->request;
  work->position_count =
      certificate_positions(request->max_position, request->seed, work->positions);
  if (certificate_add_samples(request->max_position, request->samples, work->positions,
                              &work->position_count, error))
    return error->code;
  const size_t allowed = 6 * 512 * 512 / (work->dim * work->dim), all = work->position_count;
  work->dense_count = allowed > all ? all : allowed;
  for (size_t i = 1; i <= work->dense_count; i++)
    work->dense[i * all / work->dense_count - 1] = true;
  return OK;
}

/* The backend rotates all vectors by all positions in one batch for each precision. */
static int rotate_samples(struct backend *backend, struct certificate *work, struct error *error) {
  const size_t rows = work->position_count * CERTIFICATE_VECTORS, values = rows * work->dim;
  const struct spectrum *spectrum = work->request->spectrum;
  double *input = memory_array(values, sizeof *input, "the vectors", error);
  int code = input ? OK : ERROR_FAILED;
  for (size_t i = 0; !code && i < values; i++)
    input[i] = work->vectors[i % (CERTIFICATE_VECTORS * work->dim)];
  for (size_t p = 0; !code && p < work->request->precision_count; p++) {
    const struct rotate_batch batch = {
        .phases = {1, spectrum->pairs, spectrum->step, spectrum->inv_freq_double,
                   work->request->precisions[p]},
        .layout = spectrum->spec.layout,
        .amplitude = 1,
        .batch = 1,
        .length = work->position_count,
        .heads = CERTIFICATE_VECTORS,
        .dim = work->dim,
        .position = work->positions,
        .input = input,
        .output = work->rotated + p * values,
    };
    code = backend_rotate(backend, &batch, error);
  }
  free(input);
  return code;
}

static int prepare(struct backend *backend, struct certificate *work, struct error *error) {
  const size_t count = CERTIFICATE_VECTORS * work->dim;
  const size_t cases = work->request->precision_count * work->position_count;
  work->vectors = memory_array(count, sizeof *work->vectors, "the vectors", error);
  if (!work->vectors) return ERROR_FAILED;
  work->rotated = memory_array(cases * count, sizeof *work->rotated, "the rotated vectors", error);
  if (!work->rotated) return ERROR_FAILED;
  work->outcomes =
      memory_array(cases * CERTIFICATE_CHECKS, sizeof *work->outcomes, "the certificate", error);
  if (!work->outcomes) return ERROR_FAILED;
  const struct gaussian_batch draw = {
      .seed = work->request->seed, .stream = STREAM, .count = count, .output = work->vectors};
  const int code = backend_gaussian(backend, &draw, error);
  return code ? code : rotate_samples(backend, work, error);
}

static int run_checks(const struct certificate *work, size_t index, struct certificate_case *item,
                      struct error *error) {
  const size_t position = index % work->position_count;
  struct certificate_outcome *outcomes = work->outcomes + index * CERTIFICATE_CHECKS;
  item->precision = work->request->precisions[index / work->position_count];
  item->position = work->positions[position];
  item->rotated = work->rotated + index * CERTIFICATE_VECTORS * work->dim;
  const bool holds = bound_holds(item->spectrum, item->precision, item->position);
  item->matrix(item->spectrum, item->spectrum->spec.layout, item->precision, item->position,
               item->rotation);
  for (size_t c = 0; c < CERTIFICATE_CHECKS; c++) {
    if (certificate_checks[c]->costly && !work->dense[position]) continue;
    outcomes[c].state = holds ? CERTIFICATE_DONE : CERTIFICATE_BEYOND;
    if (holds && certificate_checks[c]->run(item, &outcomes[c].result, error))
      return error_prefix(error, "%s at position %" PRId64, certificate_checks[c]->name,
                          item->position);
  }
  return OK;
}

/* Every case fills its own outcomes, so that neither their order nor the number of threads shows.
   Of several errors the one of the first case is reported. */
static int run_cases(const struct certificate *work, struct error *error) {
  const size_t cases = work->request->precision_count * work->position_count;
  const size_t cells = work->dim * work->dim, vectors = CERTIFICATE_VECTORS * work->dim;
  const size_t doubles = (1 + CERTIFICATE_SCRATCH) * cells + 4 * vectors;
  size_t failed_case = cases, done = 0;
  int code = OK;
#pragma omp parallel
  {
    struct error own = {0};
    double *matrices = memory_array(doubles, sizeof *matrices, "the matrices of a thread", &own);
    struct certificate_case item = {.spectrum = work->request->spectrum,
                                    .matrix = work->matrix,
                                    .dim = work->dim,
                                    .vectors = work->vectors,
                                    .rotation = matrices};
    for (size_t s = 0; matrices && s < CERTIFICATE_SCRATCH; s++)
      item.scratch[s] = matrices + (1 + s) * cells;
    item.vector_scratch = matrices ? matrices + (1 + CERTIFICATE_SCRATCH) * cells : NULL;
#pragma omp for schedule(dynamic)
    for (size_t index = 0; index < cases; index++) {
      const int own_code = matrices ? run_checks(work, index, &item, &own) : ERROR_FAILED;
#pragma omp critical(certificate_progress)
      {
        progress_report(++done, cases);
        if (own_code && index < failed_case) {
          failed_case = index;
          code = own_code;
          if (error) *error = own;
        }
      }
    }
    free(matrices);
  }
  return code;
}

int certificate_run(struct backend *backend, const struct certificate_request *request,
                    struct table **table, struct error *error) {
  *table = NULL;
  int code = check_request(request, error);
  if (code) return code;
  struct certificate work = {.request = request,
                             .matrix = request->matrix ? request->matrix : rotation_matrix,
                             .dim = request->spectrum->spec.head_dim};
  code = choose_positions(&work, error);
  if (!code) code = prepare(backend, &work, error);
  if (!code) code = run_cases(&work, error);
  if (!code) code = certificate_table(&work, table, error);
  free(work.outcomes);
  free(work.rotated);
  free(work.vectors);
  return code;
}
