import Synchronization

/// How many drawings have led to one another, each by a change that the one before it has made.
///
/// Such a chain is short, unless views change something in each drawing. What a task changes that a
/// drawing has started is no part of a chain: a task may wait for something.
final class DrawingChain: Sendable {
  @TaskLocal private static var current: DrawingChain?

  private let length: Int
  private let hasEnded = Mutex(false)

  private init(length: Int) { self.length = length }

  /// The drawings up to the one that makes a change now; 0 where no drawing does.
  static var length: Int {
    guard let current, !current.hasEnded.withLock({ $0 }) else { return 0 }
    return current.length
  }

  /// Runs a part of a drawing.
  ///
  /// - Parameters:
  ///   - length: The drawings up to this one.
  ///   - body: The part.
  /// - Returns: What the part returns.
  @MainActor
  static func draw<Result>(_ length: Int, _ body: () -> Result) -> Result {
    let chain = DrawingChain(length: length)
    defer { chain.hasEnded.withLock { $0 = true } }
    return $current.withValue(chain, operation: body)
  }
}
