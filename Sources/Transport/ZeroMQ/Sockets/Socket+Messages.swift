import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What became of a message that was to be sent.
package enum SendResult: Hashable, Sendable {
  /// The socket has taken it. It travels when the last frame of its message is sent, too.
  case sent

  /// No peer can take it now: the pipe is full, or (with the option `immediate`) nobody is there.
  ///
  /// When a router says so, it is about the routing id and the frames after it must not be sent.
  /// When a dealer says so at the first frame, likewise. At a later frame it means that the
  /// connection broke in the middle: send what is left of this message, which will be dropped up
  /// to its last frame, and then the whole message anew.
  case wouldBlock

  /// No peer has this routing id (with the option `routerMandatory`). Do not send the other frames.
  case unroutable
}

extension Socket {
  // MARK: - Sending

  /// Sends a frame, leaving the message empty; what could not be sent stays in the message.
  ///
  /// - Parameters:
  ///   - message: The frame.
  ///   - more: Whether further frames of the same message follow. A peer gets all or none.
  /// - Returns: What became of it: a full pipe and an unknown peer are not errors.
  /// - Throws: ``ZeroMQError`` when the context has been terminated or belongs to another process.
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

  /// Sends a frame, which is dropped when it could not be sent.
  ///
  /// For a payload that goes to many peers send a ``Message/copy()`` to each.
  package func send(
    _ message: consuming Message,
    more: Bool = false,
  ) throws(ZeroMQError) -> SendResult {
    try send(from: &message, more: more)
  }

  /// Sends a frame with a copy of the bytes: the quickest way for short ones.
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

  /// Sends a frame with a copy of the bytes: the quickest way for short ones.
  package func send(_ bytes: [UInt8], more: Bool = false) throws(ZeroMQError) -> SendResult {
    try bytes.withUnsafeBufferPointer { buffer throws(ZeroMQError) in
      try send(UnsafeRawBufferPointer(buffer), more: more)
    }
  }

  private static func flags(more: Bool) -> Int32 {
    more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
  }

  /// Why a frame was not sent, or `nil` when a signal interrupted and it can be tried again.
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

  /// Receives a frame into the message, whose old content is dropped.
  ///
  /// Ask ``Message/more`` whether it belongs to the same message as the next frame; all frames of
  /// a message arrive together.
  ///
  /// - Returns: `false` when there is nothing to read; the message may then be empty.
  package func receive(into message: inout Message) throws(ZeroMQError) -> Bool {
    let socket = opened()
    while czmq_message_receive(&message.raw, socket, ZMQ_DONTWAIT) < 0 {
      if zmq_errno() == EAGAIN { return false }
      try retryAfterInterruption("receive on", "")
    }
    return true
  }

  /// Receives a frame, or `nil` when there is nothing to read.
  package func receive() throws(ZeroMQError) -> Message? {
    var message = Message()
    guard try receive(into: &message) else { return nil }
    return message
  }
}
