#include "app/runs/list/notes_store.h"

#include "app/engines/remote_place.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

using run_folder::RunNotes;

struct Outcome {
  RunNotes notes;
  QString fault;  ///< empty: none
};

Outcome make(const std::filesystem::path& folder, const std::filesystem::path& foreignFile,
             const run_folder::NotesChange& change, const RunNotes& given) {
  try {
    const bool isRemote = RemotePlace::isRemote(QString::fromStdString(folder.string()));
    if (!isRemote && !base::pathExists(folder))
      throw Error(folder.string() +
                  ": the folder does not exist any more; the change was not saved");
    if (!isRemote && run_folder::isRunFolder(folder))
      return {run_folder::changeRunNotes(run_folder::Layout(folder), change), {}};
    return {run_folder::NotesByFolder::change(foreignFile, folder, change, given), {}};
  } catch (const Error& error) {
    return {{}, QString::fromStdString(error.what())};
  }
}

}  // namespace

NotesStore::NotesStore(const QString& foreignFile, QObject* parent)
    : QObject(parent), foreignFile_(foreignFile.toStdString()) {}

void NotesStore::change(const QStringList& folders, const run_folder::NotesChange& change,
                        const RunNotes& given) {
  for (const QString& folder : folders) {
    auto& changes = changes_[folder];
    changes.push_back({change, given});
    if (changes.size() == 1) start(folder);
  }
}

void NotesStore::start(const QString& folder) {
  jobs::start(
      this, jobs::Kind::Disk,
      [path = std::filesystem::path(folder.toStdString()), file = foreignFile_,
       next = changes_[folder].front()] { return make(path, file, next.change, next.given); },
      [this, folder](const Outcome& outcome) {
        changes_[folder].pop_front();
        if (changes_[folder].empty()) {
          changes_.remove(folder);
        } else {
          start(folder);
        }
        if (outcome.fault.isEmpty()) {
          Q_EMIT changed(folder, outcome.notes);
        } else {
          Q_EMIT failed(folder, outcome.fault);
        }
      });
}

}  // namespace lockstep::app
