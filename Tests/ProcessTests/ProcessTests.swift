import Foundation
import Testing

/// Whether a run takes longer, because the environment says how long or how often.
private let isLongRun = [
  "STORM_SECONDS", "CRASH_ROUNDS", "CUTS", "ERRNOS", "KILLS", "COPIES",
].contains {
  ProcessInfo.processInfo.environment[$0] != nil
}

/// Tests of the built programs, over real sockets.
///
/// One at a time: each starts several processes, and what they need of the machine is what the next
/// one's deadlines are about.
///
/// Of all time limits that a test has the shortest counts, so longer runs than usual need it here.
@Suite("Programs", .serialized, .timeLimit(.minutes(isLongRun ? 60 : 2)))
enum ProcessTests {}
