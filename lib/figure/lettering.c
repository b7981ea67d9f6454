#include "lib/figure/lettering.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character at `text`, which is well-formed UTF-8 and not at its end. */
static size_t character_size(const char *text) {
  size_t size = 1;
  while (((unsigned char)text[size] & 0xc0) == 0x80)
    size++;
  return size;
}

static double character_width(const char *text, size_t size) {
  if (size == 1) {
    if (strchr("iljI.,:;'|!()[]ft /`", *text)) return 0.37;
    if (strchr("mwMW@%#&+=<>~^", *text)) return 0.88;
    if (*text >= 'A' && *text <= 'Z') return 0.72;
    return 0.62;
  }
  if (size == 2) return 0.66;
  /* Superscripts and subscripts U+2070..U+209C are small; from U+2E80 on signs fill a square. */
  if (!strncmp(text, "\xe2\x81\xb0", 2) && (unsigned char)text[2] >= 0xb0) return 0.42;
  if (!strncmp(text, "\xe2\x82", 2)) return 0.42;
  return (unsigned char)*text >= 0xe3 ? 1.0 : 0.84;
}

double lettering_width(const char *text, size_t size) {
  double width = 0;
  for (const char *end = text + size; text < end; text += character_size(text))
    width += character_width(text, character_size(text));
  return width;
}

size_t lettering_line(const char *text, double ems) {
  size_t size = 0, blank = 0, unbound = 0;
  for (double width = 0; text[size]; size += character_size(text + size)) {
    width += character_width(text + size, character_size(text + size));
    if (width > ems && size) return unbound ? unbound : blank ? blank : size;
    if (text[size] != ' ') continue;
    blank = size;
    if (text[size + 1] < '0' || text[size + 1] > '9') unbound = size;
  }
  return size;
}

size_t lettering_count(const char *text, double ems, size_t most) {
  size_t lines = 0;
  for (; *text && lines < most; lines++) {
    text += lettering_line(text, ems);
    text += strspn(text, " ");
  }
  return lines;
}

/* The widest of the parts between blanks at which a line is best broken. */
static double widest_part(const char *text) {
  double widest = 0;
  while (*text) {
    size_t size = 0;
    do
      size += 1 + strcspn(text + size + 1, " ");
    while (text[size] && strchr("0123456789", text[size + 1]));
    widest = fmax(widest, lettering_width(text, size));
    text += size;
    text += strspn(text, " ");
  }
  return widest;
}

double lettering_even(const char *text, double ems) {
  enum { STEPS = 16 };
  const size_t lines = lettering_count(text, ems, SIZE_MAX);
  double low = widest_part(text);
  if (lines < 2 || low >= ems) return ems;
  if (lettering_count(text, low, lines + 1) <= lines) return low;
  for (int step = 0; step < STEPS; step++) {
    const double middle = (low + ems) / 2;
    if (lettering_count(text, middle, lines + 1) <= lines)
      ems = middle;
    else
      low = middle;
  }
  return ems;
}

/* What TeX needs in place of a character. Mathematics goes by \ensuremath, so that it works
 * anywhere. */
