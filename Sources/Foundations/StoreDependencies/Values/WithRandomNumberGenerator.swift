import Foundation

extension DependencyValues {
  /// Lends the source of random numbers to a feature.
  ///
  /// ```swift
  /// @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
  /// let secret = withRandomNumberGenerator { Int.random(in: 1...100, using: &$0) }
  /// ```
  public var withRandomNumberGenerator: WithRandomNumberGenerator {
    get { self[WithRandomNumberGeneratorKey.self] }
    set { self[WithRandomNumberGeneratorKey.self] = newValue }
  }

  private enum WithRandomNumberGeneratorKey: DependencyKey {
    static let liveValue = WithRandomNumberGenerator()
    static let testValue = WithRandomNumberGenerator(UnimplementedGenerator())
  }

  private struct UnimplementedGenerator: RandomNumberGenerator {
    var generator = SystemRandomNumberGenerator()

    mutating func next() -> UInt64 {
      reportUnimplemented(
        "withRandomNumberGenerator",
        example: "WithRandomNumberGenerator(seeded)",
      )
      return generator.next()
    }
  }
}

/// A source of random numbers, lent to one user at a time.
///
/// Sendable because `generator` was Sendable when it was passed in, and is accessed only while
/// `lock` is held.
public final class WithRandomNumberGenerator: ReducerInput, @unchecked Sendable {
  private let lock = NSLock()
  private var generator: any RandomNumberGenerator
  package let isGivenAgain: Bool

  /// Lends the system's numbers, or the recorded ones of a reducer.
  init() {
    generator = ReducerNumbers()
    isGivenAgain = true
  }

  /// Lends the numbers of a generator, such as a seeded one.
  public init(_ generator: some RandomNumberGenerator & Sendable) {
    self.generator = generator
    isGivenAgain = false
  }

  /// Runs a function with the generator.
  public func callAsFunction<R>(
    _ work: (inout any RandomNumberGenerator) throws -> R
  ) rethrows -> R {
    try lock.withLock { try work(&generator) }
  }
}
