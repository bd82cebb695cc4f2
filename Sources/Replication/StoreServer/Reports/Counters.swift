package import StoreProtocol

/// The daemon's counters since its start.
@MainActor
package final class Counters {
  package internal(set) var controlFrames: UInt64 = 0
  package internal(set) var malformed: UInt64 = 0
  package internal(set) var notUnderstood: UInt64 = 0
  package internal(set) var subscriptions: UInt64 = 0
  package internal(set) var fences: UInt64 = 0
  package internal(set) var strayFences: UInt64 = 0
  package internal(set) var captures: UInt64 = 0
  package internal(set) var snapshots: UInt64 = 0
  package internal(set) var replays: UInt64 = 0
  @exclusivity(unchecked) package internal(set) var actionsApplied: UInt64 = 0
  package internal(set) var actionsFailed: UInt64 = 0
  package internal(set) var actionsWithdrawn: UInt64 = 0
  package internal(set) var duplicates: UInt64 = 0
  @exclusivity(unchecked) package internal(set) var deltas: UInt64 = 0
  @exclusivity(unchecked) package internal(set) var deltaBytes: UInt64 = 0
  package internal(set) var outputs: UInt64 = 0
  package internal(set) var markers: UInt64 = 0
  package internal(set) var outputsTooLarge: UInt64 = 0
  /// The longest duration of a turn, from its first frame to its last, in microseconds.
  @exclusivity(unchecked) package internal(set) var longestTurnMicroseconds: UInt64 = 0
  package internal(set) var leasesEnded: UInt64 = 0
  package internal(set) var blockedPeers: UInt64 = 0
  package internal(set) var cutSubscribers: UInt64 = 0
  package internal(set) var cutSessionless: UInt64 = 0
  /// Hellos that were refused, for any reason.
  package internal(set) var refusedHellos: UInt64 = 0
  /// Hellos that were refused for lack of room: their process, user or key, or all together, had
  /// the greatest number of sessions.
  package internal(set) var refusedSessions: UInt64 = 0
  package internal(set) var actionsThrottled: UInt64 = 0
  package internal(set) var hellosThrottled: UInt64 = 0
  package internal(set) var joinsThrottled: UInt64 = 0
  package internal(set) var reportsRefused: UInt64 = 0
  /// The bytes of peers that tables keep, and how often there was no room for more.
  var ofTables: @MainActor () -> [(String, UInt64)] = { [] }
  /// The transport's counters, of peers whose frames never reach the turn.
  package var ofTransport: @MainActor () -> [(String, UInt64)] = { [] }
  /// The daemon's present obstacle that does not concern its journal; nil without one.
  package var ofHost: @MainActor () -> String? = { nil }
  /// The copies of the daemon's history that other programs keep.
  package var ofCopies: @MainActor () -> [CopyReport] = { [] }
  /// The metrics of the daemon's program.
  package var ofProgram: @MainActor () -> [MetricSample] = { [] }

  /// The counters by the names under which they are reported.
  package var byName: [(String, UInt64)] {
    [
      ("controlFrames", controlFrames), ("malformed", malformed),
      ("notUnderstood", notUnderstood), ("subscriptions", subscriptions), ("fences", fences),
      ("strayFences", strayFences), ("captures", captures), ("snapshots", snapshots),
      ("replays", replays), ("actionsApplied", actionsApplied), ("actionsFailed", actionsFailed),
      ("actionsWithdrawn", actionsWithdrawn), ("duplicates", duplicates), ("deltas", deltas),
      ("deltaBytes", deltaBytes), ("outputs", outputs), ("leasesEnded", leasesEnded),
      ("blockedPeers", blockedPeers), ("cutSubscribers", cutSubscribers),
      ("cutSessionless", cutSessionless),
      ("refusedHellos", refusedHellos),
      ("refusedSessions", refusedSessions), ("actionsThrottled", actionsThrottled),
      ("reportsRefused", reportsRefused), ("markers", markers),
      ("outputsTooLarge", outputsTooLarge), ("hellosThrottled", hellosThrottled),
      ("joinsThrottled", joinsThrottled), ("longestTurnMicroseconds", longestTurnMicroseconds),
    ] + ofTables() + ofTransport()
  }
}
