/// The single answer of a key to a request.
///
/// A key that releases it without an answer is reported, and the caller continues. A second answer
/// is reported too and has no effect.
final class KeyAnswer<Value>: Sendable {
  /// Called once; with nil if the key gives no answer.
  typealias Finish = @Sendable (Result<Value, any Error>?) -> Void

  private let finish: LockIsolated<Finish?>
  private let key: @Sendable () -> String
  private let method: String

  init(to method: String, of key: @escaping @Sendable () -> String, _ finish: @escaping Finish) {
    self.finish = LockIsolated(finish)
    self.key = key
    self.method = method
  }

  deinit {
    guard let finish = takeFinish() else { return }
    reportIssue(
      """
      \(name) let go of its continuation of "\(method)" without resuming it. Callers that wait go \
      on, as if the key had nothing to say.

      To fix, resume the continuation once on each path of "\(method)".
      """
    )
    finish(nil)
  }

  func resume(with result: Result<Value, any Error>) {
    if let finish = takeFinish() { return finish(result) }
    reportIssue(
      """
      \(name) resumed its continuation of "\(method)" more than once; only the first time counts.

      To fix, resume the continuation once on each path of "\(method)".
      """
    )
  }

  private var name: String {
    let key = key()
    return key.isEmpty ? "A shared key" : "The shared key \"\(key)\""
  }

  private func takeFinish() -> Finish? {
    finish.withValue { finish in
      defer { finish = nil }
      return finish
    }
  }
}