static const struct {
  const char *text, *tex;
} replacements[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"%", "\\%"},
    {"_", "\\_"},
    {"^", "\\textasciicircum{}"},
    {"~", "\\textasciitilde{}"},
    {"`", "\\`{}"},
    {"\"", "\\textquotedblright{}"},
    {"<", "\\ensuremath{<}"},
    {">", "\\ensuremath{>}"},
    {"|", "\\ensuremath{|}"},
    {"[", "\\lbrack{}"},
    {"]", "\\rbrack{}"},
    {"-", "\\mbox{-}"},
    {"α", "\\ensuremath{\\alpha}"},
    {"β", "\\ensuremath{\\beta}"},
    {"γ", "\\ensuremath{\\gamma}"},
    {"δ", "\\ensuremath{\\delta}"},
    {"ε", "\\ensuremath{\\varepsilon}"},
    {"ζ", "\\ensuremath{\\zeta}"},
    {"η", "\\ensuremath{\\eta}"},
    {"θ", "\\ensuremath{\\theta}"},
    {"ι", "\\ensuremath{\\iota}"},
    {"κ", "\\ensuremath{\\kappa}"},
    {"λ", "\\ensuremath{\\lambda}"},
    {"μ", "\\ensuremath{\\mu}"},
    {"ν", "\\ensuremath{\\nu}"},
    {"ξ", "\\ensuremath{\\xi}"},
    {"ο", "o"},
    {"π", "\\ensuremath{\\pi}"},
    {"ρ", "\\ensuremath{\\rho}"},
    {"σ", "\\ensuremath{\\sigma}"},
    {"τ", "\\ensuremath{\\tau}"},
    {"υ", "\\ensuremath{\\upsilon}"},
    {"φ", "\\ensuremath{\\varphi}"},
    {"χ", "\\ensuremath{\\chi}"},
    {"ψ", "\\ensuremath{\\psi}"},
    {"ω", "\\ensuremath{\\omega}"},
    {"Γ", "\\ensuremath{\\Gamma}"},
    {"Δ", "\\ensuremath{\\Delta}"},
    {"Θ", "\\ensuremath{\\Theta}"},
    {"Λ", "\\ensuremath{\\Lambda}"},
    {"Ξ", "\\ensuremath{\\Xi}"},
    {"Π", "\\ensuremath{\\Pi}"},
    {"Σ", "\\ensuremath{\\Sigma}"},
    {"Φ", "\\ensuremath{\\Phi}"},
    {"Ψ", "\\ensuremath{\\Psi}"},
    {"Ω", "\\ensuremath{\\Omega}"},
    {"⁰", "\\ensuremath{^0}"},
    {"¹", "\\ensuremath{^1}"},
    {"²", "\\ensuremath{^2}"},
    {"³", "\\ensuremath{^3}"},
    {"⁴", "\\ensuremath{^4}"},
    {"⁵", "\\ensuremath{^5}"},
    {"⁶", "\\ensuremath{^6}"},
    {"⁷", "\\ensuremath{^7}"},
    {"⁸", "\\ensuremath{^8}"},
    {"⁹", "\\ensuremath{^9}"},
    {"⁻", "\\ensuremath{^-}"},
    {"−", "\\ensuremath{-}"},
    {"×", "\\ensuremath{\\times}"},
    {"·", "\\ensuremath{\\cdot}"},
    {"±", "\\ensuremath{\\pm}"},
    {"≤", "\\ensuremath{\\leq}"},
    {"≥", "\\ensuremath{\\geq}"},
    {"≈", "\\ensuremath{\\approx}"},
    {"∞", "\\ensuremath{\\infty}"},
    {"√", "\\ensuremath{\\surd}"},
    {"‖", "\\ensuremath{\\|}"},
    {"∑", "\\ensuremath{\\Sigma}"},
    {"→", "\\ensuremath{\\rightarrow}"},
    {"ᵀ", "\\ensuremath{^T}"},
    {"\u00a0", "~"},
    {"…", "\\ldots{}"},
    {"–", "\\textendash{}"},
    {"°", "\\ensuremath{^\\circ}"},
};

void lettering_write_tex(FILE *out, const char *text, size_t size) {
  for (const char *end = text + size; text < end;) {
    const size_t length = character_size(text);
    const char *tex = NULL;
    for (size_t i = 0; !tex && i < sizeof replacements / sizeof replacements[0]; i++)
      if (strlen(replacements[i].text) == length && !memcmp(replacements[i].text, text, length))
        tex = replacements[i].tex;
    if (tex)
      fputs(tex, out);
    else
      fwrite(text, 1, length, out);
    text += length;
  }
}

void lettering_write_svg(FILE *out, const char *svg, size_t size, bool keep_edges) {
  static const char image[] = "<image ", cdata[] = "]]>";
  static const char none[] = "\xef\xbf\xbe", last[] = "\xef\xbf\xbf",
                    replacement[] = "\xef\xbf\xbd";
  const char *end = svg + size;
  while (svg < end) {
    const size_t left = (size_t)(end - svg);
    if (left >= 3 && !memcmp(svg, cdata, 3)) {
      fputs("]]&gt;", out);
      svg += 3;
    } else if (left >= 3 && (!memcmp(svg, none, 3) || !memcmp(svg, last, 3))) {
      fputs(replacement, out);
      svg += 3;
    } else if (keep_edges && left >= sizeof image && !memcmp(svg, image, sizeof image - 1)) {
      fprintf(out, "%sstyle='image-rendering:pixelated' ", image);
      svg += sizeof image - 1;
    } else {
      fputc(*svg++, out);
    }
  }
}
