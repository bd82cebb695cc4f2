/// The messages that a session has not read, as far as the daemon knows.
struct UnreadBacklog: Hashable, Comparable, CustomStringConvertible {
  var bytes: UInt64 = 0
  /// The milliseconds since the oldest unread message was published.
  var milliseconds: UInt64 = 0

  var isEmpty: Bool { bytes == 0 }

  /// For people: "0" without unread messages, otherwise their size and age.
  var description: String {
    isEmpty ? "0" : "\(Self.text(bytes)) for \(DaemonStatus.time(milliseconds))"
  }

  private static func text(_ bytes: UInt64) -> String {
    switch bytes {
    case ..<1_024: "\(bytes) bytes"
    case ..<(10 << 20): "\(bytes >> 10) KiB"
    default: "\(bytes >> 20) MiB"
    }
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.milliseconds, left.bytes) < (right.milliseconds, right.bytes)
  }
}
