#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace lockstep::cli {

/// `config check|show|docs|schema|diff`: everything about experiment files that needs no run.
void addConfigCommand(CLI::App& app, std::function<int()>& action);

}  // namespace lockstep::cli
