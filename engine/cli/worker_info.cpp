#include "engine/cli/worker_info.h"

#include <nlohmann/json.hpp>

#include "engine/supervisor/one_shot_job.h"

namespace lockstep::cli {

WorkerInfo askWorkerInfo(const std::filesystem::path& workerProgram) {
  protocol::Job job;
  job.kind = "info";
  const auto said = nlohmann::ordered_json::parse(supervisor::runOneShotJob(workerProgram, job));
  WorkerInfo info;
  info.gpus = {said.value("cuda_kernels", false), said.value("cuda_architectures", std::string()),
               said.value("usable_gpus", 0)};
  for (const auto& [name, value] : said.items())
    info.facts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  return info;
}

}  // namespace lockstep::cli
