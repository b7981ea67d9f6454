#include "tests/unit/ground.h"

#include "lib/figure/palette.h"

static struct palette find(const char *name) {
  struct palette palette;
  struct error error;
  if (palette_find(name, &palette, &error)) fail_msg("%s", error.message);
  return palette;
}

static double decode(double value) {
  return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double encode(double value) {
  return value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
}

/* Relative luminance of an entry (IEC 61966-2-1). */
static double luminance(const struct palette *palette, int i) {
  const uint8_t *c = palette->rgb[i];
  return 0.2126 * decode(c[0] / 255.0) + 0.7152 * decode(c[1] / 255.0) +
         0.0722 * decode(c[2] / 255.0);
}

/* No entry is further than one level from linear RGB in [0, 1]. */
static void assert_entry(const struct palette *palette, int i, const double linear[3]) {
  for (int c = 0; c < 3; c++) {
    const double clipped = fmin(fmax(linear[c], 0), 1), expected = 255 * encode(clipped);
    if (!(fabs(palette->rgb[i][c] - expected) <= 1))
      fail_msg("%s, entry %d, channel %d: %d, expected %g", palette->name, i, c, palette->rgb[i][c],
               expected);
  }
}

static void sequential_maps_grow_lighter(void **state) {
  (void)state;
  static const char *const names[] = {"viridis", "cividis", "magma", "gray"};
  for (size_t n = 0; n < 4; n++) {
    const struct palette palette = find(names[n]);
    assert_int_equal(palette.range, MATRIX_SEQUENTIAL);
    /* Over two entries: one step may be lost in rounding to 8 bits. */
    for (int i = 2; i < PALETTE_SIZE; i++)
      if (!(luminance(&palette, i) > luminance(&palette, i - 2)))
        fail_msg("%s grows darker at %d", names[n], i);
  }
}

/* Entries as they are published with the maps. */
static void has_known_entries(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int entry;
    uint8_t rgb[3];
  } known[] = {
      {"viridis", 0, {0x44, 0x01, 0x54}},   {"viridis", 255, {0xfd, 0xe7, 0x25}},
      {"viridis", 128, {0x21, 0x91, 0x8c}}, {"magma", 0, {0x00, 0x00, 0x04}},
      {"magma", 255, {0xfc, 0xfd, 0xbf}},   {"cividis", 0, {0x00, 0x22, 0x4e}},
      {"cividis", 255, {0xfe, 0xe8, 0x38}}, {"coolwarm", 0, {59, 76, 192}},
      {"coolwarm", 255, {180, 4, 38}},
  };
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    const struct palette palette = find(known[k].name);
    assert_memory_equal(palette.rgb[known[k].entry], known[k].rgb, 3);
  }
}

static double lab_inverse(double t) {
  return t > 6.0 / 29 ? t * t * t : 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0 / 29);
}

/* Moreland 2009: Msh to CIELAB to XYZ (D65) to linear sRGB. */
static void msh_to_linear(double m, double s, double h, double linear[3]) {
  const double l = m * cos(s), a = m * sin(s) * cos(h), b = m * sin(s) * sin(h);
  const double fy = (l + 16) / 116;
  const double x = 0.95047 * lab_inverse(fy + a / 500), y = lab_inverse(fy),
               z = 1.08883 * lab_inverse(fy - b / 200);
  linear[0] = 3.2404542 * x - 1.5371385 * y - 0.4985314 * z;
  linear[1] = -0.969266 * x + 1.8760108 * y + 0.041556 * z;
  linear[2] = 0.0556434 * x - 0.2040259 * y + 1.0572252 * z;
}

static void coolwarm_follows_its_formula(void **state) {
  (void)state;
  const struct palette palette = find("coolwarm");
  const double m = 80, s = 1.08, white = 88;
  /* The hue turns on the way to white, which is lighter: section 5, AdjustHue. */
  const double spin = s * sqrt(white * white - m * m) / (m * sin(s));
  assert_int_equal(palette.range, MATRIX_DIVERGING);
  for (int i = 0; i < PALETTE_SIZE; i++) {
    const double t = i / 255.0, part = fabs(2 * t - 1);
    const double hue = t < 0.5 ? -1.1 - (1 - part) * spin : 0.5 + (1 - part) * spin;
    double linear[3];
    msh_to_linear(part * m + (1 - part) * white, part * s, hue, linear);
    assert_entry(&palette, i, linear);
  }
}

static void coolwarm_is_symmetric(void **state) {
  (void)state;
  const struct palette palette = find("coolwarm");
  for (int i = 0; i < 128; i++)
    assert_true(fabs(luminance(&palette, i) - luminance(&palette, 255 - i)) < 0.02);
  for (int i = 1; i < 128; i++)
    assert_true(luminance(&palette, i) > luminance(&palette, i - 1));
  /* Grey in the middle. */
  for (int c = 0; c < 3; c++) {
    assert_in_range(palette.rgb[127][c], 219, 222);
    assert_in_range(palette.rgb[128][c], 219, 222);
  }
}

