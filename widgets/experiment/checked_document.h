#pragma once

#include <QString>
#include <memory>

#include "widgets/experiment/document_check.h"

namespace lockstep::widgets {

/// The checks of one document while it is edited: the last one, and the earlier ones whose values
/// and facts are shown until the text has some again.
class CheckedDocument {
 public:
  void take(std::shared_ptr<const DocumentState> checked);

  /// The last check: its faults.
  const DocumentState& state() const { return *state_; }
  /// A text of this document was YAML, so that there are values to show.
  bool hasValues() const { return readable_ != nullptr; }
  /// Of the last text that was YAML.
  const config::LoadedExperiment& loaded() const {
    return (readable_ ? readable_ : state_)->loaded;
  }
  /// Whose facts are shown: the present one or, while it has errors of its lines, the last that had
  /// none at all; nullptr: neither is there.
  const DocumentState* sound() const { return sound_.get(); }
  /// sound() is an earlier text.
  bool isStale() const { return sound_ && sound_ != state_; }

  /// Not warnings; missing data are some.
  int errorCount() const;
  int warningCount() const { return static_cast<int>(state_->faults.size()) - errorCount(); }
  /// The first error in one line; empty: there is none.
  QString firstError() const;
  /// Index of the first error into the faults; their number: there is none.
  std::size_t firstErrorIndex() const;
  /// Said above the values, which are then of the last text that could be read; empty: it can.
  QString whyUnreadable() const;

 private:
  std::shared_ptr<const DocumentState> state_ = std::make_shared<const DocumentState>();
  std::shared_ptr<const DocumentState> readable_, sound_;
};

}  // namespace lockstep::widgets
