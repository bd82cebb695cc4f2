import StoreProtocol
import StoreState

/// The limits for old history, beyond the records that a restart needs.
///
/// Records that exceed one of the two limits are removed with the next snapshot or at the next
/// start. A daemon with few changes may therefore exceed the limits. Records that a restart needs
/// are always kept.
public struct Retention: Hashable, Sendable {
  /// The bytes of records.
  public var bytes: Int
  /// The greatest age of records before the newest one, in wall-clock time; nil for any age.
  public var age: Duration?

  /// Creates limits for old history.
  public init(bytes: Int = 256 << 20, age: Duration? = nil) {
    self.bytes = bytes
    self.age = age
  }

  /// Keeps only the records that a restart needs.
  package static let nothing = Retention(bytes: 0)

  /// Returns the time, in milliseconds since 1970, after which records are kept because of
  /// their age.
  func start(at wallMilliseconds: UInt64) -> UInt64 {
    guard let age else { return 0 }
    let milliseconds = UInt64(clamping: age.wholeMilliseconds)
    return wallMilliseconds - min(wallMilliseconds, milliseconds)
  }
}
