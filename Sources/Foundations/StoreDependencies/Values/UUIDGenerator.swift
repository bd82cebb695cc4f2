public import Foundation
import StoreConcurrency

extension DependencyValues {
  /// The source of new identifiers.
  ///
  /// In a test: `$0.uuid = .incrementing` gives `UUID(0)`, `UUID(1)` and so on.
  public var uuid: UUIDGenerator {
    get { self[UUIDGeneratorKey.self] }
    set { self[UUIDGeneratorKey.self] = newValue }
  }

  private enum UUIDGeneratorKey: DependencyKey {
    static let liveValue = UUIDGenerator.live
    static let testValue = UUIDGenerator {
      reportUnimplemented("uuid", example: ".incrementing")
      return UUID()
    }
  }
}

/// A source of UUIDs.
public struct UUIDGenerator: ReducerInput, Sendable {
  private let generate: @Sendable () -> UUID
  package private(set) var isGivenAgain = false

  /// Random UUIDs, or the recorded ones of a reducer.
  static var live: UUIDGenerator {
    var generator = UUIDGenerator { ReducerInputs.uuid() }
    generator.isGivenAgain = true
    return generator
  }

  /// Creates a source that calls a function for each UUID.
  public init(_ generate: @escaping @Sendable () -> UUID) {
    self.generate = generate
  }

  /// Returns a source of one constant UUID.
  public static func constant(_ uuid: UUID) -> UUIDGenerator {
    UUIDGenerator { uuid }
  }

  /// A new source of `UUID(0)`, `UUID(1)` and so on.
  public static var incrementing: UUIDGenerator {
    let next = LockIsolated(0)
    return UUIDGenerator {
      next.withValue { value in
        defer { value += 1 }
        return UUID(value)
      }
    }
  }

  /// Returns a new UUID.
  public func callAsFunction() -> UUID {
    generate()
  }
}

extension UUID {
  /// Creates a UUID with a number in its last digits: `UUID(1)` ends in `…-000000000001`.
  ///
  /// A negative number has a 1 in the third group before its magnitude: `UUID(-1)` is
  /// `00000000-0000-0001-0000-000000000001`.
  public init(_ number: Int) {
    let low = UInt64(number.magnitude)
    let byte = { (index: UInt64) in UInt8(truncatingIfNeeded: low >> (8 * (7 - index))) }
    self.init(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, number < 0 ? 1 : 0,
        byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7),
      )
    )
  }
}
