#pragma once

#include <QString>
#include <QStringList>
#include <algorithm>
#include <cmath>
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

/// The output of `coco_reference.py masks`, computed once per program; null when Python is missing.
const nlohmann::json& maskReference();

/// The output of coco_analysis_reference.py, as maskReference().
const nlohmann::json& analysisReference();

nlohmann::json readJson(const std::filesystem::path& file);

/// Equal but for rounding.
inline bool isNear(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b));
}

/// A mask from rows of text: '#' is foreground, anything else background.
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
