/* A program of someone else's: the mean of cos(m·θ_i) at distance 8, of Llama 3's rotations. */
#include <math.h>
#include <stdio.h>

#include <ropetool/lib/model/model.h>

#include "lib/rope/spectrum.h"

int main(void) {
  struct error error;
  struct model *model = NULL;
  struct spectrum *spectrum = NULL;
  double sum = 0;
  int status = model_read("llama-3-8b", &model, NULL, &error);
  if (!status) status = spectrum_create(&model->ropes[0], &spectrum, &error);
  for (size_t i = 0; !status && i < spectrum->pairs; i++)
    sum += cos(8 * (double)spectrum->inv_freq[i]);
  if (status)
    printf("%s\n", error.message);
  else
    printf("%zu pairs, base %.0f, mean %.6f\n", spectrum->pairs, model->ropes[0].base,
           sum / (double)spectrum->pairs);
  spectrum_destroy(spectrum);
  model_destroy(model);
  return status;
}
