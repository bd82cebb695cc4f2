/// A point in the time of a ``Scheduler``.
public struct SchedulerTime: Hashable, Comparable, Sendable, Strideable {
  /// How long it is since the scheduler's beginning of time.
  public let offset: Duration

  /// Creates the point so long after a scheduler's beginning of time.
  public init(offset: Duration) {
    self.offset = offset
  }

  /// The point so much later.
  public func advanced(by stride: Stride) -> SchedulerTime {
    SchedulerTime(offset: offset + stride.duration)
  }

  /// How much later another point is.
  public func distance(to other: SchedulerTime) -> Stride {
    Stride(other.offset - offset)
  }

  /// Whether a point is earlier than another one.
  public static func < (lhs: SchedulerTime, rhs: SchedulerTime) -> Bool {
    lhs.offset < rhs.offset
  }
}

extension SchedulerTime {
  /// A length of time; a number that stands for one counts seconds.
  public struct Stride: Hashable, Comparable, SignedNumeric, Sendable {
    /// The length as a duration.
    public var duration: Duration

    /// A length of time.
    public init(_ duration: Duration) {
      self.duration = duration
    }
  }
}

extension SchedulerTime.Stride: ExpressibleByFloatLiteral {
  /// A number of seconds.
  public init(integerLiteral seconds: Int) {
    self.init(.seconds(seconds))
  }

  /// A number of seconds.
  public init(floatLiteral seconds: Double) {
    self.init(.seconds(seconds))
  }

  /// A number of seconds, when they can be counted.
  public init?(exactly seconds: some BinaryInteger) {
    guard let seconds = Int64(exactly: seconds) else { return nil }
    self.init(.seconds(seconds))
  }

  /// A number of seconds.
  public static func seconds(_ seconds: Int) -> Self { Self(.seconds(seconds)) }

  /// A number of seconds.
  public static func seconds(_ seconds: Double) -> Self { Self(.seconds(seconds)) }

  /// A number of thousandths of a second.
  public static func milliseconds(_ milliseconds: Int) -> Self {
    Self(.milliseconds(milliseconds))
  }

  /// A number of millionths of a second.
  public static func microseconds(_ microseconds: Int) -> Self {
    Self(.microseconds(microseconds))
  }

  /// A number of billionths of a second.
  public static func nanoseconds(_ nanoseconds: Int) -> Self { Self(.nanoseconds(nanoseconds)) }

  /// The length without its sign.
  public var magnitude: Self { duration < .zero ? Self(.zero - duration) : self }

  /// Whether a length is shorter than another one.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.duration < rhs.duration }

  /// Two lengths together.
  public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.duration + rhs.duration) }

  /// A length without another one.
  public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.duration - rhs.duration) }

  /// A length as often as another one has seconds.
  public static func * (lhs: Self, rhs: Self) -> Self {
    let (seconds, attoseconds) = rhs.duration.components
    return Self(lhs.duration * (Double(seconds) + Double(attoseconds) * 1e-18))
  }

  /// Multiplies a length.
  public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
}
