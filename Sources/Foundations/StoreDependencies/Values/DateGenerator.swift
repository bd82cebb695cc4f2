public import Foundation

extension DependencyValues {
  /// The source of the current date.
  ///
  /// In a test: `$0.date.now = Date(timeIntervalSince1970: 0)` or `$0.date = .constant(…)`.
  public var date: DateGenerator {
    get { self[DateGeneratorKey.self] }
    set { self[DateGeneratorKey.self] = newValue }
  }

  private enum DateGeneratorKey: DependencyKey {
    static let liveValue = DateGenerator.live
    static let testValue = DateGenerator {
      reportUnimplemented("date", example: ".constant(Date(timeIntervalSince1970: 0))")
      return Date()
    }
  }
}

/// A source of dates.
public struct DateGenerator: ReducerInput, Sendable {
  private var generate: @Sendable () -> Date
  package private(set) var isGivenAgain = false

  /// The current date, or the recorded date of a reducer.
  static var live: DateGenerator {
    var generator = DateGenerator { ReducerInputs.date() }
    generator.isGivenAgain = true
    return generator
  }

  /// Creates a source that calls a function for each date.
  public init(_ generate: @escaping @Sendable () -> Date) {
    self.generate = generate
  }

  /// Returns a source of one constant date.
  public static func constant(_ now: Date) -> DateGenerator {
    DateGenerator { now }
  }

  /// The current date; setting it makes this a source of that date.
  public var now: Date {
    get { generate() }
    set { self = .constant(newValue) }
  }

  /// Returns the current date.
  public func callAsFunction() -> Date {
    generate()
  }
}
