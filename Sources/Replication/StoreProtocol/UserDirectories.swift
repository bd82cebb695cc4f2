import Foundation

/// The directories of the process's user, by the XDG Base Directory Specification.
///
/// A variable that is empty or relative counts as not set. Without `$HOME` the home directory is
/// that of the user's account.
package struct UserDirectories {
  /// The content of a directory.
  package enum Kind {
    /// Sockets and locks, until the user logs out.
    case runtime
    /// Data that outlasts the machine's restart.
    case state
    /// Settings and keys.
    case configuration
  }

  /// A directory, and the source of its path.
  package struct Found: Hashable, Sendable {
    /// An absolute path.
    package var path: String
    /// The variable, such as `$HOME`, or `the user's account`.
    package var source: String
  }

  private let environment: [String: String]
  private let accountHome: () -> String?

  /// Creates the directories of a process with an environment.
  ///
  /// - Parameters:
  ///   - environment: The environment of the process.
  ///   - accountHome: The home directory of the user's account; nil if the system lists none.
  package init(
    environment: [String: String],
    accountHome: @escaping () -> String? = { NSHomeDirectoryForUser(NSUserName()) },
  ) {
    self.environment = environment
    self.accountHome = accountHome
  }

  /// The directory of a kind; nil if neither a variable nor the user's account defines it.
  package func find(_ kind: Kind) -> Found? {
    switch kind {
    case .runtime: variable("XDG_RUNTIME_DIR")
    case .state: variable("XDG_STATE_HOME") ?? inHome(".local/state")
    case .configuration: variable("XDG_CONFIG_HOME") ?? inHome(".config")
    }
  }

  /// The default directory of a daemon's sockets: that of the runtime directory, else of the home.
  package var ofSockets: Found? {
    let runtime = find(.runtime).map { Found(path: "\($0.path)/storeactor", source: $0.source) }
    return runtime ?? inHome(".storeactor")
  }

  private func inHome(_ name: String) -> Found? {
    home.map { Found(path: "\($0.path == "/" ? "" : $0.path)/\(name)", source: $0.source) }
  }

  private var home: Found? {
    if let home = variable("HOME") { return home }
    guard let path = accountHome(), path.hasPrefix("/") else { return nil }
    return Found(path: path, source: "the user's account")
  }

  private func variable(_ name: String) -> Found? {
    guard let path = environment[name], path.hasPrefix("/") else { return nil }
    return Found(path: path, source: "$\(name)")
  }
}

/// The user has no home directory for a default location.
public struct HomeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The directory that was needed, and the way to name another one.
  public var description: String {
    "There is no home directory: $HOME is not an absolute path, and the system lists none for this "
      + "user. Set $HOME, or $XDG_RUNTIME_DIR, $XDG_STATE_HOME and $XDG_CONFIG_HOME."
  }

  package init() {}
}
