import StoreProtocol
import StoreState

/// How much of old history is kept, beyond what a restart needs.
///
/// Whatever exceeds one of the two goes, with the next snapshot or the next start. So a quiet
/// daemon may keep records for longer than it was told to; those that a restart needs stay in any
/// case.
public struct Retention: Hashable, Sendable {
  /// The bytes of records.
  public var bytes: Int
  /// How old records become beside the newest one, on the clock of the wall; nil for any age.
  public var age: Duration?

  /// Keeps some of old history.
  public init(bytes: Int = 256 << 20, age: Duration? = nil) {
    self.bytes = bytes
    self.age = age
  }

  /// Nothing but what a restart needs.
  package static let nothing = Retention(bytes: 0)

  /// The milliseconds since 1970 from which on records are kept for their age.
  func start(at wallMilliseconds: UInt64) -> UInt64 {
    guard let age else { return 0 }
    let milliseconds = UInt64(clamping: age.wholeMilliseconds)
    return wallMilliseconds - min(wallMilliseconds, milliseconds)
  }
}
