/// A point in the time of a ``Scheduler``.
public struct SchedulerTime: Hashable, Comparable, Sendable, Strideable {
  /// The time since the scheduler's zero point.
  public let offset: Duration

  /// Creates a point at an offset from a scheduler's zero point.
  public init(offset: Duration) {
    self.offset = offset
  }

  /// Returns the point at a distance from this one.
  public func advanced(by stride: Stride) -> SchedulerTime {
    SchedulerTime(offset: offset + stride.duration)
  }

  /// Returns the distance to another point.
  public func distance(to other: SchedulerTime) -> Stride {
    Stride(other.offset - offset)
  }

  /// Returns whether a point is earlier than another one.
  public static func < (lhs: SchedulerTime, rhs: SchedulerTime) -> Bool {
    lhs.offset < rhs.offset
  }
}

extension SchedulerTime {
  /// A length of time; a number literal counts seconds.
  public struct Stride: Hashable, Comparable, SignedNumeric, Sendable {
    /// The length as a duration.
    public var duration: Duration

    /// Creates a length of time.
    public init(_ duration: Duration) {
      self.duration = duration
    }
  }
}

extension SchedulerTime.Stride: ExpressibleByFloatLiteral {
  /// Creates a number of seconds.
  public init(integerLiteral seconds: Int) {
    self.init(.seconds(seconds))
  }

  /// Creates a number of seconds.
  public init(floatLiteral seconds: Double) {
    self.init(.seconds(seconds))
  }

  /// Creates a number of seconds; nil if it exceeds 64 bits.
  public init?(exactly seconds: some BinaryInteger) {
    guard let seconds = Int64(exactly: seconds) else { return nil }
    self.init(.seconds(seconds))
  }

  /// Returns a number of seconds.
  public static func seconds(_ seconds: Int) -> Self { Self(.seconds(seconds)) }

  /// Returns a number of seconds.
  public static func seconds(_ seconds: Double) -> Self { Self(.seconds(seconds)) }

  /// Returns a number of milliseconds.
  public static func milliseconds(_ milliseconds: Int) -> Self {
    Self(.milliseconds(milliseconds))
  }

  /// Returns a number of microseconds.
  public static func microseconds(_ microseconds: Int) -> Self {
    Self(.microseconds(microseconds))
  }

  /// Returns a number of nanoseconds.
  public static func nanoseconds(_ nanoseconds: Int) -> Self { Self(.nanoseconds(nanoseconds)) }

  /// The length without its sign.
  public var magnitude: Self { duration < .zero ? Self(.zero - duration) : self }

  /// Returns whether a length is shorter than another one.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.duration < rhs.duration }

  /// Returns the sum of two lengths.
  public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.duration + rhs.duration) }

  /// Returns the difference of two lengths.
  public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.duration - rhs.duration) }

  /// Returns a length multiplied by the seconds of another one.
  public static func * (lhs: Self, rhs: Self) -> Self {
    let (seconds, attoseconds) = rhs.duration.components
    return Self(lhs.duration * (Double(seconds) + Double(attoseconds) * 1e-18))
  }

  /// Multiplies a length by the seconds of another one.
  public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
}
