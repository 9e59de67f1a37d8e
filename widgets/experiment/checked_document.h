#pragma once

#include <QCoreApplication>
#include <QString>
#include <memory>

#include "widgets/experiment/document_check.h"

namespace lockstep::widgets {

/// The checks of one document while it is edited: the last one, and the earlier ones whose values
/// and facts are shown while the current text has none.
class CheckedDocument {
  Q_DECLARE_TR_FUNCTIONS(ConfigEditor)

 public:
  void update(std::shared_ptr<const DocumentState> checked);

  /// The last check.
  const DocumentState& state() const { return *state_; }
  /// Some text of this document was valid YAML, so there are values to show.
  bool hasValues() const { return readable_ != nullptr; }
  /// The check of the last text that was valid YAML; nullptr: there is none.
  const DocumentState* lastReadable() const { return readable_.get(); }
  /// The experiment of the last text that was valid YAML.
  const config::LoadedExperiment& loaded() const {
    return (readable_ ? readable_ : state_)->loaded;
  }
  /// The check whose facts are shown: the current one or, while the text has errors, the last one
  /// without any error; nullptr: there is none.
  const DocumentState* lastValid() const { return valid_.get(); }
  /// lastValid() is of an earlier text.
  bool isStale() const { return valid_ && valid_ != state_; }

  /// Number of errors of the text (without warnings), missing data included.
  int errorCount() const;
  /// The first error in one line; empty: no errors.
  QString firstError() const;
  /// Index of the first error in the issues; the number of issues if there is no error.
  std::size_t firstErrorIndex() const;
  /// Why the text is not a YAML mapping, so that the values shown are not its own; empty: it is
  /// valid.
  QString unreadableReason() const;

 private:
  std::shared_ptr<const DocumentState> state_ = std::make_shared<const DocumentState>();
  std::shared_ptr<const DocumentState> readable_, valid_;
};

}  // namespace lockstep::widgets
