import ZeroMQ

/// One user's connections to the publishing socket that have not sent a message.
///
/// A client that follows no scope sends no message there. So a user may have as many silent
/// connections as greeted control connections. The excess is shut down: the oldest first, of the
/// programs that exceed their share most.
struct SilentSubscribers {
  /// Nanoseconds after which a connection is silent.
  static let patience: Int64 = 3_000_000_000

  private struct Connection {
    let descriptor: Int32
    let program: PeerProgram
    let acceptedAt: Int64
  }

  /// In the order in which they were accepted.
  ///
  /// Bounded by ``ConnectionTable/Limits/connections``.
  private var connections: [Connection] = []
  /// The number of greeted control connections, by programs.
  ///
  /// Bounded by ``ConnectionTable/Limits/connections``.
  private var welcomed: [PeerProgram: Int] = [:]
  private var welcomedCount = 0

  var isEmpty: Bool { connections.isEmpty && welcomedCount == 0 }

  mutating func append(_ descriptor: Int32, _ program: PeerProgram, now: Int64) {
    connections.append(
      Connection(descriptor: descriptor, program: program, acceptedAt: now)
    )
  }

  /// Records that a connection has sent a message, or has ended.
  mutating func remove(_ descriptor: Int32) {
    // Connections that send are mostly among the last ones.
    guard let place = connections.lastIndex(where: { $0.descriptor == descriptor }) else { return }
    connections.remove(at: place)
  }

  mutating func welcome(_ program: PeerProgram) {
    welcomed[program, default: 0] += 1
    welcomedCount += 1
  }

  /// Records that a greeted control connection has ended.
  mutating func part(_ program: PeerProgram) {
    let count = welcomed[program, default: 1] - 1
    welcomed[program] = count == 0 ? nil : count
    welcomedCount -= 1
  }

  /// The moment at which the number of silent connections exceeds the limit, if no
  /// event intervenes.
  var end: Int64? {
    guard connections.count > welcomedCount else { return nil }
    return connections[welcomedCount].acceptedAt + Self.patience
  }

  /// Takes the silent connections that exceed the limit at a moment, each once.
  mutating func take(at moment: Int64) -> [Int32] {
    guard let end, end <= moment else { return [] }
    let silent = connections.prefix { $0.acceptedAt + Self.patience <= moment }
    // For each connection, the excess of its program among this one and newer ones.
    var excess: [(connection: Connection, amount: Int)] = []
    var counts = welcomed.mapValues { -$0 }
    for connection in silent.reversed() {
      counts[connection.program, default: 0] += 1
      excess.append((connection, counts[connection.program, default: 0]))
    }
    let surplus = excess.sorted {
      ($1.amount, $0.connection.acceptedAt) < ($0.amount, $1.connection.acceptedAt)
    }
    .prefix(silent.count - welcomedCount)
    let taken = Set(surplus.map(\.connection.descriptor))
    connections.removeAll { taken.contains($0.descriptor) }
    return surplus.map(\.connection.descriptor)
  }
}
