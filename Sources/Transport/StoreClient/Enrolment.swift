import StoreProtocol
import StoreState
import ZeroMQ

/// An invitation to enrol with a daemon, as a line: `tcp://HOST:PORT#DAEMON.TICKET`, with the
/// daemon's public key and the ticket's secret key in hexadecimal digits.
package struct EnrolmentLine: Hashable, Sendable, CustomStringConvertible {
  package var address: String
  package var daemon: [UInt8]
  package var ticket: [UInt8]

  package init(address: String, daemon: [UInt8], ticket: [UInt8]) {
    self.address = address
    self.daemon = daemon
    self.ticket = ticket
  }

  /// Parses a line; nil if it is invalid.
  package init?(_ text: String) {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].hasPrefix("tcp://"), !parts[0].dropFirst(6).contains("/"),
      (try? StoreLocation(address: String(parts[0]))) != nil
    else { return nil }
    let keys = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard keys.count == 2, let daemon = KeyText.key(keys[0]), let ticket = KeyText.key(keys[1])
    else { return nil }
    self.init(address: String(parts[0]), daemon: daemon, ticket: ticket)
  }

  package var description: String {
    "\(address)#\(KeyText.text(daemon)).\(KeyText.text(ticket))"
  }
}

/// Submits a key of this user with an invitation.
package struct Enrolment {
  /// The nanoseconds that a daemon may take to admit the ticket, and again to answer.
  private static let patience: Int64 = 10_000_000_000

  let line: EnrolmentLine
  let file: KeyFile

  package init(_ line: EnrolmentLine, file: KeyFile) {
    self.line = line
    self.file = file
  }

  /// Creates a key pair, submits the public key and stores the secret one; blocks meanwhile.
  ///
  /// Until its enrolment is confirmed, the pair is kept in a second file and submitted again at the
  /// next attempt.
  ///
  /// - Returns: The daemon's name for the key.
  /// - Throws: ``ConnectionError``. Then no key is in use; after `refused`, the pair is deleted.
  package func run() throws(ConnectionError) -> String {
    do {
      // The file is checked before the ticket is spent.
      let pair = try CurvePair(secretKey: try file.prepare(for: line.daemon).secret)
      let name = try enrolledName(of: pair)
      try file.keep()
      return name
    } catch let error as ConnectionError {
      if error.code == .refused { file.drop() }
      throw error
    } catch {
      throw ConnectionError(.system, "\(error)", remedy: "")
    }
  }

  private func enrolledName(of pair: CurvePair) throws -> String {
    do {
      return try handIn(pair.publicKey, as: try CurvePair(secretKey: line.ticket))
    } catch let error as ConnectionError where error.code == .refused {
      // An earlier attempt may have spent the ticket on this key, and its answer was lost.
      do {
        return try handIn(pair.publicKey, as: pair)
      } catch let other as ConnectionError where other.code == .refused {
        throw error
      }
    }
  }

  /// Submits a public key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - caller: The pair that identifies the caller: that of the ticket, or of the key itself.
  /// - Returns: The daemon's name for the key.
  /// - Throws: `ConnectionError` if the daemon refuses the key or does not answer.
  private func handIn(_ key: [UInt8], as caller: CurvePair) throws -> String {
    let context = try Context()
    defer { context.terminate() }
    var options = SocketOptions()
    options.curve = CurveClient(server: line.daemon, pair: caller)
    options.reconnectInterval = .milliseconds(100)
    let socket = try Socket(context, kind: .dealer, options: options)
    let monitor = try SocketMonitor(context, of: socket, name: "enrolment", connects: true)
    defer {
      socket.stopMonitoring()
      socket.close()
      monitor.socket.close()
    }
    try socket.connect(StoreLocation(address: line.address).control)
    let poller = Poller([.socket(socket), .socket(monitor.socket)])
    // The empty message with which a daemon greets a peer that it admits.
    guard try awaited({ _ in true }, socket, monitor, poller) != nil else {
      throw ConnectionError(
        .noDaemon,
        "The daemon of this line does not answer at \(line.address): it is stopped or replaced.",
        remedy: "Look whether it runs, and is the one that has invited.",
      )
    }
    _ = try socket.send(ClientMessage.keys(request: 1, .enrol(key: key)).encoded())
    guard let name = try awaited({ try self.name(answeredBy: $0) }, socket, monitor, poller) else {
      throw ConnectionError(
        .tryAgain,
        "The daemon did not answer: it is not known whether it has taken the key.",
        remedy: "Enrol again with the same line: the key is kept until that is known.",
      )
    }
    return name
  }

  /// Waits for a message that the closure understands.
  ///
  /// - Returns: The closure's value; nil if no such message arrives in time.
  private func awaited<Meaning>(
    _ meaning: ([UInt8]) throws -> Meaning?,
    _ socket: Socket,
    _ monitor: SocketMonitor,
    _ poller: Poller,
  ) throws -> Meaning? {
    let end = LoopClock.nanoseconds + Self.patience
    while case let rest = end - LoopClock.nanoseconds, rest > 0,
      try poller.wait(timeout: .nanoseconds(rest)) > 0
    {
      while let message = try socket.receive() {
        if let meaning = try meaning(message.bytes) { return meaning }
      }
      while let event = try monitor.next() {
        guard event == .refused else { continue }
        throw ConnectionError(
          .refused,
          "The daemon at \(line.address) refuses this line: it was used, or its time is "
            + "over, or it was taken back.",
          remedy: "Ask for another one.",
        )
      }
    }
    return nil
  }

  /// The key's name in an answer; nil if the frame is not such an answer.
  private func name(answeredBy frame: [UInt8]) throws -> String? {
    guard !frame.isEmpty, case .keys(_, let item) = try DaemonMessage(frame: frame[...]) else {
      return nil
    }
    var decoder = CBORDecoder(item)
    switch try KeyAnswer(from: &decoder) {
    case .done(let name, _): return name
    case .failed(code: "unavailable", let message):
      throw ConnectionError(.tryAgain, message, remedy: "The line is as good as before.")
    case .failed(_, let message): throw ConnectionError(.refused, message, remedy: "")
    case .keys, .invited: return nil
    }
  }
}
