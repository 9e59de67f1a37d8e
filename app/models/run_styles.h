#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

namespace lockstep::app {

/// Which colour and dash each run has, by its folder: given once and kept, from start to start too.
class RunStyles {
 public:
  static constexpr int kCount = 24;  ///< that differ

  std::optional<int> find(const QString& run) const;
  /// The style of a run; one that has none yet gets that which fewest of `others` have.
  int give(const QString& run, const std::vector<int>& others);
  /// Gives other styles to those of `shown` that look as one before them does, as far as there are
  /// enough. True where one changed.
  bool makeDistinct(const QStringList& shown);

  /// One text a run, for restore(): the last given are last, and the oldest are forgotten.
  QStringList kept() const;
  void restore(const QStringList& kept);

 private:
  void set(const QString& run, int style);

  QHash<QString, int> styles_;
  QStringList order_;
};

}  // namespace lockstep::app
