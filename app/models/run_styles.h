#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

namespace lockstep::app {

/// Colour and dash of each run by its folder: assigned once and saved across restarts.
class RunStyles {
 public:
  static constexpr int kCount = 24;  ///< number of different styles

  std::optional<int> find(const QString& run) const;
  /// The style of a run; a new run gets the style that the fewest of `others` use.
  int assign(const QString& run, const std::vector<int>& others);
  /// Changes the styles of runs in `shown` that have the same style as an earlier one, as long as
  /// there are unused styles. True if one changed.
  bool makeDistinct(const QStringList& shown);

  /// One text per run for restore(), oldest first. Above a limit the oldest are dropped.
  QStringList kept() const;
  void restore(const QStringList& kept);

 private:
  void set(const QString& run, int style);

  QHash<QString, int> styles_;
  QStringList order_;
};

}  // namespace lockstep::app
