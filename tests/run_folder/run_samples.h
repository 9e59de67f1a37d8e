#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/run_folder/run_folder.h"
#include "tests/support/write_text.h"

/// Run folders that several tests use.
namespace lockstep::tests {

inline std::string textOf(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void makeCheckpoint(const run_folder::Layout& layout, std::int64_t step) {
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    writeText(layout.checkpoint(step) / name, name);
  }
}

inline run_folder::RunInfo sampleInfo() {
  run_folder::RunInfo info;
  info.name = "mask_rcnn \"ü\"";
  info.state = protocol::RunState::Running;
  info.attempt = 3;
  info.ranks = 2;
  info.pid = 4711;
  info.host = "node7";
  info.socket = "/run/user/1000/lockstep/0123456789abcdef.sock";
  info.step = 412;
  info.maxSteps = 90000;
  info.created = 1764000000.25;
  info.started = 1764000001.5;
  info.updated = 1764000100.125;
  return info;
}

}  // namespace lockstep::tests