/* Oklab to linear sRGB, B. Ottosson 2020. */
static void oklab_to_linear(double lightness, double a, double b, double linear[3]) {
  const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  linear[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  linear[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  linear[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static void cycle_follows_its_formula(void **state) {
  (void)state;
  const struct palette palette = find("cycle");
  assert_int_equal(palette.range, MATRIX_CYCLIC);
  for (int i = 0; i < PALETTE_SIZE; i++) {
    const double angle = 2 * M_PI * i / PALETTE_SIZE, chroma = 0.12 * fabs(sin(angle));
    const double hue = (i < 128 ? 255 : 30) * M_PI / 180;
    double linear[3];
    oklab_to_linear(0.6 + 0.32 * cos(angle), chroma * cos(hue), chroma * sin(hue), linear);
    for (int c = 0; c < 3; c++)
      assert_true(linear[c] >= 0 && linear[c] <= 1);
    assert_entry(&palette, i, linear);
  }
}

static void cycle_closes(void **state) {
  (void)state;
  const struct palette palette = find("cycle");
  for (int i = 0; i < PALETTE_SIZE; i++)
    for (int c = 0; c < 3; c++)
      assert_in_range(palette.rgb[i][c] - palette.rgb[(i + 1) % PALETTE_SIZE][c] + 4, 0, 8);
  assert_true(luminance(&palette, 0) > 0.75);
  assert_true(luminance(&palette, 128) < 0.03);
}

static void unknown_names_list_the_choices(void **state) {
  (void)state;
  struct palette palette;
  struct error error;
  static const char *const bad[] = {"jet", "", "../styles/icml", "viridis.hex", "VIRIDIS"};
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(palette_find(bad[i], &palette, &error), ERROR_INPUT);
    assert_message(&error, "unknown palette");
    assert_message(&error, "cividis, coolwarm, cycle, gray, magma, viridis");
  }
  char longest[300];
  memset(longest, 'x', sizeof longest - 1);
  longest[299] = 0;
  assert_int_equal(palette_find(longest, &palette, &error), ERROR_INPUT);
}

static void defaults_fit_the_range(void **state) {
  (void)state;
  for (int range = MATRIX_SEQUENTIAL; range <= MATRIX_CYCLIC; range++)
    assert_int_equal(find(palette_default((enum matrix_range)range)).range, range);
}

static void categories_differ(void **state) {
  (void)state;
  for (int dark = 0; dark < 2; dark++)
    for (size_t i = 0; i < PALETTE_CATEGORIES; i++)
      for (size_t j = 0; j < i; j++)
        assert_true(palette_category(i, dark) != palette_category(j, dark));
}

/* Whatever the palette, no line in one of its legible colours is lost on the ground, their order is
   kept, and both ends of a signed palette are there. */
static void legible_colours_stand_out(void **state) {
  (void)state;
  static const struct palette papers = {.rgb = {{0xff, 0xff, 0xff}, {0x16, 0x18, 0x1d}}};
  for (size_t n = 0; palette_name_at(n); n++)
    for (int dark = 0; dark < 2; dark++) {
      struct palette palette = find(palette_name_at(n)), legible;
      palette_legible(&palette, dark, &legible);
      const double paper = luminance(&papers, dark) + 0.05;
      for (int i = 0, entry = 0; i < PALETTE_SIZE; i++) {
        const double light = luminance(&legible, i) + 0.05;
        assert_true(fmax(light, paper) / fmin(light, paper) > 2);
        while (entry < PALETTE_SIZE &&
               memcmp(palette.rgb[dark ? 255 - entry : entry], legible.rgb[i], 3) != 0)
          entry++;
        assert_true(entry < PALETTE_SIZE);
      }
      if (palette.range == MATRIX_DIVERGING) {
        assert_memory_equal(legible.rgb[0], palette.rgb[dark ? 255 : 0], 3);
        assert_memory_equal(legible.rgb[255], palette.rgb[dark ? 0 : 255], 3);
      }
      palette_legible(&palette, dark, &palette);
      assert_memory_equal(&palette, &legible, sizeof palette);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequential_maps_grow_lighter),
      cmocka_unit_test(has_known_entries),
      cmocka_unit_test(coolwarm_follows_its_formula),
      cmocka_unit_test(coolwarm_is_symmetric),
      cmocka_unit_test(cycle_follows_its_formula),
      cmocka_unit_test(cycle_closes),
      cmocka_unit_test(unknown_names_list_the_choices),
      cmocka_unit_test(defaults_fit_the_range),
      cmocka_unit_test(categories_differ),
      cmocka_unit_test(legible_colours_stand_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
