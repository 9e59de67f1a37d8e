#pragma once

#include <filesystem>
#include <pugixml.hpp>
#include <string>

namespace lockstep::formats {

/// Throws Error: `FILE:LINE: …` for invalid XML.
pugi::xml_document readXml(const std::filesystem::path& file);

/// The finite number in an attribute or element. Throws Error: `<box xtl="…">: …`.
double numberIn(const pugi::xml_node& node, const char* attribute);
double numberInChild(const pugi::xml_node& node, const char* child);
/// Nothing but a finite number. Throws Error: 'abc' is not a number.
double parseNumber(std::string_view text);

}  // namespace lockstep::formats
