/* Projections of real weights beside facts that were computed elsewhere, and the names of many
   families in small. */
#include "tests/unit/checkpoints.h"
#include "tests/unit/learned_table.h"

#include "lib/model/checkpoint.h"
#include "lib/model/position_table.h"

static struct backend *backend;
static struct error error;
static struct projection projection;

static void built_in_heads(void **state) {
  (void)state;
  enum { LENGTH = 512, DIM = 32 };
  static double query[LENGTH * DIM], key[LENGTH * DIM];
  struct position_table table;
  assert_done(position_table_read("minilm", &table, &error));
  for (size_t head = 0; head < 12; head++) {
    const struct checkpoint_choice choice = {.head = head};
    assert_done(projection_read("minilm", &choice, &projection, &error));
    assert_int_equal(projection.width, 384);
    assert_int_equal(projection.dim, DIM);
    assert_int_equal(projection.heads, 12);
    assert_int_equal(projection.key_heads, 12);
    assert_true(projection.centred && projection.shift && projection.offset);
    assert_close(projection.epsilon, 1e-12, 0);
    assert_string_equal(projection.name, "minilm:encoder.layer.0.attention.self.query.weight");
    assert_string_equal(projection.sha256, "");
    assert_done(projection_apply(&projection, false, table.row, LENGTH, query, &error));
    assert_done(projection_apply(&projection, true, table.row, LENGTH, key, &error));
    const struct score_batch batch = {.length = LENGTH, .dim = DIM, .query = query, .key = key};
    assert_learned_scores(backend, batch, 1 / sqrt(32), "head", (int)head);
    projection_release(&projection);
  }
  position_table_release(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(built_in_heads),
  };
  if (backend_open("cpu", &backend, &error)) return 1;
  const int failed = cmocka_run_group_tests(tests, folder_create, folder_remove);
  projection_release(&projection);
  backend_close(backend);
  return failed;
}
