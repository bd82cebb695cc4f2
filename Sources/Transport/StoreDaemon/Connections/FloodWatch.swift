/// Finds connections that fill libzmq's memory while the main thread does not count their messages.
///
/// The main thread counts, and shuts down peers that send too much. While it is blocked, or slower
/// than a flood, libzmq's I/O thread continues to read into queues without a limit. So when the
/// process has grown considerably since all peers were last served, peers that keep sending are
/// shut down, one at a time. They are recognized by their backlog in the kernel, which grows again
/// and again although it is read. That of an honest client only shrinks, unless it has sent several
/// times as much as the kernel buffers for a connection.
///
/// A value without I/O or a clock.
struct FloodWatch {
  /// The growth of the process from which connections are shut down: more than the windows of
  /// many clients.
  static let growth = 24 << 20
  /// The least backlog in the kernel of a peer that sends much.
  static let queuedBytes = 1 << 10
  /// The number of consecutive checks at which a flood has this backlog, and at how many of them
  /// the backlog must have risen.
  static let looks = 6
  static let rises = 2
  /// Nanoseconds between two checks.
  static let interval: Int64 = 3_000_000
  /// Nanoseconds between two checks of the process alone.
  static let calmInterval: Int64 = 50_000_000

  /// A connection; the time of its acceptance distinguishes it from others with its descriptor.
  struct Connection: Hashable {
    var descriptor: Int32
    var side: ConnectionTable.Side
    var acceptedAt: Int64
  }

  /// A connection that has had a backlog at every check.
  private struct Pressing {
    var looks = 1
    var rises = 0
    /// Its backlog at the last check, in bytes.
    var count: Int
  }

  /// Bounded by ``ConnectionTable/Limits/connections``.
  private var pressing: [Connection: Pressing] = [:]
  private var rounds: UInt64?
  private var base = 0
  private var isGrown = false

  /// Nanoseconds until the next check.
  var interval: Int64 { isGrown ? Self.interval : Self.calmInterval }

  /// Checks the size of the process.
  ///
  /// - Parameters:
  ///   - bytes: Its resident bytes.
  ///   - rounds: The number of times that the main thread has served all peers.
  /// - Returns: Whether it has grown so much since the last round that connections are to
  ///   be checked.
  mutating func hasGrown(to bytes: Int, rounds: UInt64) -> Bool {
    if rounds != self.rounds {
      self.rounds = rounds
      base = bytes
    }
    base = min(base, bytes)
    isGrown = bytes - base >= Self.growth
    if !isGrown { pressing = [:] }
    return isGrown
  }

  /// Checks the backlogs in the kernel.
  ///
  /// - Parameters:
  ///   - connections: All open connections.
  ///   - queued: Returns the number of bytes that wait for a descriptor.
  /// - Returns: The flooding connection with the largest backlog, which is to be shut down.
  mutating func look(at connections: [Connection], queued: (Int32) -> Int) -> Connection? {
    var flood: (connection: Connection, count: Int)?
    var next: [Connection: Pressing] = [:]
    for connection in connections {
      let count = queued(connection.descriptor)
      guard count >= Self.queuedBytes else { continue }
      var known = Pressing(count: count)
      if let last = pressing[connection] {
        known.looks = last.looks + 1
        known.rises = last.rises + (count > last.count ? 1 : 0)
      }
      next[connection] = known
      guard known.looks >= Self.looks, known.rises >= Self.rises else { continue }
      if count > flood?.count ?? 0 { flood = (connection, count) }
    }
    if let flood { next[flood.connection] = nil }
    pressing = next
    return flood?.connection
  }
}
