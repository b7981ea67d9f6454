/* The built-in models. */
#include <string.h>

#include "lib/model/model.h"

static const struct builtin_model models[] = {
    {.name = "llama-2-7b",
     .title = "Llama-2-7B",
     .config = "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"num_attention_heads\": 32,"
               " \"max_position_embeddings\": 4096, \"rope_scaling\": null}",
     .source = "config.json of meta-llama/Llama-2-7b-hf"},
    {.name = "llama-3-8b",
     .title = "Llama-3-8B",
     .config =
         "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"num_attention_heads\": 32,"
         " \"max_position_embeddings\": 8192, \"rope_theta\": 500000.0, \"rope_scaling\": null}",
     .source = "config.json of meta-llama/Meta-Llama-3-8B"},
    {.name = "llama-3.1-8b",
     .title = "Llama-3.1-8B",
     .config = "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"num_attention_heads\": 32,"
               " \"max_position_embeddings\": 131072, \"rope_theta\": 500000.0, \"rope_scaling\":"
               " {\"factor\": 8.0, \"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0,"
               " \"original_max_position_embeddings\": 8192, \"rope_type\": \"llama3\"}}",
     .source = "config.json of meta-llama/Llama-3.1-8B"},
    {.name = "mistral-7b-v0.1",
     .title = "Mistral-7B-v0.1",
     .config = "{\"model_type\": \"mistral\", \"hidden_size\": 4096, \"num_attention_heads\": 32,"
               " \"max_position_embeddings\": 32768, \"rope_theta\": 10000.0}",
     .source = "config.json of mistralai/Mistral-7B-v0.1"},
    {.name = "mistral-7b-v0.2",
     .title = "Mistral-7B-v0.2",
     .config = "{\"model_type\": \"mistral\", \"hidden_size\": 4096, \"num_attention_heads\": 32,"
               " \"max_position_embeddings\": 32768, \"rope_theta\": 1000000.0}",
     .source = "config.json of mistralai/Mistral-7B-Instruct-v0.2"},
    {.name = "qwen2.5-7b",
     .title = "Qwen2.5-7B",
     .config = "{\"model_type\": \"qwen2\", \"hidden_size\": 3584, \"num_attention_heads\": 28,"
               " \"max_position_embeddings\": 131072, \"rope_theta\": 1000000.0}",
     .source = "config.json of Qwen/Qwen2.5-7B"},
    {.name = "gemma-2-9b",
     .title = "Gemma-2-9B",
     .config = "{\"model_type\": \"gemma2\", \"hidden_size\": 3584, \"num_attention_heads\": 16,"
               " \"head_dim\": 256, \"max_position_embeddings\": 8192, \"rope_theta\": 10000.0}",
     .source = "config.json of google/gemma-2-9b"},
};

enum { MODELS = sizeof models / sizeof *models };

const struct builtin_model *builtin_model_at(size_t index) {
  return index < MODELS ? &models[index] : NULL;
}

const struct builtin_model *builtin_model_find(const char *name) {
  for (size_t i = 0; i < MODELS; i++)
    if (!strcmp(models[i].name, name)) return &models[i];
  return NULL;
}
