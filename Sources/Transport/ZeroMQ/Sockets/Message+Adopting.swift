import CZMQ

extension Message {
  /// Below this, copying the bytes is cheaper than the bookkeeping of adopting them.
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
    // live in its one heap object, which never moves; the owner keeps that object alive and, being
    // an owner, keeps everyone else from changing it in place.
    let storage = owner.bytes.withUnsafeBufferPointer { UnsafeRawBufferPointer($0) }
    self.init(adopting: storage, owner: owner)
  }

  /// Creates a message whose bytes stay where they are, kept alive by an object.
  ///
  /// The object is released exactly once, when the last copy of the message has been sent or
  /// dropped. That happens on one of libzmq's I/O threads as often as on this one; therefore the
  /// owner must be Sendable, and its `deinit` must neither block nor expect an actor. The library
  /// synchronises: it drops the last reference with an atomic decrement after its last read of the
  /// bytes, so nobody reads them once the object is released.
  ///
  /// - Parameters:
  ///   - bytes: Must stay valid and unchanged until the owner is released.
  ///   - owner: What keeps the bytes alive.
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
    // The empty message this replaces holds nothing that would have to be closed.
    self.raw = raw
  }
}

private final class ArrayOwner: Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// Called by libzmq, on any thread, when it has no further use for adopted bytes.
private func releaseOwner(_ data: UnsafeMutableRawPointer?, _ hint: UnsafeMutableRawPointer?) {
  guard let hint else { return }
  Unmanaged<AnyObject>.fromOpaque(hint).release()
}
