#pragma once

namespace lockstep::app {

/// What a new experiment begins from.
enum class ExperimentOrigin { Data, Template, Run, Scenes };

}  // namespace lockstep::app
