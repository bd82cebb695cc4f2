extension AsyncStream {
  /// Creates a stream of another sequence's elements, which ends when that ends or fails.
  ///
  /// It has no buffer: it requests an element only when its own consumer requests one.
  public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
    let source = PulledSequence(sequence)
    self.init { try? await source.next() }
  }

  /// A stream without elements that ends only when its task is cancelled.
  public static var never: AsyncStream { AsyncStream { _ in } }

  /// A stream that has ended.
  public static var finished: AsyncStream { AsyncStream { $0.finish() } }
}

extension AsyncThrowingStream where Failure == any Error {
  /// Creates a stream of another sequence's elements, which ends or fails when that does.
  ///
  /// It has no buffer: it requests an element only when its own consumer requests one.
  public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
    let source = PulledSequence(sequence)
    self.init { try await source.next() }
  }

  /// A stream without elements that ends only when its task is cancelled.
  public static var never: AsyncThrowingStream { AsyncThrowingStream { _ in } }

  /// Returns a stream that has ended, or that fails at once.
  public static func finished(throwing error: Failure? = nil) -> AsyncThrowingStream {
    AsyncThrowingStream { $0.finish(throwing: error) }
  }
}

extension AsyncSequence where Self: Sendable {
  /// Returns this sequence as a stream, which ends when this one ends or fails.
  public func eraseToStream() -> AsyncStream<Element> {
    AsyncStream(self)
  }

  /// Returns this sequence as a stream, which ends or fails when this one does.
  public func eraseToThrowingStream() -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream(self)
  }
}

/// A sequence whose iteration begins with the first requested element.
// Sendable: an unfolding stream requests one element at a time, and is the only user.
private final class PulledSequence<S: AsyncSequence & Sendable>: @unchecked Sendable {
  private let sequence: S
  private var iterator: S.AsyncIterator?

  init(_ sequence: S) {
    self.sequence = sequence
  }

  func next() async throws -> S.Element? {
    var current = iterator ?? sequence.makeAsyncIterator()
    let element = try await current.next()
    iterator = current
    return element
  }
}
