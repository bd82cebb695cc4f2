import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The outcome of sending a frame.
package enum SendResult: Hashable, Sendable {
  /// The socket has taken the frame. It leaves when the last frame of its message is sent, too.
  case sent

  /// No peer can take it now: the pipe is full, or (with the option `immediate`) there is no peer.
  ///
  /// From a router this concerns the routing id: do not send the frames after it. The same applies
  /// to a dealer's first frame. At a later frame of a dealer it means that the connection broke
  /// during the message: send the remaining frames, which are dropped up to the last one, and then
  /// send the whole message again.
  case wouldBlock

  /// No peer has this routing id (with the option `routerMandatory`). Do not send the other frames.
  case unroutable
}

extension Socket {
  // MARK: - Sending

  /// Sends a frame and leaves the message empty; an unsent frame stays in the message.
  ///
  /// - Parameters:
  ///   - message: The frame.
  ///   - more: Whether further frames of the message follow. A peer gets all frames or no frame.
  /// - Returns: The outcome: a full pipe and an unknown peer are not errors.
  /// - Throws: ``ZeroMQError`` if the context has been terminated or belongs to another process.
  package func send(
    from message: inout Message,
    more: Bool = false,
  ) throws(ZeroMQError) -> SendResult {
    let socket = opened()
    while czmq_message_send(&message.raw, socket, Self.flags(more: more)) < 0 {
      if let result = try unsent() { return result }
    }
    return .sent
  }

  /// Sends a frame; an unsent frame is dropped.
  ///
  /// To send a payload to many peers, send a ``Message/copy()`` to each.
  package func send(
    _ message: consuming Message,
    more: Bool = false,
  ) throws(ZeroMQError) -> SendResult {
    try send(from: &message, more: more)
  }

  /// Sends a frame with a copy of the bytes: the quickest way for short frames.
  package func send(
    _ bytes: UnsafeRawBufferPointer,
    more: Bool = false,
  ) throws(ZeroMQError) -> SendResult {
    let socket = opened()
    while zmq_send(socket, bytes.baseAddress, bytes.count, Self.flags(more: more)) < 0 {
      if let result = try unsent() { return result }
    }
    return .sent
  }

  /// Sends a frame with a copy of the bytes: the quickest way for short frames.
  package func send(_ bytes: [UInt8], more: Bool = false) throws(ZeroMQError) -> SendResult {
    try bytes.withUnsafeBufferPointer { buffer throws(ZeroMQError) in
      try send(UnsafeRawBufferPointer(buffer), more: more)
    }
  }

  private static func flags(more: Bool) -> Int32 {
    more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
  }

  /// The reason for which a frame was not sent; `nil` if a signal interrupted the call: retry then.
  private func unsent() throws(ZeroMQError) -> SendResult? {
    switch zmq_errno() {
    case EAGAIN:
      return .wouldBlock
    case EHOSTUNREACH:
      return .unroutable
    default:
      try retryAfterInterruption("send on", "")
      return nil
    }
  }

  // MARK: - Receiving

  /// Receives a frame into the message, and drops the message's old content.
  ///
  /// ``Message/more`` states whether the next frame belongs to the same message; all frames of a
  /// message arrive together.
  ///
  /// - Returns: `false` if no frame is waiting; the message may then be empty.
  package func receive(into message: inout Message) throws(ZeroMQError) -> Bool {
    let socket = opened()
    while czmq_message_receive(&message.raw, socket, ZMQ_DONTWAIT) < 0 {
      if zmq_errno() == EAGAIN { return false }
      try retryAfterInterruption("receive on", "")
    }
    return true
  }

  /// Receives a frame; `nil` if no frame is waiting.
  package func receive() throws(ZeroMQError) -> Message? {
    var message = Message()
    guard try receive(into: &message) else { return nil }
    return message
  }
}
