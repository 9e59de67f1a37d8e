#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/file_version.h"

namespace lockstep::app {

/// What filter, columns and groups know of a run beyond what the list reads.
struct Facts {
  /// The configuration as text. Runs of one program share their keys, which are sorted.
  std::shared_ptr<const QStringList> configKeys = std::make_shared<QStringList>();
  QStringList configValues;
  /// Last values by tag, sorted; without those of single parameters of the model.
  std::vector<std::pair<QString, double>> metrics;
  QString fault;  ///< what could not be read; empty: all was

  /// nullptr: the run has no such key.
  const QString* config(const QString& key) const;
  /// Of a tag, or of one that it is without `eval/`.
  std::optional<double> metric(const QString& tag) const;
};

/// Facts, and which files they are of.
struct VersionedFacts {
  Facts facts;
  base::FileVersion config, metrics;
};

/// Reads what is not of the same version in `known`, of an event log only the end: back to
/// `rarestTag`, within limits. A folder of ours or of another program. Blocks.
VersionedFacts readFacts(const std::filesystem::path& runFolder, VersionedFacts known,
                         const char* rarestTag);

/// The keys whose values differ between runs that have them, sorted.
QStringList differingKeys(const std::vector<const Facts*>& runs);

}  // namespace lockstep::app
