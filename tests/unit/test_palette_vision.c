/* Colours as people with other colour vision see them, and as a grey print has them. */
#include "tests/unit/ground.h"

#include "lib/figure/palette.h"

/* What becomes of linear sRGB without one kind of cones: G. M. Machado, M. M. Oliveira and L. A. F.
   Fernandes, IEEE Trans. Vis. Comput. Graph. 15 (2009), 1291, severity 1. */
static const struct vision {
  const char *name;
  double matrix[3][3];
} visions[] = {
    {"normal", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"protanopia",
     {{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {"deuteranopia",
     {{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {"tritanopia",
     {{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
};
enum { VISIONS = sizeof visions / sizeof *visions };

struct lab {
  double l, a, b;
};

static double linear(unsigned level) {
  const double c = level / 255.0;
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double lab_root(double t) {
  return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* CIE 1976 L*a*b* under D65 of 0xrrggbb as that vision sees it; IEC 61966-2-1 for sRGB. */
static struct lab lab_of(uint32_t rgb, const struct vision *vision) {
  const double in[3] = {linear(rgb >> 16 & 0xff), linear(rgb >> 8 & 0xff), linear(rgb & 0xff)};
  double c[3];
  for (int i = 0; i < 3; i++) {
    c[i] = 0;
    for (int j = 0; j < 3; j++)
      c[i] += vision->matrix[i][j] * in[j];
    c[i] = fmin(1, fmax(0, c[i]));
  }
  const double x = lab_root((0.4124564 * c[0] + 0.3575761 * c[1] + 0.1804375 * c[2]) / 0.95047);
  const double y = lab_root(0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2]);
  const double z = lab_root((0.0193339 * c[0] + 0.1191920 * c[1] + 0.9503041 * c[2]) / 1.08883);
  return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double distance(uint32_t one, uint32_t two, const struct vision *vision) {
  const struct lab p = lab_of(one, vision), q = lab_of(two, vision);
  return sqrt((p.l - q.l) * (p.l - q.l) + (p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b));
}

static uint32_t entry_of(const struct palette *palette, int index) {
  const uint8_t *rgb = palette->rgb[index];
  return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

/* A difference of 2.3 is just noticeable in large fields (Mahy, Van Eycken and Oosterlinck 1994);
   neighbours in a legend are 15 times as far apart, any two 7 times. */
static void lines_are_told_apart(void **state) {
  (void)state;
  for (int dark = 0; dark < 2; dark++)
    for (size_t v = 0; v < VISIONS; v++)
      for (size_t i = 1; i < PALETTE_CATEGORIES; i++)
        for (size_t j = 0; j < i; j++) {
          const double found =
              distance(palette_category(i, dark), palette_category(j, dark), &visions[v]);
          if (!(found > (j + 1 == i ? 35 : 16)))
            fail_msg("colours %zu and %zu (%s) are %g apart in %s", i, j, dark ? "dark" : "light",
                     found, visions[v].name);
        }
}

/* On paper, and on the dark ground. */
static void lines_stand_out_of_the_ground(void **state) {
  (void)state;
  for (int dark = 0; dark < 2; dark++)
    for (size_t v = 0; v < VISIONS; v++)
      for (size_t i = 0; i < PALETTE_CATEGORIES; i++) {
        const struct lab line = lab_of(palette_category(i, dark), &visions[v]);
        const struct lab ground = lab_of(dark ? 0x16181d : 0xffffff, &visions[v]);
        if (!(fabs(line.l - ground.l) > 25))
          fail_msg("colour %zu (%s) has lightness %g in %s", i, dark ? "dark" : "light", line.l,
                   visions[v].name);
      }
}

static struct palette find(const char *name) {
  struct palette palette;
  struct error error;
  if (palette_find(name, &palette, &error)) fail_msg("%s", error.message);
  return palette;
}

/* The order of values shows in grey, and to any eye: lightness grows all the way, but for the half
   of a level that an entry is rounded by (0.2 of 100), and sixteen entries on it has visibly grown.
 */
static void sequential_maps_grow_lighter_for_all(void **state) {
  (void)state;
  static const char *const names[] = {"viridis", "cividis", "magma", "gray"};
  for (size_t n = 0; n < 4; n++) {
    const struct palette palette = find(names[n]);
    for (size_t v = 0; v < VISIONS; v++) {
      double highest = -INFINITY;
      for (int i = 0; i < PALETTE_SIZE; i++) {
        const double lightness = lab_of(entry_of(&palette, i), &visions[v]).l;
        if (!(lightness > highest - 0.2))
          fail_msg("%s: entry %d is darker than one before in %s", names[n], i, visions[v].name);
        if (i >= 16)
          assert_true(lightness > lab_of(entry_of(&palette, i - 16), &visions[v]).l + 2.3);
        highest = fmax(highest, lightness);
      }
      const double span = highest - lab_of(entry_of(&palette, 0), &visions[v]).l;
      if (!(span > 60)) fail_msg("%s spans %g in %s", names[n], span, visions[v].name);
    }
  }
}

/* Both arms of the diverging map fall from the middle, and its ends are not alike. */
static void signs_are_told_apart(void **state) {
  (void)state;
  const struct palette palette = find("coolwarm");
  for (size_t v = 0; v < VISIONS; v++) {
    for (int i = 8; i < 128; i++) {
      assert_true(lab_of(entry_of(&palette, i), &visions[v]).l >
                  lab_of(entry_of(&palette, i - 8), &visions[v]).l);
      assert_true(lab_of(entry_of(&palette, 255 - i), &visions[v]).l >
                  lab_of(entry_of(&palette, 255 - i + 8), &visions[v]).l);
    }
    const double ends = distance(entry_of(&palette, 0), entry_of(&palette, 255), &visions[v]);
    if (!(ends > 50)) fail_msg("the ends are %g apart in %s", ends, visions[v].name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_told_apart),
      cmocka_unit_test(lines_stand_out_of_the_ground),
      cmocka_unit_test(sequential_maps_grow_lighter_for_all),
      cmocka_unit_test(signs_are_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
