#include <malloc.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/base/pixel_limit.h"
#include "engine/cli/commands.h"
#include "engine/cli/model_source.h"
#include "engine/config/load.h"
#include "engine/run_folder/weights_metadata.h"
#include "engine/serve/serve_session.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

struct ServeOptions {
  ModelOptions model;
  RankRequest ranks;
  std::string address = "127.0.0.1", tokenFile, files;
  std::vector<std::string> urlPrefixes;
  int port = 8080, maxBatch = 8, batchTimeout = 30;
  bool needsNoToken = false, follows = false;
};

/// `localhost` is the one name that says which of its addresses is meant. Throws UserError.
std::string addressOf(const std::string& bound) {
  if (bound == "localhost") return "127.0.0.1";
  addrinfo hints{}, *found = nullptr;
  hints.ai_flags = AI_NUMERICHOST;
  if (::getaddrinfo(bound.c_str(), nullptr, &hints, &found) != 0)
    throw UserError("--bind " + bound +
                    ": is not an IP address; give one, such as 127.0.0.1 or 0.0.0.0");
  ::freeaddrinfo(found);
  return bound;
}

bool isLoopback(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

/// The first line of a file that not everybody reads.
std::string tokenIn(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) throw UserError("--token-file " + path + ": no such file");
  if (!S_ISREG(facts.st_mode)) throw UserError("--token-file " + path + ": is not a regular file");
  if ((facts.st_mode & (S_IROTH | S_IWOTH)) != 0)
    throw UserError("--token-file " + path +
                    ": other users can read it or write to it; forbid that with chmod o-rw");
  std::string token = base::readFile(path);
  token.resize(std::min(token.find_first_of("\r\n"), token.size()));
  token = serve::withoutSpace(token);
  if (token.size() < 16)
    throw UserError("--token-file " + path +
                    ": the token must have 16 characters or more, such as `openssl rand -hex 32` "
                    "prints");
  return token;
}

std::string tokenOf(const ServeOptions& options, const std::string& address) {
  if (!options.tokenFile.empty() && options.needsNoToken)
    throw UserError("lockstep-engine serve: give either --token-file or --no-token");
  if (!options.tokenFile.empty()) return tokenIn(options.tokenFile);
  if (!options.needsNoToken && !isLoopback(address))
    throw UserError("--bind " + address +
                    ": others can reach this address: give --token-file F, or --no-token where the "
                    "network keeps them out");
  return {};
}

void followRun(const ServeOptions& options, const ModelSource& source, serve::ServeSetup& setup) {
  if (!options.follows) return;
  if (!source.run || source.packed)
    throw UserError("--follow: " + options.model.target +
                    " is not a run folder, so its best checkpoint does not change");
  if (!options.model.weights.empty() && options.model.weights != "best")
    throw UserError("--follow: serves the best; do not give --weights " + options.model.weights);
  if (!source.experiment.checkpoint.keepBest)
    throw UserError("--follow: " + options.model.target +
                    " keeps no best checkpoint (checkpoint.keep_best: false)");
  setup.followed = source.run;
}

serve::ServeSetup setupOf(const ServeOptions& options, ModelSource source) {
  serve::ServeSetup setup;
  setup.address = addressOf(options.address);
  setup.port = options.port;
  setup.token = tokenOf(options, setup.address);
  setup.isForThisMachineAlone = setup.token.empty() && !options.needsNoToken;
  setup.files = options.files;
  setup.urlPrefixes = options.urlPrefixes;
  followRun(options, source, setup);
  setup.model.name = source.experiment.name;
  setup.model.hasMasks = source.experiment.model.masks;
  setup.model.categories = run_folder::categoriesOfWeights(source.weights);
  // The weights name the classes; data that are not needed would be read.
  if (!setup.model.categories.empty()) source.experiment.dataset.val = {};
  setup.workers.weights = std::make_shared<const serve::ServedWeights>(source.weights, source.step);
  setup.workers.configYaml = config::writeExperiment(source.experiment);
  setup.workers.ranks = source.ranks;
  setup.workers.maxBatch = static_cast<std::size_t>(options.maxBatch);
  // A request has time for a second try.
  setup.workers.detecting = std::chrono::seconds(options.batchTimeout);
  setup.requestPatience = std::max(setup.requestPatience, 2 * setup.workers.detecting);
  setup.drainPatience = setup.requestPatience;
  // On a CPU, images of a batch are detected side by side: more would only wait for each other.
  if (source.ranks.devices.empty())
    setup.workers.maxBatch =
        std::min(setup.workers.maxBatch,
                 static_cast<std::size_t>(std::max(source.experiment.runtime.cpuThreads, 1)));
  return setup;
}

void printAddress(const std::string& address, int port) {
  std::string line;
  base::JsonWriter writer(line);
  writer.beginObject();
  writer.member("address", address);
  writer.member("port", port);
  writer.endObject();
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

/// Gives bodies and answers pages of their own, which free() returns to the system. The C library
/// would keep the memory of many at once.
void returnFreedMemory() {
  constexpr int kBytes = 64 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kBytes);
}

int serveModel(const ServeOptions& options) {
  returnFreedMemory();
  checkWorkers(options.ranks);
  const auto program = supervisor::workerProgramBesideThis();
  serve::ServeSetup setup = setupOf(options, resolveModel(options.model, program, options.ranks));
  setup.workers.program = program;
  const std::string address = setup.address;
  base::limitPixels();
  serve::ServeSession session(std::move(setup));
  printAddress(address, session.port());
  session.run();
  return static_cast<int>(ExitStatus::Done);
}

void addNetworkOptions(Command& command, ServeOptions& options) {
  command.option("--bind", options.address, "Address to listen on")
      .metavar("ADDRESS")
      .showDefault();
  command.option("--port", options.port, "Port to listen on; 0: any that is free")
      .metavar("P")
      .range(0, 65535)
      .showDefault();
  command
      .option("--token-file", options.tokenFile,
              "File whose first line requests must give as Authorization: Bearer TOKEN")
      .metavar("F");
  command.flag("--no-token", options.needsNoToken,
               "Answer requests without a token, under any host name");
  command.option("--files", options.files, "Folder of images that requests may refer to")
      .metavar("DIR");
  command
      .option("--allow-urls", options.urlPrefixes,
              "URL prefix of images that requests may refer to; may be repeated")
      .metavar("PREFIX")
      .oneValuePerOccurrence();
}

}  // namespace

void addServeCommand(Command& program) {
  Command command = program.command("serve", "Answer detection requests over HTTP");
  command.usage("RUN|DIR|F.safetensors [OPTIONS]");
  auto options = std::make_shared<ServeOptions>();
  options->model.prefersBest = true;
  addModelOptions(command, options->model);
  command.overrides(options->model.overrides, "runtime.device=cpu");
  addNetworkOptions(command, *options);
  addWorkersOption(command, options->ranks);
  command
      .option("--max-batch", options->maxBatch,
              "Maximum number of waiting images that a worker takes as a batch")
      .metavar("B")
      .range(1, 1024)
      .showDefault();
  command
      .option("--batch-timeout", options->batchTimeout,
              "Seconds after which an unresponsive worker is replaced; its images are retried once")
      .metavar("S")
      .range(1, 3600)
      .showDefault();
  command.flag("--follow", options->follows,
               "Load the run's best checkpoint whenever there is a new one");
  command.run([options] { return serveModel(*options); });
}

}  // namespace lockstep::cli
