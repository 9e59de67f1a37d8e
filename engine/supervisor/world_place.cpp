#include "engine/supervisor/world_place.h"

#include <charconv>
#include <cstdint>
#include <limits>

#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/base/shortened_text.h"

namespace lockstep::supervisor {
namespace {

constexpr std::int64_t kMostRanks = 1 << 20;
constexpr int kFirstPort = 15000, kPorts = 17000;

/// The variables of a launcher that starts a supervisor for every rank.
struct RankVariables {
  const char* launcher;
  const char* localRank;
  const char* rank;
  const char* size;
  const char* localSize;  ///< null: there is none
};
constexpr RankVariables kTorchrun{"torchrun", "LOCAL_RANK", "RANK", "WORLD_SIZE",
                                  "LOCAL_WORLD_SIZE"};
constexpr RankVariables kOpenMpi{"Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_RANK",
                                 "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr RankVariables kSlurm{"Slurm", "SLURM_LOCALID", "SLURM_PROCID", "SLURM_NTASKS", nullptr};
constexpr RankVariables kSlurmStep{"Slurm", "SLURM_LOCALID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS",
                                   nullptr};

/// The environment. `beside` is the variable that says which launcher it is: whoever does not mean
/// it can unset that one.
class Variables {
 public:
  Variables(const std::function<const char*(const char*)>& get, const char* beside)
      : get_(get), beside_(beside) {}

  std::string text(const char* name) const {
    const char* value = get_(name);
    return value == nullptr ? std::string() : value;
  }
  bool has(const char* name) const { return !text(name).empty(); }
  std::string needed(const char* name) const {
    std::string value = text(name);
    if (value.empty()) {
      throw base::mendable(std::string(name) + " is not set beside " + beside_ +
                           ": set it, or unset " + beside_ + " to train without a launcher");
    }
    return value;
  }
  std::int64_t number(const char* name, std::int64_t least, std::int64_t most) const {
    const std::string value = needed(name);
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (fault != std::errc() || end != value.data() + value.size() || number < least ||
        number > most) {
      throw base::mendable(std::string(name) + " is '" + base::shortened(value) +
                           "', which is not a whole number from " + std::to_string(least) + " to " +
                           std::to_string(most));
    }
    return number;
  }
  int port() const { return static_cast<int>(number("MASTER_PORT", 1, 65535)); }

 private:
  const std::function<const char*(const char*)>& get_;
  const char* beside_;
};

int portOf(std::uint64_t key) { return kFirstPort + static_cast<int>(key % kPorts); }

WorldPlace oneRank(const Variables& variables, const RankVariables& names) {
  WorldPlace place;
  place.launcher = names.launcher;
  place.isOneRank = true;
  const std::int64_t size = variables.number(names.size, 1, kMostRanks);
  place.nodes = static_cast<int>(size);
  place.node = static_cast<int>(variables.number(names.rank, 0, size - 1));
  place.gpu = static_cast<int>(variables.number(names.localRank, 0, size - 1));
  if (names.localSize != nullptr && variables.has(names.localSize))
    place.ranksBeside = static_cast<int>(variables.number(names.localSize, 1, kMostRanks));
  return place;
}

WorldPlace torchrunPlace(const Variables& variables) {
  WorldPlace place = oneRank(variables, kTorchrun);
  if (place.nodes == 1) return place;
  place.masterAddress = variables.needed("MASTER_ADDR");
  place.masterPort = variables.port();
  place.storeIsServed = variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  return place;
}

// ---- Open MPI

int openMpiPort(const Variables& variables) {
  if (variables.has("MASTER_PORT")) return variables.port();
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}) {
    if (variables.has(name)) return portOf(base::crc32c(variables.text(name)));
  }
  return variables.port();  // throws: it is missing
}

WorldPlace openMpiPlace(const Variables& variables) {
  WorldPlace place = oneRank(variables, kOpenMpi);
  if (place.nodes == 1) return place;
  const bool isOneMachine =
      variables.has("OMPI_COMM_WORLD_LOCAL_SIZE") &&
      variables.number("OMPI_COMM_WORLD_LOCAL_SIZE", 1, place.nodes) == place.nodes;
  place.masterAddress =
      isOneMachine && !variables.has("MASTER_ADDR") ? "127.0.0.1" : variables.needed("MASTER_ADDR");
  place.masterPort = openMpiPort(variables);
  return place;
}

// ---- Slurm

/// `gpu[03-05,9],x1` -> gpu03; nothing when it is no list of hosts.
std::optional<std::string> firstHost(const std::string& list) {
  std::string host;
  for (std::size_t at = 0; at < list.size() && list[at] != ','; ++at) {
    if (list[at] == ']') return std::nullopt;
    if (list[at] != '[') {
      host += list[at];
      continue;
    }
    const std::size_t close = list.find(']', at);
    if (close == std::string::npos) return std::nullopt;
    const std::size_t end = list.find_first_not_of("0123456789", at + 1);
    if (end == at + 1 || (list[end] != '-' && list[end] != ',' && end != close))
      return std::nullopt;
    host += list.substr(at + 1, end - at - 1);
    at = close;
  }
  return host.empty() ? std::nullopt : std::optional(host);
}

std::string slurmAddress(const Variables& variables) {
  if (variables.has("MASTER_ADDR")) return variables.text("MASTER_ADDR");
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
    if (!variables.has(name)) continue;
    if (const auto host = firstHost(variables.text(name))) return *host;
    throw base::mendable(std::string(name) + " is '" + base::shortened(variables.text(name)) +
                         "', which is no list of hosts: set MASTER_ADDR to the first task's host");
  }
  return variables.needed("MASTER_ADDR");
}

