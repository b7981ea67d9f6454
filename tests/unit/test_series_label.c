/* lib/figure/series_label.h: what legends leave out of the names of series. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/figure/series_label.h"

enum { MOST = 4, SIZE = 96 };

static const struct {
  const char *given[MOST], *expected[MOST];
} cases[] = {
    {{"d=64 b=10000", "d=128 b=10000"}, {"d=64", "d=128"}},
    {{"d=128 b=100", "d=128 b=10000"}, {"b=100", "b=10000"}},
    {{"d=64 b=100", "d=128 b=100", "d=64 b=500", "d=128 b=500"},
     {"d=64 b=100", "d=128 b=100", "d=64 b=500", "d=128 b=500"}},
    /* One that has nothing else keeps its name, wherever it stands. */
    {{"d=128 b=10000", "d=128 b=10000 linear factor=8", "d=128 b=10000 ntk factor=8"},
     {"d=128 b=10000", "linear factor=8", "ntk factor=8"}},
    {{"d=128 b=10000 linear factor=8", "d=128 b=10000"}, {"linear factor=8", "d=128 b=10000"}},
    {{"d=64 b=10000 linear factor=2", "d=96 b=10000"}, {"d=64 linear factor=2", "d=96"}},
    /* Words that are no settings stay, and all behind them. */
    {{"llama-2-7b d=64", "llama-3-8b d=64"}, {"llama-2-7b d=64", "llama-3-8b d=64"}},
    {{"d=64 linear factor=2", "d=64 ntk factor=2"}, {"linear factor=2", "ntk factor=2"}},
    {{"=1 a", "=1 b"}, {"=1 a", "=1 b"}},
    {{"d=1 a", ""}, {"d=1 a", ""}},
    {{"d=1", "d=12"}, {"d=1", "d=12"}},
    {{"d=128 b=10000"}, {"d=128 b=10000"}},
    /* The number of a series that is there twice is no name. */
    {{"d=128 b=10000", "d=128 b=10000 (2)"}, {"d=128 b=10000", "d=128 b=10000 (2)"}},
    {{"d=64 b=10000", "d=128 b=10000", "d=128 b=10000 (2)"}, {"d=64", "d=128", "d=128 (2)"}},
    {{"d=8 b=9 ntk factor=8", "d=8 b=9", "d=8 b=9 (2)"},
     {"d=8 b=9 ntk factor=8", "d=8 b=9", "d=8 b=9 (2)"}},
};

static void what_all_have_is_left_out(void **state) {
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    char text[MOST][SIZE], *label[MOST];
    size_t count = 0;
    for (; count < MOST && cases[c].given[count]; count++) {
      snprintf(text[count], SIZE, "%s", cases[c].given[count]);
      label[count] = text[count];
    }
    series_labels_shorten(label, count);
    for (size_t s = 0; s < count; s++)
      assert_string_equal(label[s], cases[c].expected[s]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_all_have_is_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
