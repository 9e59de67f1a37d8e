#pragma once

#include <optional>
#include <string_view>

#include "engine/protocol/worker_messages.h"

namespace lockstep::serve {

/// What an Accept header (RFC 9110) prefers of the forms of an answer: by the weight of the range
/// that names its type most exactly; among equals what is named first. Empty: COCO results.
/// nullopt: it accepts neither JSON nor PNG.
std::optional<protocol::AnswerForm> acceptedForm(std::string_view accept);

}  // namespace lockstep::serve
