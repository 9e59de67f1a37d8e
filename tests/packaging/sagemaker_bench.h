#pragma once

#include <QStringList>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/packaging/script_bench.h"

namespace lockstep::tests {

/// Writes down how it was called, leaves what is in `run`, and ends as the file `status` says.
inline constexpr const char* kSageMakerEngine = R"sh(
printf '%s\n' "$@" > "$BENCH/arguments"
env > "$BENCH/environment"
case $1 in
evaluate | serve) ;;
*)
  while [ "$1" != --output ]; do shift; done
  mkdir -p "$2"
  if [ -d "$BENCH/run" ]; then cp -r "$BENCH/run/." "$2"; fi
  ;;
esac
echo 'step=2 max_steps=4 loss_total=1.5' >&2
if [ -e "$BENCH/waits" ]; then
  trap 'echo stopping >&2; exit 75' TERM
  touch "$BENCH/waiting"
  while :; do sleep 0.02; done
fi
if [ -e "$BENCH/fault" ]; then cat "$BENCH/fault" >&2; fi
exit "$(cat "$BENCH/status" 2>/dev/null || echo 0)"
)sh";

/// packaging/sagemaker/ in a folder that looks like SageMaker's /opt/ml.
class SageMaker : public ScriptBench {
 public:
  SageMaker() {
    setVariable("SAGEMAKER_BASE_DIR", (folder() / "ml").string());
    setVariable("BENCH", folder().string());
    setVariable("LOCKSTEP_ENGINE", (folder() / "lockstep-engine").string());
    writeProgram("lockstep-engine", kSageMakerEngine);
  }
  void channel(const std::string& name, const std::vector<std::string>& files) const {
    for (const auto& file : files) write("ml/input/data/" + name + "/" + file, "{}");
  }
  /// A dataset, where a test is not about it.
  void anyData() const {
    channel("train", {"a.jpg", "train.json"});
    channel("val", {"a.jpg", "val.json"});
  }
  ProcessResult train() const { return run(sourceFile("packaging/sagemaker/train"), {}); }
  std::vector<std::string> arguments() const {
    std::istringstream lines(read("arguments"));
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
  }
  /// The values of `--set`.
  QStringList settings() const {
    QStringList all;
    const auto given = arguments();
    for (std::size_t i = 0; i + 1 < given.size(); ++i)
      if (given[i] == "--set") all << QString::fromStdString(given[i + 1]);
    return all;
  }
  /// What stands behind an option; empty: it is not there.
  std::string valueOf(const std::string& option) const {
    const auto given = arguments();
    const auto at = std::find(given.begin(), given.end(), option);
    return at == given.end() || at + 1 == given.end() ? std::string() : *(at + 1);
  }
  std::string path(const std::string& name) const { return (folder() / name).string(); }
  void hyperparameters(const std::string& json) const {
    write("ml/input/config/hyperparameters.json", json);
  }
  /// A variable that the engine got; empty: none.
  std::string variable(const std::string& name) const {
    std::istringstream lines(read("environment"));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
    return {};
  }
};

}  // namespace lockstep::tests
