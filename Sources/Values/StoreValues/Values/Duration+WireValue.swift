public import StoreBytes

extension Duration: ReplicatedState {
  private static var attosecondsPerSecond: Int64 { 1_000_000_000_000_000_000 }

  /// A length of time.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .duration }

  /// True: a duration of at most 64 bits of seconds equals each of its copies.
  public static var equalsItself: Bool { true }

  /// Writes the whole seconds and the attoseconds.
  ///
  /// A length beyond 64 bits of seconds, 292 billion years, is limited to the longest that fits.
  public func encode(to encoder: inout CBOREncoder) {
    let (seconds, attoseconds) = limited.components
    encoder.arrayHeader(2)
    encoder.encode(signed: seconds)
    encoder.encode(signed: attoseconds)
  }

  /// Reads seconds and attoseconds of the same sign.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    try decoder.expectArray(of: 2, "a duration")
    let seconds = try decoder.signed()
    let attoseconds = try decoder.signed()
    let limit = Self.attosecondsPerSecond
    guard attoseconds > -limit, attoseconds < limit,
      seconds == 0 || attoseconds == 0 || (seconds < 0) == (attoseconds < 0)
    else {
      throw CodecError(
        .outOfRange,
        "expected attoseconds below 10^18 with the sign of the seconds, "
          + "found [\(seconds), \(attoseconds)]",
        offset: start,
      )
    }
    self.init(secondsComponent: seconds, attosecondsComponent: attoseconds)
  }

  /// Compares the lengths.
  public func _$isSame(as other: Duration) -> Bool { limited == other.limited }

  /// The nearest length whose seconds fit in 64 bits; the components of longer ones trap.
  private var limited: Duration {
    let rest = Self.attosecondsPerSecond - 1
    let longest = Duration(secondsComponent: .max, attosecondsComponent: rest)
    return min(max(self, Duration(secondsComponent: .min, attosecondsComponent: -rest)), longest)
  }
}
