#include "app/documents/draft_folder.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>
#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/documents/draft_keeper.h"
#include "engine/base/error.h"
#include "engine/base/file_lock.h"

namespace lockstep::app {
namespace {

std::filesystem::path lockFile(const QString& folder, const QString& id) {
  return std::filesystem::path(folder.toStdString()) / (id.toStdString() + ".lock");
}

/// Nothing: there is none, or reading it may never end.
std::optional<QByteArray> contentOf(const QString& path) {
  if (!QFileInfo(path).isFile()) return std::nullopt;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  return file.readAll();
}

/// IDs of the files with this ending; files that are not drafts are ignored.
QStringList idsIn(const QString& folder, const QString& ending = QStringLiteral(".json")) {
  QStringList ids;
  if (folder.isEmpty()) return ids;
  for (const QString& name : QDir(folder).entryList({QLatin1Char('*') + ending}, QDir::Files)) {
    const QString id = name.chopped(ending.size());
    if (!QUuid::fromString(id).isNull()) ids.append(id);
  }
  return ids;
}

std::optional<Draft> readDraft(const QString& file) {
  const auto json = contentOf(file);
  return json ? draftOf(*json) : std::nullopt;
}

bool isDamaged(const QString& file) {
  const auto json = contentOf(file);
  return json && !draftOf(*json);
}

}  // namespace

QString DraftFolder::defaultFolder() {
  // A relative path is ignored (XDG Base Directory Specification).
  QString state = qEnvironmentVariable("XDG_STATE_HOME");
  if (!QDir::isAbsolutePath(state)) state = QDir::homePath() + QStringLiteral("/.local/state");
  return state + QStringLiteral("/lockstep/drafts");
}

QString DraftFolder::fileOf(const QString& id) const {
  return folder_ + QLatin1Char('/') + id + QStringLiteral(".json");
}

QList<OrphanedDraft> DraftFolder::orphaned() const {
  removeStrayLocks();
  QList<OrphanedDraft> found;
  for (const QString& id : idsIn(folder_)) {
    if (base::FileLock::isHeld(lockFile(folder_, id))) continue;
    const std::optional<Draft> draft = readDraft(fileOf(id));
    if (!draft) continue;
    // The program was killed after saving and before removing the draft.
    if (!draft->file.isEmpty() && contentOf(draft->file) == draft->text.toUtf8()) {
      if (const auto held = take(id)) remove(id);
      continue;
    }
    found.append({id, *draft});
  }
  std::sort(found.begin(), found.end(), [](const OrphanedDraft& a, const OrphanedDraft& b) {
    return a.draft.edited > b.draft.edited;
  });
  return found;
}

/// Removes locks of programs that were killed before they wrote or after they removed the draft.
void DraftFolder::removeStrayLocks() const {
  for (const QString& id : idsIn(folder_, QStringLiteral(".lock"))) {
    const bool isStray =
        !QFile::exists(fileOf(id)) && !base::FileLock::isHeld(lockFile(folder_, id));
    if (isStray) take(id);
  }
}

QStringList DraftFolder::setAsideDamaged() const {
  QStringList places;
  for (const QString& id : idsIn(folder_)) {
    if (base::FileLock::isHeld(lockFile(folder_, id)) || !isDamaged(fileOf(id))) continue;
    const auto held = take(id);
    if (!held || !isDamaged(fileOf(id))) continue;  // another window has taken it
    const QString place = folder_ + QLatin1Char('/') + id + QStringLiteral(".damaged");
    if (!QFile::rename(fileOf(id), place)) continue;
    remove(id);
    places.append(place);
  }
  return places;
}

bool DraftFolder::isEditedElsewhere(const QString& file, const QString& own) const {
  for (const QString& id : idsIn(folder_)) {
    if (own == id) continue;
    if (!base::FileLock::isHeld(lockFile(folder_, id))) continue;
    const std::optional<Draft> draft = readDraft(fileOf(id));
    if (draft && draft->file == file) return true;
  }
  return false;
}

HeldDraft DraftFolder::make() const {
  std::error_code failure;
  const std::filesystem::path folder = folder_.toStdString();
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder.string() + ": cannot be created: " + failure.message());
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
  const QString id = QUuid::createUuid().toString(QUuid::WithoutBraces);
  auto lock = base::FileLock::tryAcquire(lockFile(folder_, id), kOwnerAlone);
  if (!lock) throw Error(folder.string() + ": a new file in it is locked by another program");
  return {id, std::move(*lock)};
}

std::optional<HeldDraft> DraftFolder::take(const QString& id) const {
  try {
    auto lock = base::FileLock::tryAcquire(lockFile(folder_, id), kOwnerAlone);
    if (!lock) return std::nullopt;
    if (!QFile::exists(fileOf(id))) {  // another window took, saved and removed it
      std::filesystem::remove(lockFile(folder_, id));
      return std::nullopt;
    }
    return HeldDraft{id, std::move(*lock)};
  } catch (const std::exception&) {
    return std::nullopt;  // the draft stays where it is
  }
}

/// The draft first: a lock without a draft is harmless.
void DraftFolder::remove(const QString& id) const {
  QFile::remove(fileOf(id));
  std::error_code ignored;
  std::filesystem::remove(lockFile(folder_, id), ignored);
}

}  // namespace lockstep::app
