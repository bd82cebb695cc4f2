/// A time on the monotonic clock, which the transport reads; protocol machines never read a clock.
///
/// The clock is monotonic and counts suspension, so that a client that slept notices.
@usableFromInline
package struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since an arbitrary moment.
  @usableFromInline package var nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @usableFromInline package static let distantFuture = Instant(nanoseconds: .max)

  @inlinable package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }

  @inlinable package func advanced(by duration: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return overflow ? .distantFuture : Instant(nanoseconds: sum)
  }

  @inlinable package func duration(to other: Instant) -> Duration {
    .nanoseconds(other.nanoseconds - nanoseconds)
  }
}

/// A time on both clocks: the monotonic clock for leases, the wall clock for deadlines.
@usableFromInline
package struct Moment: Hashable, Sendable {
  @usableFromInline package var instant: Instant
  /// Milliseconds since 1970-01-01T00:00:00Z.
  @usableFromInline package var wallMilliseconds: UInt64

  @inlinable package init(instant: Instant, wallMilliseconds: UInt64) {
    self.instant = instant
    self.wallMilliseconds = wallMilliseconds
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded towards zero; saturating.
  @inlinable package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, sumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || sumOverflow ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration in milliseconds, rounded towards zero.
  @inlinable package var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}
