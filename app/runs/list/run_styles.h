#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <array>
#include <optional>

namespace lockstep::app {

/// Colour and dash of each run by its folder: assigned once and saved across restarts.
class RunStyles {
 public:
  static constexpr int kCount = 24;  ///< number of different styles

  std::optional<int> find(const QString& run) const;
  /// Of each style, how many runs use it.
  using Counts = std::array<int, kCount>;
  /// The style of a run; a new run gets the style that the fewest others use.
  int assign(const QString& run, const Counts& others);
  /// What the user chose: makeDistinct() leaves it.
  void choose(const QString& run, int style);
  /// Changes the styles of runs in `shown` that have the same style as an earlier one or one that
  /// was chosen, as long as there are unused styles. True if one changed.
  bool makeDistinct(const QStringList& shown);

  /// Rises with every change.
  quint64 revision() const { return lastStamp_; }
  /// One text per run for restore(), oldest first. Above a limit the oldest are dropped.
  QStringList kept() const;
  void restore(const QStringList& kept);

 private:
  struct Style {
    int index = 0;
    quint64 stamp = 0;  ///< rises with every change
    bool isChosen = false;
  };
  void set(const QString& run, int style, bool isChosen = false);

  QHash<QString, Style> styles_;
  quint64 lastStamp_ = 0;
};

}  // namespace lockstep::app
