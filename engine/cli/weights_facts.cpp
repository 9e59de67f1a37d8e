#include "engine/cli/weights_facts.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lockstep::cli {
namespace {

constexpr std::uint64_t kMostHeaderBytes = 100 << 20;
static_assert(std::endian::native == std::endian::little, "the length below is little-endian");

/// The JSON at the start of a safetensors file: its length as 8 bytes, then its text.
nlohmann::json readHeader(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t bytes = 0;
  file.read(reinterpret_cast<char*>(&bytes), sizeof bytes);
  std::error_code unknown;
  const std::uint64_t fileBytes = std::filesystem::file_size(path, unknown);
  if (!file || unknown || bytes > std::min(kMostHeaderBytes, fileBytes)) return {};
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  return file ? nlohmann::json::parse(text, nullptr, false) : nlohmann::json();
}

}  // namespace

std::optional<WeightsFacts> weightsFacts(const std::filesystem::path& file) {
  const nlohmann::json header = readHeader(file);
  const auto metadata = header.is_object() ? header.find("__metadata__") : header.end();
  if (metadata == header.end() || !metadata->is_object()) return std::nullopt;
  const auto norm = metadata->find("norm"), epsilon = metadata->find("norm_epsilon");
  if (norm == metadata->end() || !norm->is_string() || epsilon == metadata->end() ||
      !epsilon->is_string()) {
    return std::nullopt;
  }
  const auto number = nlohmann::json::parse(epsilon->get<std::string>(), nullptr, false);
  const auto known = base::parseEnum<config::Norm>(norm->get<std::string>());
  if (!number.is_number() || !known) return std::nullopt;
  return WeightsFacts{*known, number.get<double>()};
}

}  // namespace lockstep::cli