int slurmPort(const Variables& variables) {
  if (variables.has("MASTER_PORT") || !variables.has("SLURM_JOB_ID")) return variables.port();
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto job = static_cast<std::uint64_t>(variables.number("SLURM_JOB_ID", 0, kMost));
  const auto step = static_cast<std::uint64_t>(
      variables.has("SLURM_STEP_ID") ? variables.number("SLURM_STEP_ID", 0, kMost) : 0);
  return portOf(job + 1009 * step);
}

/// The script that sbatch runs on the first machine. Its variables are those of a task, although no
/// srun has started it.
bool isBatchScript(const Variables& variables) {
  const std::string step = variables.text("SLURM_STEP_ID");
  return step == "batch" || (step.empty() && variables.text("ENVIRONMENT") == "BATCH");
}

WorldPlace slurmPlace(const Variables& variables) {
  const bool isBatch = isBatchScript(variables);
  if (isBatch && !variables.has(kSlurm.size)) return {};  // one task, without having said so
  const bool hasStep = variables.has(kSlurmStep.size);
  WorldPlace place = oneRank(variables, hasStep ? kSlurmStep : kSlurm);
  if (place.nodes == 1) return {};
  if (isBatch) {
    throw base::mendable(
        "SLURM_NTASKS is " + std::to_string(place.nodes) +
        ", but this is the batch script and none of its tasks: begin the command with `srun`, or "
        "with `srun --ntasks=1` for one that starts a rank on each GPU of one machine");
  }
  place.masterAddress = slurmAddress(variables);
  place.masterPort = slurmPort(variables);
  return place;
}

// ---- PyTorchJob

WorldPlace podPlace(const Variables& variables) {
  WorldPlace place;
  place.launcher = "PyTorchJob";
  // An elastic job's PET_NNODES is a range, "1:3".
  const bool hasNodes =
      variables.has("PET_NNODES") && variables.text("PET_NNODES").find(':') == std::string::npos;
  const char* size = hasNodes ? "PET_NNODES" : "WORLD_SIZE";
  place.nodes = static_cast<int>(variables.number(size, 1, kMostRanks));
  place.node = static_cast<int>(variables.number("RANK", 0, place.nodes - 1));
  if (place.nodes == 1) return place;
  place.masterAddress = variables.needed("MASTER_ADDR");
  place.masterPort = variables.port();
  return place;
}

}  // namespace

WorldPlace worldPlaceOf(const std::function<const char*(const char*)>& variable) {
  struct Launcher {
    const char* sign;
    WorldPlace (*place)(const Variables&);
  };
  constexpr Launcher kLaunchers[] = {{kTorchrun.localRank, torchrunPlace},
                                     {kOpenMpi.localRank, openMpiPlace},
                                     {kSlurm.localRank, slurmPlace},
                                     {"RANK", podPlace}};
  for (const auto& [sign, place] : kLaunchers) {
    const Variables variables(variable, sign);
    if (variables.has(sign)) return place(variables);
  }
  return {};
}

}  // namespace lockstep::supervisor
