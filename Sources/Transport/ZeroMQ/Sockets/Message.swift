import CZMQ

/// One frame: bytes that came from a socket or are to go to one.
///
/// A message owns its bytes and is moved, not copied. Up to 33 bytes are held in the message
/// itself; longer ones on the heap, with a count of references, so that ``copy()`` is cheap and one
/// encoded payload can go to any number of peers.
package struct Message: ~Copyable, Sendable {
  var raw = czmq_message()

  /// Creates an empty message, as needed to receive into.
  package init() {
    czmq_message_init(&raw)
  }

  /// Creates a message of so many bytes, to be filled with ``withUnsafeMutableBytes(_:)``.
  package init(size: Int) {
    let status = czmq_message_init_size(&raw, size)
    precondition(status == 0, "no memory for a message of \(size) bytes")
  }

  /// Creates a message with a copy of the bytes.
  package init(copying bytes: UnsafeRawBufferPointer) {
    self.init(size: bytes.count)
    withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
  }

  /// Creates a message with a copy of the bytes.
  package init(copying bytes: [UInt8]) {
    self.init(size: bytes.count)
    withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
  }

  deinit {
    // A message holds no pointer into itself, so its words can be closed in another place.
    var raw = raw
    czmq_message_close(&raw)
  }

  /// How many bytes the message has.
  package var count: Int { withUnsafePointer(to: raw) { czmq_message_size($0) } }

  /// Whether there are no bytes.
  package var isEmpty: Bool { count == 0 }

  /// Whether further frames of the same multipart message follow this one, which was received.
  package var more: Bool { withUnsafePointer(to: raw) { czmq_message_more($0) } }

  /// A copy of the bytes.
  package var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// Calls the closure with the bytes, which are valid only until it returns.
  package borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafePointer(to: raw) { pointer throws(Failure) in
      let data = czmq_message_data(pointer)
      return try body(UnsafeRawBufferPointer(start: data, count: czmq_message_size(pointer)))
    }
  }

  /// Calls the closure with the bytes, to write them before the message is sent or copied.
  ///
  /// Copies share the bytes, so never write to a message after ``copy()``, to a received one or to
  /// one that adopted its bytes.
  package mutating func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeMutablePointer(to: &raw) { pointer throws(Failure) in
      let data = czmq_message_data(pointer)
      let count = czmq_message_size(pointer)
      return try body(UnsafeMutableRawBufferPointer(start: data, count: count))
    }
  }

  /// A second message with the same bytes, which long messages share instead of copying.
  ///
  /// The counting of references is atomic: the two may go to different sockets and threads.
  package mutating func copy() -> Message {
    var copy = Message()
    let status = czmq_message_copy(&copy.raw, &raw)
    precondition(status == 0, "a valid message can always be copied, but got \(zmq_errno())")
    return copy
  }

  /// What the connection knows about the sender of a received message.
  ///
  /// Over ipc `Peer-Address` is `localhost:uid:gid:pid`, vouched for by the kernel. The routing id
  /// that a router puts in front may come without properties: ask a frame of the payload.
  ///
  /// - Parameter name: `Peer-Address`, `Socket-Type`, `User-Id`…
  /// - Returns: `nil` when the message was not received or has no such property.
  package borrowing func property(_ name: String) -> String? {
    withUnsafePointer(to: raw) { pointer in
      czmq_message_property(pointer, name).map { String(cString: $0) }
    }
  }

  /// The whole number, written in digits, that a property consists of or that stands before its
  /// first space; nil when there is none.
  package borrowing func number(_ name: StaticString) -> UInt64? {
    withUnsafePointer(to: raw) { pointer in
      var number: UInt64 = 0
      return czmq_message_number(pointer, name.utf8CString, &number) ? number : nil
    }
  }

  /// The descriptor of the connection that a received message came from.
  ///
  /// That connection may be over, and the descriptor another's by now.
  package borrowing func descriptor() -> Int32? { number("__fd").flatMap { Int32(exactly: $0) } }
}

extension StaticString {
  /// The text as C reads it: a literal ends in a zero.
  fileprivate var utf8CString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
