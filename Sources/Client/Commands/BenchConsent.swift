import StoreClient

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Announces a bench's effects on a daemon beforehand: to people, and whenever it asks for consent.
@MainActor
struct BenchConsent {
  /// The actions to send, as the beginning of a sentence.
  let plan: String
  /// The daemon's address on the command line; nil if it was found by its directory.
  let address: String?

  /// Asks for consent if the daemon persists the changed state.
  ///
  /// - Throws: A `CommandError` without consent.
  func ask(_ daemon: Daemon) async throws {
    let connection = daemon.connection
    let status = DaemonStatus(
      try await connection.within(Connecting.answerLimit) { try await connection.status() }
    )
    let place = address ?? "\(connection.location)"
    let keeps = status.durableRevision != nil
    let isTerminal = isatty(StandardOutput.errorDescriptor) == 1
    guard keeps || isTerminal else { return }
    Note.print(
      "\(plan) of the daemon with pid \(status.pid) at \(place), which "
        + "\(keeps ? "keeps its state on disk" : "has its state in memory only")."
    )
    guard keeps else { return }
    guard isTerminal, isatty(0) == 1 else {
      throw CommandError(
        .usage,
        "No action was sent: its change would be permanent. Give --yes to consent, or use a "
          + "separate daemon: stored --dir DIRECTORY --in-memory",
      )
    }
    let question = Array("storectl: The changes are permanent. Continue? [y/N] ".utf8)
    _ = StandardOutput.write(question, to: StandardOutput.errorDescriptor)
    let answer = try await LineReader().next()
    guard case .text(let text)? = answer, ["y", "yes"].contains(text.lowercased()) else {
      throw CommandError(.usage, "No action was sent.")
    }
  }
}
