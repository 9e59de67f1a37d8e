#include "engine/supervisor/cluster_environment.h"

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

/// The environment. `beside` is the variable that shows which launcher it is: without a launcher
/// one can unset it.
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
      throw UserError(std::string(name) + " is not set, but " + beside_ + " is: set it, or unset " +
                      beside_ + " to train without a launcher");
    }
    return value;
  }
  std::int64_t number(const char* name, std::int64_t least, std::int64_t most) const {
    const std::string value = needed(name);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < least ||
        number > most) {
      throw UserError(std::string(name) + " is '" + base::shortened(value) +
                      "', which is not an integer from " + std::to_string(least) + " to " +
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

ClusterEnvironment oneRank(const Variables& variables, const RankVariables& names) {
  ClusterEnvironment cluster;
  cluster.launcher = names.launcher;
  cluster.startsEveryRank = true;
  const std::int64_t size = variables.number(names.size, 1, kMostRanks);
  cluster.nodes = static_cast<int>(size);
  cluster.node = static_cast<int>(variables.number(names.rank, 0, size - 1));
  cluster.localRank = static_cast<int>(variables.number(names.localRank, 0, size - 1));
  if (names.localSize != nullptr && variables.has(names.localSize))
    cluster.localWorldSize = static_cast<int>(variables.number(names.localSize, 1, kMostRanks));
  return cluster;
}

ClusterEnvironment torchrunCluster(const Variables& variables) {
  ClusterEnvironment cluster = oneRank(variables, kTorchrun);
  if (cluster.nodes == 1) return cluster;
  cluster.masterAddress = variables.needed("MASTER_ADDR");
  cluster.masterPort = variables.port();
  cluster.storeIsServed = variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  return cluster;
}

// ---- Open MPI

int openMpiPort(const Variables& variables) {
  if (variables.has("MASTER_PORT")) return variables.port();
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}) {
    if (variables.has(name)) return portOf(base::crc32c(variables.text(name)));
  }
  return variables.port();  // throws: it is missing
}

ClusterEnvironment openMpiCluster(const Variables& variables) {
  ClusterEnvironment cluster = oneRank(variables, kOpenMpi);
  if (cluster.nodes == 1) return cluster;
  const bool isOneMachine =
      variables.has("OMPI_COMM_WORLD_LOCAL_SIZE") &&
      variables.number("OMPI_COMM_WORLD_LOCAL_SIZE", 1, cluster.nodes) == cluster.nodes;
  cluster.masterAddress =
      isOneMachine && !variables.has("MASTER_ADDR") ? "127.0.0.1" : variables.needed("MASTER_ADDR");
  cluster.masterPort = openMpiPort(variables);
  return cluster;
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
    throw UserError(std::string(name) + " is '" + base::shortened(variables.text(name)) +
                    "', which is not a list of hosts: set MASTER_ADDR to the first task's host");
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

ClusterEnvironment slurmCluster(const Variables& variables) {
  const bool isBatch = isBatchScript(variables);
  if (isBatch && !variables.has(kSlurm.size)) return {};  // of one task
  const bool hasStep = variables.has(kSlurmStep.size);
  ClusterEnvironment cluster = oneRank(variables, hasStep ? kSlurmStep : kSlurm);
  if (cluster.nodes == 1) return {};
  if (isBatch) {
    throw UserError(
        "SLURM_NTASKS is " + std::to_string(cluster.nodes) +
        ", but this is the batch script, not one of its tasks: start the command with `srun`, or "
        "with `srun --ntasks=1` for one that starts a rank on each GPU of one machine");
  }
  cluster.masterAddress = slurmAddress(variables);
  cluster.masterPort = slurmPort(variables);
  return cluster;
}

// ---- PyTorchJob

ClusterEnvironment podCluster(const Variables& variables) {
  ClusterEnvironment cluster;
  cluster.launcher = "PyTorchJob";
  // An elastic job's PET_NNODES is a range, "1:3".
  const bool hasNodes =
      variables.has("PET_NNODES") && variables.text("PET_NNODES").find(':') == std::string::npos;
  const char* size = hasNodes ? "PET_NNODES" : "WORLD_SIZE";
  cluster.nodes = static_cast<int>(variables.number(size, 1, kMostRanks));
  cluster.node = static_cast<int>(variables.number("RANK", 0, cluster.nodes - 1));
  if (cluster.nodes == 1) return cluster;
  cluster.masterAddress = variables.needed("MASTER_ADDR");
  cluster.masterPort = variables.port();
  return cluster;
}

}  // namespace

ClusterEnvironment detectCluster(const std::function<const char*(const char*)>& variable) {
  struct Launcher {
    const char* variableName;
    ClusterEnvironment (*read)(const Variables&);
  };
  constexpr Launcher kLaunchers[] = {{kTorchrun.localRank, torchrunCluster},
                                     {kOpenMpi.localRank, openMpiCluster},
                                     {kSlurm.localRank, slurmCluster},
                                     {"RANK", podCluster}};
  for (const auto& [variableName, read] : kLaunchers) {
    const Variables variables(variable, variableName);
    if (variables.has(variableName)) return read(variables);
  }
  return {};
}

}  // namespace lockstep::supervisor
