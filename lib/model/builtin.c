/* The built-in models. */
#include <string.h>

#include "lib/model/model.h"

/* The fields as they stand in a config.json. */
#define JSON(...) #__VA_ARGS__

/* clang-format off */
static const struct builtin_model models[] = {
    {.name = "llama-2-7b", .title = "Llama-2-7B",
     .source = "config.json of meta-llama/Llama-2-7b-hf",
     .config = JSON(
         {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 4096})},
    {.name = "llama-3-8b", .title = "Llama-3-8B",
     .source = "config.json of meta-llama/Meta-Llama-3-8B",
     .config = JSON(
         {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 8192, "rope_theta": 500000.0})},
    {.name = "llama-3.1-8b", .title = "Llama-3.1-8B",
     .source = "config.json of meta-llama/Llama-3.1-8B",
     .config = JSON(
         {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 131072, "rope_theta": 500000.0,
          "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192, "rope_type": "llama3"}})},
    {.name = "mistral-7b-v0.1", .title = "Mistral-7B-v0.1",
     .source = "config.json of mistralai/Mistral-7B-v0.1",
     .config = JSON(
         {"model_type": "mistral", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 32768, "rope_theta": 10000.0})},
    {.name = "mistral-7b-v0.2", .title = "Mistral-7B-v0.2",
     .source = "config.json of mistralai/Mistral-7B-Instruct-v0.2",
     .config = JSON(
         {"model_type": "mistral", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 32768, "rope_theta": 1000000.0})},
    {.name = "qwen2.5-7b", .title = "Qwen2.5-7B",
     .source = "config.json of Qwen/Qwen2.5-7B",
     .config = JSON(
         {"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28,
          "num_hidden_layers": 28, "max_position_embeddings": 131072, "rope_theta": 1000000.0})},
    {.name = "qwen2-vl-7b", .title = "Qwen2-VL-7B",
     .source = "config.json of Qwen/Qwen2-VL-7B-Instruct",
     .config = JSON(
         {"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28,
          "num_hidden_layers": 28, "max_position_embeddings": 32768, "rope_theta": 1000000.0,
          "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}})},
    {.name = "gemma-2-9b", .title = "Gemma-2-9B",
     .source = "config.json of google/gemma-2-9b",
     .config = JSON(
         {"model_type": "gemma2", "num_hidden_layers": 42, "head_dim": 256,
          "max_position_embeddings": 8192, "rope_theta": 10000.0})},
    {.name = "llama-3.2-1b", .title = "Llama-3.2-1B",
     .source = "config.json of meta-llama/Llama-3.2-1B",
     .config = JSON(
         {"model_type": "llama", "num_hidden_layers": 16, "head_dim": 64,
          "max_position_embeddings": 131072, "rope_theta": 500000.0,
          "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
          "original_max_position_embeddings": 8192, "rope_type": "llama3"}})},
    {.name = "llama-4-scout", .title = "Llama-4-Scout-17B-16E",
     .source = "config.json of meta-llama/Llama-4-Scout-17B-16E",
     .config = JSON(
         {"model_type": "llama4_text", "head_dim": 128, "num_hidden_layers": 48,
          "max_position_embeddings": 10485760, "rope_theta": 500000.0,
          "rope_scaling": {"factor": 16.0, "high_freq_factor": 1.0, "low_freq_factor": 1.0,
          "original_max_position_embeddings": 8192, "rope_type": "llama3"},
          "no_rope_layer_interval": 4})},
    {.name = "codellama-7b", .title = "CodeLlama-7B",
     .source = "config.json of codellama/CodeLlama-7b-hf",
     .config = JSON(
         {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 16384, "rope_theta": 1000000})},
    {.name = "yarn-llama-2-7b-64k", .title = "Yarn-Llama-2-7B-64K",
     .source = "config.json of NousResearch/Yarn-Llama-2-7b-64k",
     .config = JSON(
         {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 65536, "rope_theta": 10000.0,
          "rope_scaling": {"factor": 16.0, "original_max_position_embeddings": 4096, "type": "yarn",
          "finetuned": true}})},
    {.name = "mixtral-8x7b", .title = "Mixtral-8x7B",
     .source = "config.json of mistralai/Mixtral-8x7B-v0.1",
     .config = JSON(
         {"model_type": "mixtral", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 32768, "rope_theta": 1000000.0})},
    {.name = "qwen3-8b", .title = "Qwen3-8B",
     .source = "config.json of Qwen/Qwen3-8B",
     .config = JSON(
         {"model_type": "qwen3", "num_hidden_layers": 36, "head_dim": 128,
          "max_position_embeddings": 40960, "rope_theta": 1000000})},
    {.name = "gemma-3-4b", .title = "Gemma-3-4B",
     .source = "config.json of google/gemma-3-4b-it",
     .config = JSON(
         {"model_type": "gemma3_text", "head_dim": 256, "num_hidden_layers": 34,
          "max_position_embeddings": 131072, "rope_theta": 1000000.0,
          "rope_local_base_freq": 10000.0, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
          "sliding_window_pattern": 6})},
    {.name = "gemma-4-12b", .title = "Gemma-4-12B",
     .source = "config.json of google/gemma-4-12b",
     .config = JSON(
         {"model_type": "gemma4_text", "head_dim": 256, "global_head_dim": 512,
          "num_hidden_layers": 48,
          "rope_parameters": {"full_attention": {"rope_type": "proportional",
          "partial_rotary_factor": 0.25, "rope_theta": 1000000.0},
          "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}})},
    {.name = "gpt-oss-20b", .title = "gpt-oss-20b",
     .source = "config.json of openai/gpt-oss-20b",
     .config = JSON(
         {"model_type": "gpt_oss", "head_dim": 64, "num_hidden_layers": 24,
          "max_position_embeddings": 131072, "initial_context_length": 4096, "rope_theta": 150000,
          "rope_scaling": {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0,
          "original_max_position_embeddings": 4096, "rope_type": "yarn", "truncate": false}})},
    {.name = "deepseek-v2-lite", .title = "DeepSeek-V2-Lite",
     .source = "config.json of deepseek-ai/DeepSeek-V2-Lite",
     .config = JSON(
         {"model_type": "deepseek_v2", "num_hidden_layers": 27, "max_position_embeddings": 163840,
          "rope_theta": 10000, "rope_scaling": {"beta_fast": 32, "beta_slow": 1, "factor": 40,
          "mscale": 0.707, "mscale_all_dim": 0.707, "original_max_position_embeddings": 4096,
          "type": "yarn"}, "qk_rope_head_dim": 64})},
    {.name = "deepseek-v3", .title = "DeepSeek-V3",
     .source = "config.json of deepseek-ai/DeepSeek-V3",
     .config = JSON(
         {"model_type": "deepseek_v3", "num_hidden_layers": 61, "qk_rope_head_dim": 64,
          "max_position_embeddings": 163840, "rope_theta": 10000, "rope_scaling": {"beta_fast": 32,
          "beta_slow": 1, "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
          "original_max_position_embeddings": 4096, "type": "yarn"}})},
    {.name = "phi-2", .title = "phi-2",
     .source = "config.json of microsoft/phi-2",
     .config = JSON(
         {"model_type": "phi", "hidden_size": 2560, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 2048, "rope_theta": 10000.0,
          "partial_rotary_factor": 0.4})},
    {.name = "gpt-j-6b", .title = "GPT-J-6B",
     .source = "config.json of EleutherAI/gpt-j-6b",
     .config = JSON(
         {"model_type": "gptj", "rotary_dim": 64, "n_embd": 4096, "n_head": 16, "n_layer": 28,
          "n_positions": 2048})},
    {.name = "pythia-6.9b", .title = "Pythia-6.9B",
     .source = "config.json of EleutherAI/pythia-6.9b",
     .config = JSON(
         {"model_type": "gpt_neox", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 2048, "rotary_pct": 0.25,
          "rotary_emb_base": 10000})},
    {.name = "command-r", .title = "Command-R",
     .source = "config.json of CohereLabs/c4ai-command-r-v01",
     .config = JSON(
         {"model_type": "cohere", "hidden_size": 8192, "num_attention_heads": 64,
          "num_hidden_layers": 40, "max_position_embeddings": 8192, "rope_theta": 8000000.0})},
    {.name = "glm-4-9b", .title = "GLM-4-9B",
     .source = "config.json of zai-org/glm-4-9b-chat",
     .config = JSON(
         {"model_type": "chatglm", "num_layers": 40, "kv_channels": 128, "seq_length": 131072,
          "rope_ratio": 500})},
    {.name = "olmo-2-7b", .title = "OLMo-2-7B",
     .source = "config.json of allenai/OLMo-2-1124-7B",
     .config = JSON(
         {"model_type": "olmo2", "hidden_size": 4096, "num_attention_heads": 32,
          "num_hidden_layers": 32, "max_position_embeddings": 4096, "rope_theta": 500000.0})},
    {.name = "smollm3-3b", .title = "SmolLM3-3B",
     .source = "config.json of HuggingFaceTB/SmolLM3-3B",
     .config = JSON(
         {"model_type": "smollm3", "hidden_size": 2048, "num_attention_heads": 16,
          "num_hidden_layers": 36, "max_position_embeddings": 65536, "rope_theta": 5000000.0,
          "no_rope_layer_interval": 4})},
    {.name = "modernbert-base", .title = "ModernBERT-base",
     .source = "config.json of answerdotai/ModernBERT-base",
     .config = JSON(
         {"model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12,
          "num_hidden_layers": 22, "max_position_embeddings": 8192, "global_rope_theta": 160000.0,
          "local_rope_theta": 10000.0, "global_attn_every_n_layers": 3})},
};
/* clang-format on */

enum { MODELS = sizeof models / sizeof *models };

const struct builtin_model *builtin_model_at(size_t index) {
  return index < MODELS ? &models[index] : NULL;
}

const struct builtin_model *builtin_model_find(const char *name) {
  for (size_t i = 0; i < MODELS; i++)
    if (!strcmp(models[i].name, name)) return &models[i];
  return NULL;
}
