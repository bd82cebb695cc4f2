import CZMQ

extension Message {
  /// Up to this size in bytes, copying is cheaper than the bookkeeping of adoption.
  static let adoptionThreshold = 1024

  /// Creates a message that sends the array's own storage, without copying it.
  ///
  /// The array stays usable: as long as the message or a copy of it exists, writing to the array
  /// copies it first, as with any other array that has two owners.
  package init(adopting bytes: consuming [UInt8]) {
    guard bytes.count > Self.adoptionThreshold else {
      self.init(copying: bytes)
      return
    }
    let owner = ArrayOwner(bytes)
    // The pointer outlives the closure. That is sound because the elements of an array of bytes
    // live in its one heap object, which never moves. The owner keeps that object alive, and as a
    // second owner it prevents every other one from changing it in place.
    let storage = owner.bytes.withUnsafeBufferPointer { UnsafeRawBufferPointer($0) }
    self.init(adopting: storage, owner: owner)
  }

  /// Creates a message that refers to bytes without copying them; an object keeps them alive.
  ///
  /// The object is released exactly once, when the last copy of the message has been sent or
  /// dropped. That often happens on one of libzmq's I/O threads; therefore the owner must be
  /// Sendable, and its `deinit` must neither block nor expect an actor. libzmq synchronizes: it
  /// drops the last reference with an atomic decrement after its last read of the bytes, so no
  /// thread reads them after the release.
  ///
  /// - Parameters:
  ///   - bytes: Must stay valid and unchanged until the owner is released.
  ///   - owner: The object that keeps the bytes alive.
  package init(adopting bytes: UnsafeRawBufferPointer, owner: some AnyObject & Sendable) {
    var raw = czmq_message()
    let hint = Unmanaged<AnyObject>.passRetained(owner).toOpaque()
    let data = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    let status = czmq_message_init_data(&raw, data, bytes.count, releaseOwner, hint)
    precondition(status == 0, "no memory for the description of a message")
    self.init(raw: raw)
  }

  private init(raw: czmq_message) {
    self.init()
    // The empty message that this replaces needs no closing.
    self.raw = raw
  }
}

private final class ArrayOwner: Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// Called by libzmq, on any thread, when it no longer needs adopted bytes.
private func releaseOwner(_ data: UnsafeMutableRawPointer?, _ hint: UnsafeMutableRawPointer?) {
  guard let hint else { return }
  Unmanaged<AnyObject>.fromOpaque(hint).release()
}
