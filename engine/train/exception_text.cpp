#include "engine/train/exception_text.h"

#include <c10/util/Exception.h>

#include <array>
#include <new>
#include <string_view>

namespace lockstep::train {
namespace {

/// First words of the lines where LibTorch's debugging advice begins.
constexpr std::array<std::string_view, 6> kAdvice{
    "CUDA kernel errors might be", "For debugging consider", "Compile with `TORCH_USE_CUDA_DSA`",
    "Search for `cudaError",       "Device-side assertions", "Exception raised from"};

bool isAdvice(std::string_view line) {
  for (const std::string_view advice : kAdvice)
    if (line.starts_with(advice)) return true;
  return false;
}

/// `NCCL error in: /pytorch/….cpp:77, unhandled system error` without the place.
std::string_view withoutLocation(std::string_view line) {
  constexpr std::string_view kBegin = "NCCL error in: ";
  if (!line.starts_with(kBegin)) return line;
  const std::size_t end = line.find(", ");
  return end == std::string_view::npos ? line : line.substr(end + 2);
}

std::string inOneLine(std::string_view text) {
  std::string joined;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (isAdvice(line)) break;
    if (!joined.empty()) joined += joined.ends_with(':') ? " " : "; ";
    joined += withoutLocation(line);
  }
  return joined;
}

}  // namespace

std::string exceptionText(const std::exception& exception) {
  if (const auto* ofTorch = dynamic_cast<const c10::Error*>(&exception))
    return inOneLine(ofTorch->what_without_backtrace());
  if (dynamic_cast<const std::bad_alloc*>(&exception)) return "out of memory";
  return exception.what();
}

}  // namespace lockstep::train
