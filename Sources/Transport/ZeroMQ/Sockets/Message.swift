import CZMQ

/// One frame: bytes that were received from a socket or will be sent to one.
///
/// A message owns its bytes and is moved, not copied. It holds up to 33 bytes itself. Longer
/// content is on the heap with a reference count, so that ``copy()`` is cheap and any number of
/// peers can be sent one encoded payload.
package struct Message: ~Copyable, Sendable {
  var raw = czmq_message()

  /// Creates an empty message to receive into.
  package init() {
    czmq_message_init(&raw)
  }

  /// Creates a message of a given size, to be filled with ``withUnsafeMutableBytes(_:)``.
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
    // A message holds no pointer into itself, so a copy of its words can be closed.
    var raw = raw
    czmq_message_close(&raw)
  }

  /// The size of the message, in bytes.
  package var count: Int { withUnsafePointer(to: raw) { czmq_message_size($0) } }

  /// Whether the message has no bytes.
  package var isEmpty: Bool { count == 0 }

  /// Whether this received frame is followed by another frame of the same message.
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
  /// Copies share the bytes. Never write to a message after ``copy()``, to a received one, or to
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

  /// A second message with the same bytes; long messages share them.
  ///
  /// The reference count is atomic: different sockets and threads may use the two messages.
  package mutating func copy() -> Message {
    var copy = Message()
    let status = czmq_message_copy(&copy.raw, &raw)
    precondition(status == 0, "a valid message can always be copied, but got \(zmq_errno())")
    return copy
  }

  /// A property of the connection from which a message was received.
  ///
  /// Over ipc `Peer-Address` is `localhost:uid:gid:pid`, as the kernel reports it. The routing id
  /// that a router puts first may have no properties: ask a frame of the payload.
  ///
  /// - Parameter name: `Peer-Address`, `Socket-Type`, `User-Id`…
  /// - Returns: The property; `nil` if the message was not received or lacks it.
  package borrowing func property(_ name: String) -> String? {
    withUnsafePointer(to: raw) { pointer in
      czmq_message_property(pointer, name).map { String(cString: $0) }
    }
  }

  /// The decimal number at the start of a property, up to its end or its first space; nil if there
  /// is no such number.
  package borrowing func number(_ name: StaticString) -> UInt64? {
    withUnsafePointer(to: raw) { pointer in
      var number: UInt64 = 0
      return czmq_message_number(pointer, name.utf8CString, &number) ? number : nil
    }
  }

  /// The descriptor of the connection from which a message was received.
  ///
  /// That connection may have ended, and its descriptor may have been reused.
  package borrowing func descriptor() -> Int32? { number("__fd").flatMap { Int32(exactly: $0) } }
}

extension StaticString {
  /// The text as a C string: a literal ends in a zero.
  fileprivate var utf8CString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
