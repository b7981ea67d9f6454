/* Methods that make a model's context longer, side by side. */
#ifndef ROPETOOL_ANALYSIS_EXTEND_H
#define ROPETOOL_ANALYSIS_EXTEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/io/table.h"
#include "lib/rope/spec.h"

enum { EXTEND_METHODS = 32, EXTEND_METHOD = 160 };

/* Methods as typed: "yarn:beta_fast=16". */
struct extend_methods {
  size_t count;
  char name[EXTEND_METHODS][EXTEND_METHOD];
};

/* "TYPE[:key=value,...],TYPE...": a part with '=' and without ':' belongs to the method before it.
   ERROR_INPUT: an empty part, a method that does not fit, too many. Whether a method exists is for
   extend_method to say. */
int extend_parse_methods(const char *list, struct extend_methods *methods, struct error *error);

/* What of the methods a table lists. One struct each; a registry lists them. */
struct extend_view;
const struct extend_view *extend_view_at(size_t index); /* NULL past the end; the table is first */
const char *extend_view_name(const struct extend_view *view);
/* ERROR_INPUT: no such view; the known ones but the table are listed. */
int extend_view_find(const char *name, const struct extend_view **view, struct error *error);
/* The methods it shows unless others are asked for; NULL: it takes none. */
const char *extend_view_methods(const struct extend_view *view);

struct extend_request {
  const struct rope_spec *spec;   /* the model; its scaling rule is replaced by each method's */
  int64_t original, target;       /* tokens: the context it was trained for, and the one wanted */
  const struct extend_view *view; /* NULL: the table */
  struct extend_methods methods;  /* none where the view takes none */
};

/* The context that a model was trained for, before any extension: what its scaling rule says, else
   its own; 0: not known. */
int64_t extend_original(const struct rope_spec *spec);

/* The model's RoPE under a method: a scaling rule by name, or "base", the plain RoPE of
   base^(ln(target/2π) / ln(original/2π)) (Liu et al. 2023, arXiv:2310.05209, solved for the base;
   the lower bound of LongRoPE2, arXiv:2502.20082): the pair that just completes a turn within
   `original` tokens then just completes one within `target`.
   What a rule needs and the method leaves open is filled in: the original context, factor =
   target/original, and Llama 3's low_freq_factor 1 and high_freq_factor 4. Lists are the model's
   where the method is its own rule.
   The result's context is `target`, and so is its max_position_embeddings, except under rules that
   grow with the sequence ("dynamic"): they take that for the original one. ERROR_INPUT: an unknown
   method (the known ones are listed), one whose lists the model has not, a number it does not take,
   contexts that do not grow. */
int extend_method(const struct extend_request *request, const char *method, struct rope_spec *spec,
                  struct error *error);

/* The table of a view.

   "table", one row per method: method,factor,base,attention_factor,first_negative_distance,
   untrained_pairs,max_angle_gap. `base` is the declared one, also where a rule changes it; factor
   is empty where the method has none.
   - first_negative_distance: the first distance in [0, target] whose cosine sum Σ cos mθ_i is below
     0; empty: none.
   - untrained_pairs: pairs that complete no turn within the original context without any method
     (original · θ_i < 2π) and reach a larger angle at `target` than that, original · θ_i.
   - max_angle_gap: the largest such excess in radians, 0 without one.

   "bound", one row per distance, at most 512 from 1 to target, evenly spaced in the logarithm:
   distance,extrapolation,interpolation,ratio. In units of max|h|: twice Σ_j |S_j| of the model as
   it is, which bounds the score at that distance; d / (32 ln base), which bounds what the score
   under position interpolation is off a straight line between whole positions (Chen et al. 2023,
   arXiv:2306.15595, eq. 8 and theorem 2.1); and the one over the other. The last two are empty for
   a base up to 1.

   "temperature", one row per method and context, at most 64 from original to target, evenly spaced
   in the logarithm: method,context,score_factor. By what the method multiplies scores when it is
   set up for that context: attention_factor² · softmax_factor, YaRN's 1/t (arXiv:2309.00071,
   eq. 22).

   "reach", one row per method and pair: method,pair,trained_angle,angle,reach,gap. In radians the
   angle at the end of the original context without any method, original · θ_i, and the one at
   `target` with it; the latter over the former; and the excess as in max_angle_gap, which is 0
   where there is none and empty where the pair completes a turn within the original context. A
   pair that does not rotate has no reach.

   meta: original_context, target, replaced_scaling (the type of the model's own, null: none),
   never_turning_pairs (those that complete no turn within the original context; first_never_turning
   is the first of them, null: none),
   interpolation_bound_divisor, 32 ln(base); extrapolation {minimum, minimum_distance,
   first_below_1, ratio_minimum, last_distance}: of Σ_j |S_j(m)| / d over m = 0 .. last_distance =
   min(target, 131072), which twice times max|h| bounds the score of the model as it is (it is said
   in print to be above 1), and ratio_minimum, twice the minimum times the divisor. meta.methods:
   one object each with the resolved spectrum, and of "temperature" score_factor at `target`, of
   "reach" untrained_pairs and max_angle_gap.
   ERROR_INPUT: also methods where the view takes none, and none where it takes them. */
int extend_run(struct backend *backend, const struct extend_request *request, struct table **table,
               struct error *error);

/* Fields of a config.json. */
struct extend_fragment {
  const struct rope_spec *spec;  /* the RoPE wanted, as extend_method has it */
  const struct rope_spec *model; /* (count) the model's RoPEs as they are, one each layer type */
  size_t count;                  /* 0: of no model */
  bool hf4;                      /* the names of transformers 4 */
};

/* What a Hugging Face config.json needs for this RoPE, as a JSON object, to be released with
   free(): "rope_parameters" and "max_position_embeddings"; with `hf4` "rope_theta" and
   "rope_scaling". A rule that only changes the base, ntk or "base", becomes that base. The model's
   other layer types are in "rope_parameters" too, unchanged: what they took from the model's
   context is written out, for that changes. ERROR_INPUT: a rule that Hugging Face does not have;
   with `hf4` also a RoPE of one layer type among several. */
int extend_emit(const struct extend_fragment *fragment, char **json, struct error *error);

#endif
