#include <algorithm>

#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/config/value_text.h"

namespace lockstep::config {

std::string writeExperiment(const Experiment& experiment) {
  return writeExperiment(experiment, [](const std::string&) { return std::string(); });
}

std::string writeExperiment(const Experiment& experiment,
                            const std::function<std::string(const std::string&)>& comment) {
  std::string text;
  std::vector<std::string> open;  // sections of the last line
  for (const Field& field : fields()) {
    if (field.key == "base") continue;
    std::vector<std::string> names = splitKey(field.key);
    const std::string name = std::move(names.back());
    names.pop_back();
    const auto [common, ignored] =
        std::mismatch(names.begin(), names.end(), open.begin(), open.end());
    for (auto section = common; section != names.end(); ++section) {
      const auto depth = static_cast<std::size_t>(section - names.begin());
      text += std::string(2 * depth, ' ') + *section + ":\n";
    }
    open = names;
    const std::string note = comment(field.key);
    text += std::string(2 * names.size(), ' ') + name + ": " + field.text(experiment) +
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
