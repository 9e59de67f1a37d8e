#include "engine/run_folder/safetensors_header.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/protocol/json_text.h"

namespace lockstep::run_folder {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100 << 20;
constexpr std::ptrdiff_t kMaxObjects = 20'000;  ///< twice the tensors that the worker reads
static_assert(std::endian::native == std::endian::little, "the length is little-endian");

}  // namespace

nlohmann::json readSafetensorsHeader(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return {};
  std::ifstream file(path, std::ios::binary);
  std::uint64_t bytes = 0;
  file.read(reinterpret_cast<char*>(&bytes), sizeof bytes);
  const std::uint64_t fileBytes = std::filesystem::file_size(path, unknown);
  if (!file || unknown || bytes > std::min(kMaxHeaderBytes, fileBytes)) return {};
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  if (!file || std::ranges::count(text, '{') > kMaxObjects) return {};
  nlohmann::json header = protocol::parseJson(text);
  if (header.is_discarded()) header = nullptr;
  return header;
}

}  // namespace lockstep::run_folder
