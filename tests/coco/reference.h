#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/coco/masks/rle.h"

namespace lockstep::tests {

/// Runs a script of tests/reference with these arguments. Returns what it printed on standard error
/// when it failed.
QString runReference(const char* script, const QStringList& arguments);
/// The same of coco_reference.py.
QString runCocoReference(const QStringList& arguments);

/// The answers of `coco_reference.py masks`, made once per program; null when there is no Python to
/// make them with.
const nlohmann::json& maskReference();

/// The answers of coco_analysis_reference.py, as maskReference().
const nlohmann::json& analysisReference();

nlohmann::json readJson(const std::filesystem::path& file);

/// A mask drawn with '#' inside and anything else outside, row by row.
coco::Rle drawn(const std::vector<std::string>& rows);

/// The text of the Error that `call` throws; empty when it throws none.
template <typename Call>
QString errorOf(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return QString::fromUtf8(error.what());
  }
  return {};
}

}  // namespace lockstep::tests
