#pragma once

namespace lockstep::app {

/// In the order of the tabs.
enum class Page { Configure, Monitor, Predictions, Data, Compare };

}  // namespace lockstep::app
