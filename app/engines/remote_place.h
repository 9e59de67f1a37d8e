#pragma once

#include <QString>
#include <optional>

namespace lockstep::app {

/// What `lockstep-engine attach` reads for the app: a run folder, or a folder of runs, on another
/// machine, ssh://[USER@]HOST[:PORT]/PATH; or a packed run on this one, packed:/PATH. Its address
/// is what the app uses in the place of a local folder's path.
struct RemotePlace {
  QString host;  ///< as ssh takes it, with the user: ada@node7; empty: a packed run
  int port = 0;  ///< 0: ssh's own choice
  QString path;  ///< absolute; of an address with /~/, relative to the user's home folder

  bool operator==(const RemotePlace&) const = default;
  static bool isRemote(const QString& path) {
    return path.startsWith(QLatin1String("ssh://")) || path.startsWith(QLatin1String("packed:/"));
  }
  /// Of the packed run in this file, whose path is absolute.
  static RemotePlace packedRun(const QString& file) { return {{}, 0, file}; }
  bool isPackedRun() const { return host.isEmpty(); }
  /// nullopt for any other text, and for a host that ssh would take for an option.
  static std::optional<RemotePlace> parse(const QString& address);
  /// Two addresses of the same place are the same text, up to ways to write the host.
  QString address() const;
  /// The host, and the port if it is given; of a packed run its file's name.
  QString hostText() const;
  /// A folder directly in this one.
  RemotePlace child(const QString& name) const;
  /// The last part of its path.
  QString name() const;
};

}  // namespace lockstep::app
