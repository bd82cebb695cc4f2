import StoreActor

/// Sends values to any number of streams.
///
/// The streams end when the broadcast is deinitialized.
@MainActor
package final class Broadcast<Value> {
  private var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
  private var nextKey = 0

  package nonisolated init() {}

  deinit {
    for continuation in continuations.values { continuation.finish() }
  }

  package func send(_ value: Value) {
    for key in continuations.keys.sorted() {
      // A value passes from the main actor to the reader of a stream. Values that are classes
      // without isolation should be read on the main actor, like all of a container.
      nonisolated(unsafe) let value = value
      continuations[key]?.yield(value)
    }
  }

  package func stream(
    _ policy: AsyncStream<Value>.Continuation.BufferingPolicy,
    beginningWith first: Value? = nil,
  ) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
    nextKey += 1
    let key = nextKey
    continuations[key] = continuation
    if let first {
      // As in `send`.
      nonisolated(unsafe) let first = first
      continuation.yield(first)
    }
    continuation.onTermination = { [weak self] _ in
      onMainActor { self?.continuations[key] = nil }
    }
    return stream
  }
}
