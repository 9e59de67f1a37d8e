#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/protocol/messages.h"

namespace lockstep::app {

/// Tool tip of a checkpoint's mark in the curves. `kept`: steps whose checkpoint exists, ascending.
/// `bestMetric`: the metric that selects the best checkpoint, "" if unknown.
QString checkpointText(const protocol::Checkpoint& checkpoint,
                       const std::vector<std::int64_t>& kept, const std::string& bestMetric);

}  // namespace lockstep::app
