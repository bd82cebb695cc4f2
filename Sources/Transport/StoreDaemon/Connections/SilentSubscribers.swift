import ZeroMQ

/// One user's connections to the publishing socket on which nothing has come.
///
/// Who follows nothing has nothing to say there. So as many may be silent as the user has control
/// connections that were welcomed; of others it takes the oldest, those of such programs first that
/// have most of them.
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
  /// How many control connections were welcomed, by programs.
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

  /// A connection has spoken, or is over.
  mutating func remove(_ descriptor: Int32) {
    // The last ones mostly are those who speak.
    guard let place = connections.lastIndex(where: { $0.descriptor == descriptor }) else { return }
    connections.remove(at: place)
  }

  mutating func welcome(_ program: PeerProgram) {
    welcomed[program, default: 0] += 1
    welcomedCount += 1
  }

  /// A control connection that was welcomed is over.
  mutating func part(_ program: PeerProgram) {
    let count = welcomed[program, default: 1] - 1
    welcomed[program] = count == 0 ? nil : count
    welcomedCount -= 1
  }

  /// When there are more silent ones than may be, if nothing happens.
  var end: Int64? {
    guard connections.count > welcomedCount else { return nil }
    return connections[welcomedCount].acceptedAt + Self.patience
  }

  /// Those beyond the ones that may be silent at a moment; each is told once.
  mutating func take(at moment: Int64) -> [Int32] {
    guard let end, end <= moment else { return [] }
    let silent = connections.prefix { $0.acceptedAt + Self.patience <= moment }
    // How many more its program has from it on than were welcomed.
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
