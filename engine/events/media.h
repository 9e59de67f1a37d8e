#pragma once

#include <functional>
#include <map>
#include <string>

namespace lockstep::events {

/// Values that are no scalars, by the plugins of TensorBoard that show them. PR curves and meshes,
/// for example, are Other.
enum class Media { Images, Histograms, Audio, Texts, Other };

/// Kinds by tag. The first value of a tag counts: later ones may lack the plugin's name.
using MediaTags = std::map<std::string, Media, std::less<>>;

}  // namespace lockstep::events
