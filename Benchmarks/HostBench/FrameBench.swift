import StoreServer

/// Measures the bytes of one delta on the wire: a Bool of a row with a UUID.
@MainActor
enum FrameBench {
  static func run(_ arguments: inout Arguments) throws {
    try figures(rows: arguments.number("--rows", or: 100_000)).printLine()
  }

  static func figures(rows: Int) throws -> Figures {
    // After 2³² actions, a daemon encodes revisions with more bytes.
    let daemon = BenchDaemon(rows: rows, revision: 1 << 32)
    try daemon.follow("todos")
    var most = 0
    for sequence in 1...min(rows, 1000) {
      let id = daemon.ids[sequence * 7919 % rows]
      daemon.turn(try BenchDaemon.toggle(id, sequence: UInt64(sequence)))
      let frames = daemon.outgoing.compactMap { frame in
        if case .publish(let topic, let body) = frame { topic.count + body.count } else { nil }
      }
      guard let delta = frames.first else { throw BenchError("The daemon published no delta") }
      most = max(most, delta)
    }
    var figures = Figures()
    figures.set("rows", rows)
    figures.set("bytes", most)
    return figures
  }
}
