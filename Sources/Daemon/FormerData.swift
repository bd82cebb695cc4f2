import Foundation
import StoreDaemon

/// Where versions before this one kept the state in the same environment.
///
/// They took an empty or a relative variable at its word. A daemon that looks elsewhere now must
/// not begin an empty history while the old one is still there.
struct FormerData: Hashable {
  let path: String
  /// Where the state is kept now.
  let now: String

  /// - Returns: nil where both are the same.
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

  /// Refuses to begin an empty history while there is one in the old place.
  func check() throws(SettingsError) {
    guard Self.hasHistory(path), !Self.hasHistory(now) else { return }
    throw SettingsError(
      .cannotCreate,
      "The state is kept in \(now), where there is no history, and an earlier version has left one "
        + "in \(path). To go on with it, start with --data \(ShellWord.quoted(path)), or move it "
        + "to \(ShellWord.quoted(now)). To begin a new history, rename it.",
    )
  }

  private static func hasHistory(_ directory: String) -> Bool {
    JournalDirectory.names.contains { name in
      let names = try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(name)")
      return names?.isEmpty == false
    }
  }
}
