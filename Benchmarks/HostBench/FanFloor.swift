import ZeroMQ

/// The floor with as many subscribers.
@MainActor
final class FanFloor: FanPeer {
  let process: FanProcess
  private let control: Socket
  private let subscribers: [Socket]
  private let pollers: [Poller]
  private let controlPoller: Poller
  private let action: [UInt8]
  private let deltasPerBookmark: Int
  private var sent = 0
  private var message = Message()
  /// The CPU time that the floor has spent on publishing, by its last answer.
  private var publishingTime: UInt64 = 0

  init(_ process: FanProcess, clients: Int, shape: FanShape, _ context: Context) throws {
    self.process = process
    control = try Socket(context, kind: .dealer, options: Follower.options())
    try control.connect("ipc://\(process.directory)/raw-action")
    subscribers = try (0..<clients).map { number in
      let socket = try Socket(context, kind: .xsub, options: Follower.options(sendHighWater: 0))
      try socket.connect("ipc://\(process.directory)/raw-delta")
      // The common topic and a separate one, like a client's.
      _ = try socket.send([1, 0x12] + [UInt8](repeating: 0, count: 16))
      _ = try socket.send([1, 0x11] + [UInt8](repeating: UInt8(number % 251 + 1), count: 16))
      return socket
    }
    pollers = subscribers.map { Poller([.socket($0)]) }
    controlPoller = Poller([.socket(control)])
    action = [shape.delta, shape.deltasPerBookmark, shape.bookmark].flatMap { number in
      withUnsafeBytes(of: UInt32(number)) { Array($0) }
    }
    deltasPerBookmark = shape.deltasPerBookmark
    try warmUp()
  }

  /// Sends until each subscriber receives messages: connecting takes time, and its end is
  /// not reported.
  private func warmUp() throws {
    var reached = 0
    for _ in 0..<500 where reached < subscribers.count {
      try send()
      _ = try controlPoller.wait(timeout: .milliseconds(20))
      reached = try subscribers.count { socket in
        var hasMessage = false
        while try socket.receive(into: &message) { hasMessage = true }
        return hasMessage
      }
    }
    guard reached == subscribers.count else {
      throw BenchError("\(reached) of \(subscribers.count) subscribers reached the floor")
    }
    for _ in 0..<50 { try step() }
  }

  func spent() throws -> Double {
    try process.countIfWanted()
    return Double(publishingTime)
  }

  private func send() throws {
    sent += 1
    _ = try control.send(action)
    while try !control.receive(into: &message) { _ = try controlPoller.wait(timeout: nil) }
    publishingTime = message.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
  }

  func step() throws {
    try send()
    let frames = sent % deltasPerBookmark == 0 ? 4 : 2
    for (socket, poller) in zip(subscribers, pollers) {
      var taken = 0
      while taken < frames {
        if try socket.receive(into: &message) {
          taken += 1
        } else if try poller.wait(timeout: .seconds(5)) == 0 {
          throw BenchError("A subscriber of the floor missed a message")
        }
      }
    }
  }
}
