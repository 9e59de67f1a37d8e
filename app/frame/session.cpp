#include "app/frame/session.h"

#include <algorithm>

namespace lockstep::app {
namespace {

constexpr int kVersion = 1;
constexpr int kPages = static_cast<int>(Page::Compare) + 1;

const QString kVersionKey = QStringLiteral("version"), kFoldersKey = QStringLiteral("runsFolders"),
              kRunsKey = QStringLiteral("runs"), kExperimentsKey = QStringLiteral("experiments"),
              kPageKey = QStringLiteral("page"), kMonitorKey = QStringLiteral("monitor"),
              kCompareKey = QStringLiteral("compare"),
              kPredictionsKey = QStringLiteral("predictions");

}  // namespace

QVariantMap Session::toVariant() const {
  return {
      {kVersionKey, kVersion},        {kFoldersKey, runsFolders},         {kRunsKey, runs},
      {kExperimentsKey, experiments}, {kPageKey, static_cast<int>(page)}, {kMonitorKey, monitor},
      {kCompareKey, compare},         {kPredictionsKey, predictions}};
}

std::optional<Session> Session::fromVariant(const QVariantMap& map) {
  if (map.value(kVersionKey).toInt() != kVersion) return std::nullopt;
  return Session{map.value(kFoldersKey).toStringList(),
                 map.value(kRunsKey).toStringList(),
                 map.value(kExperimentsKey).toStringList(),
                 static_cast<Page>(std::clamp(map.value(kPageKey).toInt(), 0, kPages - 1)),
                 map.value(kMonitorKey).toMap(),
                 map.value(kCompareKey).toMap(),
                 map.value(kPredictionsKey).toMap()};
}

}  // namespace lockstep::app
