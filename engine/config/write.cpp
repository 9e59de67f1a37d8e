#include <algorithm>

#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/config/value_text.h"

namespace lockstep::config {
namespace {

std::vector<std::string> splitKey(const std::string& key) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
    parts.push_back(key.substr(begin, dot - begin));
    begin = dot + 1;
  }
  parts.push_back(key.substr(begin));
  return parts;
}

}  // namespace

std::string writeExperiment(const Experiment& experiment) {
  return writeExperiment(experiment, [](const std::string&) { return std::string(); });
}

std::string writeExperiment(const Experiment& experiment,
                            const std::function<std::string(const std::string&)>& comment) {
  std::string text;
  std::vector<std::string> open;  // sections the last line stands in
  for (const Field& field : fields()) {
    if (field.key == "base") continue;
    std::vector<std::string> parts = splitKey(field.key);
    const std::string name = std::move(parts.back());
    parts.pop_back();
    const auto [common, ignored] =
        std::mismatch(parts.begin(), parts.end(), open.begin(), open.end());
    for (auto section = common; section != parts.end(); ++section) {
      const auto depth = static_cast<std::size_t>(section - parts.begin());
      text += std::string(2 * depth, ' ') + *section + ":\n";
    }
    open = parts;
    const std::string note = comment(field.key);
    text += std::string(2 * parts.size(), ' ') + name + ": " + field.text(experiment) +
            (note.empty() ? "" : "  # " + note) + "\n";
  }
  return text;
}

void resolveDurations(Experiment& experiment, std::int64_t trainImages) {
  const auto inSteps = [&](const Duration& duration) {
    const std::int64_t steps = duration.steps(trainImages, experiment.solver.batchSize);
    return Duration{static_cast<double>(steps), Duration::Unit::Steps};
  };
  SolverConfig& solver = experiment.solver;
  for (Duration& milestone : solver.milestones) milestone = inSteps(milestone);
  for (Duration* duration :
       {&solver.warmupSteps, &solver.maxSteps, &experiment.evaluation.lossEvery,
        &experiment.evaluation.apEvery, &experiment.checkpoint.every, &experiment.monitor.logEvery,
        &experiment.monitor.tensorStatsEvery, &experiment.monitor.predictionsEvery}) {
    *duration = inSteps(*duration);
  }
}

}  // namespace lockstep::config
