#include "core/scaling/trained.h"

#include <array>

namespace ringside
{

namespace
{

constexpr std::string_view kLlama = "Touvron et al. 2023, LLaMA, arXiv 2302.13971, Table 2";
constexpr std::string_view kLlama2 = "Touvron et al. 2023, Llama 2, arXiv 2307.09288, Table 1";
constexpr std::string_view kLlama3 = "Llama Team 2024, arXiv 2407.21783, section 1, and the model card";
constexpr std::string_view kGemma2 = "Gemma Team 2024, Gemma 2, arXiv 2408.00118, section 3.1";

constexpr std::array kTrained{
    TrainedModel{"GPT-3", 2020, 175e9, 300e9, "Brown et al. 2020, arXiv 2005.14165, Table 2.1", "gpt-3-175b"},
    TrainedModel{"Gopher", 2021, 280e9, 300e9, "Rae et al. 2021, arXiv 2112.11446, sections 3.1 and 3.2", ""},
    TrainedModel{"MT-NLG", 2022, 530e9, 270e9, "Smith et al. 2022, arXiv 2201.11990, section 3",
                 "mt-nlg-530b"},
    TrainedModel{"Chinchilla", 2022, 70e9, 1.4e12, "Hoffmann et al. 2022, arXiv 2203.15556, Table 1", ""},
    TrainedModel{"PaLM", 2022, 540e9, 780e9, "Chowdhery et al. 2022, arXiv 2204.02311, section 3",
                 "palm-540b"},
    TrainedModel{"LLaMA 7B", 2023, 6.7e9, 1.0e12, kLlama, ""},
    TrainedModel{"LLaMA 13B", 2023, 13.0e9, 1.0e12, kLlama, ""},
    TrainedModel{"LLaMA 33B", 2023, 32.5e9, 1.4e12, kLlama, ""},
    TrainedModel{"LLaMA 65B", 2023, 65.2e9, 1.4e12, kLlama, "llama-65b"},
    TrainedModel{"Llama 2 7B", 2023, 6.74e9, 2e12, kLlama2, "llama-2-7b"},
    TrainedModel{"Llama 2 70B", 2023, 69e9, 2e12, kLlama2, "llama-2-70b"},
    TrainedModel{"Pythia 12B", 2023, 11.8e9, 300e9, "Biderman et al. 2023, arXiv 2304.01373, section 2",
                 "pythia-12b"},
    TrainedModel{"Llama 3 8B", 2024, 8.03e9, 15e12, kLlama3, "llama-3.1-8b"},
    TrainedModel{"Llama 3 70B", 2024, 70.6e9, 15e12, kLlama3, "llama-3.1-70b"},
    TrainedModel{"Llama 3.1 405B", 2024, 406e9, 15.6e12, kLlama3, "llama-3.1-405b"},
    TrainedModel{"Gemma 2 2B", 2024, 2.61e9, 2e12, kGemma2, "gemma-2-2b"},
    TrainedModel{"Gemma 2 27B", 2024, 27.2e9, 13e12, kGemma2, "gemma-2-27b"},
    TrainedModel{"TinyLlama", 2024, 1.1e9, 3e12, "Zhang et al. 2024, arXiv 2401.02385, abstract",
                 "tinyllama-1.1b"},
    TrainedModel{
        "DeepSeek-V3", 2024, 37.6e9, 14.8e12,
        "DeepSeek-AI 2024, arXiv 2412.19437, abstract; parameters that a token passes through, of 671 B",
        "deepseek-v3"},
    TrainedModel{"Qwen2.5 72B", 2024, 72.7e9, 18e12, "Qwen Team 2024, arXiv 2412.15115, abstract",
                 "qwen2.5-72b"},
    TrainedModel{"Qwen3 8B", 2025, 8.19e9, 36e12, "Qwen Team 2025, arXiv 2505.09388, section 3.1",
                 "qwen3-8b"},
};

} // namespace

std::span<const TrainedModel> trained_models()
{
    return kTrained;
}

} // namespace ringside
