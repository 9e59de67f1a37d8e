#pragma once

#include <string>

#include "engine/dataset_check/finding.h"

namespace lockstep::dataset_check {

/// What findings of a kind are, for people.
struct KindText {
  const char* what;    ///< of several: `boxes without area`
  const char* remedy;  ///< what cleaning does; empty: nothing
};
KindText textOf(FindingKind kind);

/// `training` or `validation`
constexpr const char* nameOf(Part part) { return part == Part::Train ? "training" : "validation"; }

}  // namespace lockstep::dataset_check
