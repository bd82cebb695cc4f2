import Foundation
import StoreDaemon

/// The directory in which versions before this one kept the state in the same environment.
///
/// They used an empty or relative variable as it was. A daemon that now uses another directory must
/// not begin an empty history while the old one still exists.
struct FormerData: Hashable {
  let path: String
  /// The present directory of the state.
  let now: String

  /// - Returns: nil if both directories are the same.
  init?(_ environment: [String: String], now: String) {
    let state = environment["XDG_STATE_HOME"] ?? environment["HOME"].map { "\($0)/.local/state" }
    let runtime = environment["XDG_RUNTIME_DIR"] ?? ""
    let sockets =
      runtime.isEmpty ? "\(environment["HOME"] ?? ".")/.storeactor" : "\(runtime)/storeactor"
    path =
      if let state, state.hasPrefix("/") { "\(state)/storeactor" } else { "\(sockets)/data" }
    self.now = now
    guard path != now else { return nil }
  }

  /// Refuses to begin an empty history while the former directory has one.
  func check() throws(SettingsError) {
    guard Self.hasHistory(path), !Self.hasHistory(now) else { return }
    throw SettingsError(
      .cannotCreate,
      "The data directory \(now) has no history, but an earlier version has left one in \(path). "
        + "To continue it, start with --data \(ShellWord.quoted(path)), or move it to "
        + "\(ShellWord.quoted(now)). To begin a new history, rename it.",
    )
  }

  private static func hasHistory(_ directory: String) -> Bool {
    JournalDirectory.names.contains { name in
      let names = try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(name)")
      return names?.isEmpty == false
    }
  }
}
