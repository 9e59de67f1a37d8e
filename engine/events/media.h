#pragma once

#include <functional>
#include <map>
#include <string>

namespace lockstep::events {

/// Values of a log that are no scalars, after the plugins of TensorBoard that show them. PR curves
/// and meshes, for example, are Other.
enum class Media { Images, Histograms, Audio, Texts, Other };

/// By tag. A later value may not say what it is: the first one counts.
using MediaTags = std::map<std::string, Media, std::less<>>;

}  // namespace lockstep::events
