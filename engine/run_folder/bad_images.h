#pragma once

#include <vector>

#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// Reads bad_images.jsonl: one line {"file", "part", "step", "reason"} per image that the run
/// skipped; "part" is the split. Lines that do not parse are ignored.
std::vector<protocol::BadImage> readBadImages(const Layout& layout);
/// Throws Error.
void appendBadImage(const Layout& layout, const protocol::BadImage& image);
/// Removes the entries of later steps: a resumed run finds those images again. Throws Error.
void removeBadImagesAfter(const Layout& layout, std::int64_t step);

}  // namespace lockstep::run_folder
