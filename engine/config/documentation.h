#pragma once

#include <string>

namespace lockstep::config {

/// Reference of every key as Markdown: type, default, range, unit, help.
std::string docsMarkdown();
/// JSON Schema (draft 2020-12) of the experiment file.
std::string jsonSchema();

}  // namespace lockstep::config
