/// Which connections go on sending though nobody hears them.
///
/// A client waits for answers once its window is full, and what it has sent by then the library has
/// soon read. So whoever has bytes waiting in the system each time that is looked, and not fewer of
/// them, while the main thread has not once heard everybody, fills the library's memory, which
/// knows no limit. The main thread, which counts what each has sent, may be held up just then.
///
/// A value without I/O or a clock.
struct FloodWatch {
  /// The bytes that wait in the system for one that sends more than the library reads: a part of
  /// what the system holds for it, also where each is sent alone.
  static let queuedBytes = 1 << 10
  /// Nanoseconds for which somebody may go on.
  static let patience: Int64 = 30_000_000
  /// Nanoseconds between two looks, while everybody is heard and while somebody waits for it.
  static let interval: (calm: Int64, pressing: Int64) = (50_000_000, 5_000_000)

  /// A connection, by what tells it from others that had the same descriptor.
  struct Connection: Hashable {
    var descriptor: Int32
    var side: ConnectionTable.Side
    var acceptedAt: Int64
  }

  /// One that has had bytes waiting at every look.
  private struct Pressing {
    let since: Int64
    /// The most that were seen since.
    var most: Int
  }

  private var pressing: [Connection: Pressing] = [:]
  private var rounds: UInt64 = 0

  /// Nanoseconds to the next look.
  var interval: Int64 { pressing.isEmpty ? Self.interval.calm : Self.interval.pressing }

  /// Looks at what waits in the system.
  ///
  /// - Parameters:
  ///   - connections: All that there are.
  ///   - rounds: How often the main thread has heard everybody.
  ///   - now: Nanoseconds of a clock that does not go back.
  ///   - queued: How many bytes wait for a descriptor.
  /// - Returns: The connections that are to be shut down; each once.
  mutating func look(
    at connections: [Connection],
    rounds: UInt64,
    now: Int64,
    queued: (Int32) -> Int,
  ) -> [Connection] {
    if rounds != self.rounds { pressing = [:] }
    self.rounds = rounds
    var floods: [Connection] = []
    var next: [Connection: Pressing] = [:]
    for connection in connections {
      let count = queued(connection.descriptor)
      guard count >= Self.queuedBytes else { continue }
      var known = pressing[connection] ?? Pressing(since: now, most: count)
      // What is sent no more gets less; it counts anew from half of it on.
      if 2 * count <= known.most { known = Pressing(since: now, most: count) }
      known.most = max(known.most, count)
      if now - known.since >= Self.patience {
        floods.append(connection)
      } else {
        next[connection] = known
      }
    }
    pressing = next
    return floods
  }
}
