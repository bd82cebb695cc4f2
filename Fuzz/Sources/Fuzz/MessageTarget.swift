import StoreProtocol

/// Frames of clients and daemons: what is read is read again from what it is written as.
enum MessageTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    if let message = try? ClientMessage(frame: bytes) {
      let again = try? ClientMessage(frame: message.encoded()[...])
      expect(again == message, "a client's message changes")
    }
    if let message = try? DaemonMessage(frame: bytes) {
      let again = try? DaemonMessage(frame: message.encoded()[...])
      expect(again == message, "a daemon's message changes")
    }
    if let message = try? PublishedMessage(frame: bytes) {
      let again = try? PublishedMessage(frame: message.encoded()[...])
      expect(again == message, "a published message changes")
    }
    _ = try? Welcome(frame: bytes)
    _ = try? Fence(frame: bytes)
  }
}
