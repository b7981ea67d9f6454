/* lib/io/positions.h and lib/io/axes.h: what the axes of a tensor are, and where its tokens stand.
 */
#include "tests/unit/tensors.h"

#include "lib/io/axes.h"
#include "lib/io/positions.h"

static struct error error;

static void ranges(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t first;
    size_t length;
  } cases[] = {{"0:3", 0, 4},
               {"-2:2", -2, 5},
               {"7:7", 7, 1},
               {"1k:1025", 1024, 2},
               {"2147483648:2147483650", INT64_C(2147483648), 3},
               {"1e3:1001", 1000, 2},
               {"4611686018427387903:4611686018427387904", INT64_C(4611686018427387903), 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct positions positions;
    if (positions_read(cases[i].text, "--positions", &positions, &error))
      fail_msg("%s", error.message);
    assert_int_equal(positions.length, cases[i].length);
    assert_int_equal(positions.batch, 1);
    assert_int_equal(positions.rank, 1);
    for (size_t p = 0; p < positions.length; p++)
      assert_int_equal(positions.position[p], cases[i].first + (int64_t)p);
    positions_release(&positions);
  }
}

static void bad_position(const char *text, const char *part) {
  struct positions positions;
  if (!positions_read(text, "--positions", &positions, &error)) fail_msg("'%s' was taken", text);
  assert_message(&error, part);
  assert_message(&error, "--positions");
  assert_null(positions.position);
}

static void bad_ranges(void **state) {
  (void)state;
  bad_position("3:2", "'3:2' ends before it begins");
  bad_position("0.5:2", "must be a whole number");
  bad_position("k:2", "not a number of tokens");
  bad_position("0:4611686018427387905", "out of range");
  bad_position("0:1e18", "--positions '1e18'");
  bad_position("0:", "cannot read '0:'");
  bad_position("0", "cannot read '0'");
  bad_position("1:2:3", "cannot read '1:2:3'");
  char digits[128];
  memset(digits, '1', sizeof digits);
  strcpy(digits + 100, ":2");
  bad_position(digits, "not a range");
}

static void files(void **state) {
  (void)state;
  static const int32_t padded[6] = {0, 0, 1, 0, 1, 2};
  const char *path = path_of("p.npy");
  struct bytes bytes =
      npy_bytes(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}", padded, 24);
  write_whole(path, bytes.data, bytes.size);
  struct positions positions;
  assert_int_equal(positions_read(path, "--positions", &positions, &error), OK);
  assert_int_equal(positions.rank, 2);
  assert_int_equal(positions.batch, 2);
  assert_int_equal(positions.length, 3);
  for (int i = 0; i < 6; i++)
    assert_int_equal(positions.position[i], padded[i]);
  assert_int_equal(strlen(positions.sha256), 64);
  positions_release(&positions);
  bytes_free(&bytes);
  bytes =
      npy_bytes(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", &(float){0.5f}, 4);
  write_whole(path, bytes.data, bytes.size);
  bad_position(path, "element 0 of");
  bytes_free(&bytes);
  bytes = npy_bytes(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2, 3)}", padded, 24);
  write_whole(path, bytes.data, bytes.size);
  bad_position(path, "has the shape (1, 2, 3): (position) or (batch, position)");
  bytes_free(&bytes);
}

static void axes_by_rank(void **state) {
  (void)state;
  static const char *const expected[] = {"position,dim", "head,position,dim",
                                         "batch,head,position,dim",
                                         "layer,batch,head,position,dim"};
  struct axes axes;
  for (size_t rank = 2; rank <= 5; rank++) {
    const struct tensor tensor = {
        .rank = rank, .shape = {2, 3, 5, 7, 11}, .name = (char[]){"q.npy"}};
    assert_int_equal(axes_of(NULL, &tensor, &axes, &error), OK);
    assert_string_equal(axes_list(&axes).text, expected[rank - 2]);
    assert_int_equal(axes_extent(&axes, &tensor, AXIS_DIM), tensor.shape[rank - 1]);
    assert_int_equal(axes_extent(&axes, &tensor, AXIS_BATCH), rank == 4 ? 2 : rank == 5 ? 3 : 1);
    assert_int_equal(axes_extent(&axes, &tensor, AXIS_LAYER), rank == 5 ? 2 : 1);
    assert_int_equal(axes_have(&axes, AXIS_LAYER), rank == 5);
  }
  for (size_t rank = 0; rank <= 8; rank += rank == 1 ? 5 : 1) {
    const struct tensor tensor = {.rank = rank, .name = (char[]){"q.npy"}};
    assert_int_equal(axes_of(NULL, &tensor, &axes, &error), ERROR_INPUT);
    assert_message(&error, "2 to 5 are taken, the end of layer,batch,head,position,dim");
  }
}

static void axes_in_any_order(void **state) {
  (void)state;
  const struct tensor tensor = {.rank = 5, .shape = {2, 3, 5, 7, 11}, .name = (char[]){"q.npy"}};
  struct axes axes;
  size_t order[AXES];
  assert_int_equal(axes_of("dim,head,batch,position,layer", &tensor, &axes, &error), OK);
  assert_int_equal(axes_extent(&axes, &tensor, AXIS_DIM), 2);
  assert_int_equal(axes_extent(&axes, &tensor, AXIS_HEAD), 3);
  assert_int_equal(axes_extent(&axes, &tensor, AXIS_BATCH), 5);
  assert_int_equal(axes_extent(&axes, &tensor, AXIS_POSITION), 7);
  axes_sort(&axes, order);
  assert_memory_equal(order, ((const size_t[]){4, 2, 3, 1, 0}), sizeof order);
  assert_string_equal(axes_list(&axes).text, "dim,head,batch,position,layer");
}

static void layers_in_front(void **state) {
  (void)state;
  struct axes axes = {.rank = 2, .axis = {AXIS_DIM, AXIS_POSITION}};
  assert_int_equal(axes_add_layers(&axes, &error), OK);
  assert_string_equal(axes_list(&axes).text, "layer,dim,position");
  assert_int_equal(axes_add_layers(&axes, &error), ERROR_INPUT);
  assert_message(&error,
                 "each of several files is a layer, and their axes are 'layer,dim,position'");
}

static void bad_axes(void **state) {
  (void)state;
  static const struct {
    const char *list, *part;
  } cases[] = {{"position,dims", "unknown axis 'dims'"},
               {"position,,dim", "unknown axis ''"},
               {"", "unknown axis ''"},
               {"position,dim,", "unknown axis ''"},
               {"position,dim,dim", "'dim' twice"},
               {"head,dim", "lacks 'position'"},
               {"head,position", "lacks 'dim'"},
               {"head,position,dim", "'q.npy' has 2 axes, (4, 8), but --axes"},
               {"batch,head,position,dim", "names 4"},
               {"layer,position,dim", "names 3"},
               {"layer,layer", "'layer' twice"}};
  const struct tensor tensor = {.rank = 2, .shape = {4, 8}, .name = (char[]){"q.npy"}};
  struct axes axes;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(axes_of(cases[i].list, &tensor, &axes, &error), ERROR_INPUT);
    assert_message(&error, cases[i].part);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges),
      cmocka_unit_test(bad_ranges),
      cmocka_unit_test(files),
      cmocka_unit_test(axes_by_rank),
      cmocka_unit_test(axes_in_any_order),
      cmocka_unit_test(layers_in_front),
      cmocka_unit_test(bad_axes),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
