#pragma once

#include <string>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/events/hyper_parameters.h"
#include "engine/protocol/run_state.h"

namespace lockstep::supervisor {

/// The keys of a resolved experiment that decide what is learned, by their dotted names; not where
/// data lie, how fast they are read and what is logged. A key has one type in all runs: a list, and
/// a number that may be a word such as auto, is text.
std::vector<events::HyperParameter> hyperParametersOf(const config::Experiment& experiment);

/// Tags of the scalars that TensorBoard compares runs by. The same for every run: TensorBoard takes
/// the first run's for all.
std::vector<std::string> comparedMetrics();

events::SessionStatus sessionStatusOf(protocol::RunState state);

}  // namespace lockstep::supervisor
