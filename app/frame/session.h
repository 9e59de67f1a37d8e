#pragma once

#include <QStringList>
#include <QVariantMap>
#include <optional>

#include "app/frame/page.h"

namespace lockstep::app {

/// What a window shows, kept for the next start.
struct Session {
  QStringList runsFolders;  ///< also addresses; empty: the usual folder
  QStringList runs;         ///< shown ones, the current one first
  QStringList experiments;  ///< open files, the shown one last
  Page page = Page::Monitor;
  QVariantMap monitor;        ///< MonitorPage::viewState()
  QVariantMap compare{};      ///< ComparePage::viewState()
  QVariantMap predictions{};  ///< PredictionsPage::viewState()

  bool operator==(const Session&) const = default;
  QVariantMap toVariant() const;
  /// std::nullopt: there is none, or it is of a version that differs.
  static std::optional<Session> fromVariant(const QVariantMap& map);
};

}  // namespace lockstep::app
