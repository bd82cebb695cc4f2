package import StoreProtocol
import StoreReplica
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ConnectionError {
  /// The error for a scope or a session that was refused.
  package init(_ failure: JoinFailure) {
    switch failure.code {
    case "unknownScope":
      let names = failure.details.map { "\"\($0)\"" }.joined(separator: ", ")
      let remedy =
        names.isEmpty
        ? "Ask the daemon for its scopes and their ids."
        : "Did you mean \(names)?"
      self.init(.unknownScope, failure.message, remedy: remedy)
    case "schemaMismatch":
      let fields = failure.details.joined(separator: "; ")
      self.init(
        .schemaMismatch,
        fields.isEmpty ? failure.message : "\(failure.message) They differ in: \(fields).",
        remedy: "Use programs of the same build, or of builds whose types can read each other.",
      )
    case "badState":
      self.init(.schemaMismatch, failure.message, remedy: "Use programs of the same build.")
    // The daemon's message contains the remedy.
    case "overloaded": self.init(.tryAgain, failure.message, remedy: "")
    default: self.init(.refused, failure.message, remedy: "")
    }
  }
}

extension ConnectionError {
  /// The error of a wait that failed.
  ///
  /// - Parameters:
  ///   - failure: The reason for which the wait ended.
  ///   - subject: The subject of the wait, such as `The scope "todos"`.
  ///   - location: The daemon's location.
  ///   - time: The time limit of the wait.
  init(_ failure: WaitFailure, of subject: String, at location: StoreLocation, _ time: Duration?) {
    let limit = time.map { " within \($0)" } ?? ""
    switch failure {
    case .timedOut(isConnected: true):
      self.init(
        .tryAgain,
        "The daemon at \(location) did not answer\(limit).",
        remedy: "Try again, or look at its load.",
      )
    case .timedOut(isConnected: false) where location.key != nil:
      self.init(
        .noDaemon,
        "No daemon admits us at \(location): it does not run, or does not know our key any more, "
          + "or it has another key than it had.",
        remedy: "Ask its owner to look with: storectl keys",
      )
    case .timedOut(isConnected: false):
      let remedy =
        location.directory.map { DaemonProbe(directory: $0).remedy }
        ?? "Check the address, and that the daemon listens there."
      self.init(.noDaemon, "No daemon answers at \(location).", remedy: remedy)
    case .sessionEnded(let code, let message):
      self.init(
        .tryAgain,
        "\(subject) did not come\(limit), because the daemon at \(location) ended the session "
          + "(\(code)): \(message)",
        remedy: "Try again. If it happens again, look at the daemon's log.",
      )
    case .refused(let failure): self.init(failure)
    case .absent:
      self.init(.absent, "\(subject) is absent now.", remedy: "Ask again when it has come.")
    case .closed(let reason): self.init(.closed, reason, remedy: "Connect again.")
    case .canceled: self.init(.canceled, "\(subject) is not waited for any more.", remedy: "")
    }
  }
}

extension ConnectionError {
  /// The error if the daemon runs, but has no grant for this user or this key.
  static func notAdmitted(at location: StoreLocation) -> Self {
    guard location.key == nil else {
      return Self(
        .refused,
        "The daemon at \(location) does not know our key, or not any more.",
        remedy: "Ask its owner to look with: storectl keys",
      )
    }
    return Self(
      .refused,
      "The daemon at \(location) does not admit user \(geteuid()): nothing is granted to it.",
      remedy: "Ask the daemon's owner for a line in its file of grants.",
    )
  }
}
