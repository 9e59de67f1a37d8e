#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace lockstep::run_folder {

/// The JSON at the start of a safetensors file: its length as 8 bytes, then its text. null if there
/// is none.
nlohmann::json readSafetensorsHeader(const std::filesystem::path& file);

}  // namespace lockstep::run_folder
