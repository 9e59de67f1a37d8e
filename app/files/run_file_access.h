#pragma once

#include <QString>
#include <functional>

namespace lockstep::app {

/// How the files of a run are read: in its folder, or in a copy of it to which each file is brought
/// from another machine when it is asked for.
struct RunFileAccess {
  using Done = std::function<void(const QString& error)>;

  QString folder;  ///< laid out as a run folder
  /// Brings a file to its place in the copy, and calls `done` then, in the same thread; `error`:
  /// why it could not be brought, else empty. Null: the files are there.
  std::function<void(const QString& localPath, Done done)> fetch{};
  QString name{};  ///< of the run, where the folder is a copy

  /// The folder that files are brought to; empty: they are there.
  QString copies() const { return fetch ? folder : QString(); }

  /// The message with the names that a person knows in place of those of the copy.
  QString named(QString message) const;

  /// Where an absolute path of the run's config.yaml is read.
  QString localPath(const QString& absolute) const;
  /// Calls `done` at once where the files are there.
  void bring(const QString& localPath, const Done& done) const;
};

/// In a copy: the folder of the files that lie outside the run folder.
inline constexpr const char* kOutsideFolder = "outside";

}  // namespace lockstep::app
