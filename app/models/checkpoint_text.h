#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/protocol/messages.h"

namespace lockstep::app {

/// What the mark of a checkpoint in the curves says. `kept`: steps whose checkpoint is there,
/// rising. `bestMetric`: that the best one is chosen by, "" where it is not known.
QString checkpointText(const protocol::Checkpoint& checkpoint,
                       const std::vector<std::int64_t>& kept, const std::string& bestMetric);

}  // namespace lockstep::app
