#pragma once

#include <functional>

namespace CLI {
class App;
}

/// One file per command. Each adds its sub-command to `app`; when it is chosen, `action` becomes
/// what it does, whose value is the program's exit status.
namespace lockstep::cli {

void addTrainCommand(CLI::App& app, std::function<int()>& action);
void addEvaluateCommand(CLI::App& app, std::function<int()>& action);
void addPredictCommand(CLI::App& app, std::function<int()>& action);
void addInspectCommand(CLI::App& app, std::function<int()>& action);
void addCocoEvalCommand(CLI::App& app, std::function<int()>& action);
void addDatasetCommand(CLI::App& app, std::function<int()>& action);
void addMetricsCommand(CLI::App& app, std::function<int()>& action);
void addRunsCommand(CLI::App& app, std::function<int()>& action);
void addAttachCommand(CLI::App& app, std::function<int()>& action);
void addInfoCommand(CLI::App& app, std::function<int()>& action);

}  // namespace lockstep::cli
