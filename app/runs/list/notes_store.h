#pragma once

#include <QHash>
#include <QObject>
#include <QStringList>
#include <deque>

#include "engine/run_folder/run_notes.h"

namespace lockstep::app {

/// Changes what people say of runs, in the background: in the folders of our own runs, and in a
/// file of the user for those of other programs and on other machines, whose folders are never
/// written.
class NotesStore : public QObject {
  Q_OBJECT

 public:
  /// foreignFile: a run_folder::NotesByFolder.
  explicit NotesStore(const QString& foreignFile, QObject* parent = nullptr);

  /// `change` is called in another thread, for each run. Changes of one run are made in the order
  /// of the calls. given: what runs on another machine have there. Does not block.
  void change(const QStringList& folders, const run_folder::NotesChange& change,
              const run_folder::RunNotes& given = {});

 Q_SIGNALS:
  void changed(const QString& folder, const lockstep::run_folder::RunNotes& notes);
  /// The notes are as before; the message names the file.
  void failed(const QString& folder, const QString& message);

 private:
  struct Change {
    run_folder::NotesChange change;
    run_folder::RunNotes given;
  };
  void start(const QString& folder);

  std::filesystem::path foreignFile_;
  /// Of each run, the first of which is being made.
  QHash<QString, std::deque<Change>> changes_;
};

}  // namespace lockstep::app
