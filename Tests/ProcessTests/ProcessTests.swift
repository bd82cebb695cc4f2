import Foundation
import Testing

/// Whether the environment sets longer or more rounds.
private let isLongRun = [
  "STORM_SECONDS", "CRASH_ROUNDS", "CUTS", "ERRNOS", "KILLS", "COPIES", "FOLLOW_KILLS", "HANDOVERS",
].contains {
  ProcessInfo.processInfo.environment[$0] != nil
}

/// Tests of the built programs, over real sockets.
///
/// They run serially: each starts several processes, whose load would affect the deadlines of
/// another test.
///
/// The shortest of a test's time limits applies, so longer runs need a longer limit here.
@Suite("Programs", .serialized, .timeLimit(.minutes(isLongRun ? 60 : 2)))
enum ProcessTests {}
