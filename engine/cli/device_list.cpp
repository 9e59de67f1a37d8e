#include "engine/cli/device_list.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"

namespace lockstep::cli {
namespace {

/// `0 (NVIDIA H200, GPU-aaaa), 1 (…)`
std::string gpuListText(const std::vector<supervisor::GpuDevice>& gpus) {
  std::string text;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    text +=
        (i == 0 ? "" : ", ") + std::to_string(i) + " (" + gpus[i].name + ", " + gpus[i].uuid + ")";
  }
  return text;
}

bool isNumber(const std::string& word) {
  return !word.empty() && word.size() < 6 && word.find_first_not_of("0123456789") == word.npos;
}

std::optional<std::size_t> findGpu(const std::string& word,
                                   const std::vector<supervisor::GpuDevice>& gpus) {
  if (isNumber(word)) {
    const std::size_t index = std::stoul(word);
    return index < gpus.size() ? std::optional(index) : std::nullopt;
  }
  constexpr std::size_t kPrefix = 4;  // `GPU-`
  for (std::size_t i = 0; word.size() > kPrefix && i < gpus.size(); ++i)
    if (gpus[i].uuid.starts_with(word)) return i;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> overridesOfDevices(const std::string& list, bool hasWorkers,
                                            const supervisor::Gpus& gpus) {
  if (list == "cpu") return {"runtime.device=cpu", "runtime.devices=[]"};
  const std::string option = "--devices " + base::shortened(list) + ": ";
  std::string indices;
  std::istringstream words(list + ",");
  for (std::string word; std::getline(words, word, ',');) {
    std::erase(word, ' ');
    if (word.empty() || word == "cpu")
      throw UserError(option + "expected cpu, or GPUs separated by commas, such as 0,1");
    if (gpus.devices.empty()) throw UserError(option + supervisor::whyNoneUsable(gpus, {}));
    const auto index = findGpu(word, gpus.devices);
    if (!index) {
      throw UserError(option + "no GPU '" + base::shortened(word) + "'; the GPUs are " +
                      gpuListText(gpus.devices));
    }
    indices += (indices.empty() ? "" : ", ") + std::to_string(*index);
  }
  std::vector<std::string> overrides{"runtime.device=cuda", "runtime.devices=[" + indices + "]"};
  if (!hasWorkers) overrides.emplace_back("runtime.workers=0");  // one for each
  return overrides;
}

}  // namespace lockstep::cli
