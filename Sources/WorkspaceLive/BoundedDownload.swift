import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request whose answer is taken up to a limit, and not a byte further.
///
/// `state` is what several threads touch: the session's queue and whoever cancels. It is guarded by
/// its mutex; everything else is constant.
final class BoundedDownload: NSObject {
  struct Answer: Sendable {
    let status: Int
    /// Nil when it was longer than the limit; empty unless the status is 200.
    let body: Data?
  }

  private enum State {
    case new
    case running(CheckedContinuation<Answer, any Error>, Data)
    case finished
  }

  private let limit: Int
  private let state = Mutex<State>(.new)

  init(limit: Int) {
    self.limit = limit
  }

  /// Performs the request, once.
  ///
  /// - Throws: A `URLError`, or `CancellationError` as soon as the task is cancelled.
  func run(_ request: URLRequest) async throws -> Answer {
    let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          guard case .new = state else { return true }
          state = .running(continuation, Data())
          return false
        }
        guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
        session.dataTask(with: request).resume()
      }
    } onCancel: {
      finish(.failure(CancellationError()))
    }
  }

  /// Ends the request; only the first call counts.
  private func finish(_ result: Result<Answer, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<Answer, any Error>? in
      defer { state = .finished }
      guard case .running(let continuation, _) = state else { return nil }
      return continuation
    }
    continuation?.resume(with: result)
  }
}

extension BoundedDownload: URLSessionDataDelegate {
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let status = dataTask.status
    guard status == 200 else { return finish(.success(Answer(status: status, body: Data()))) }
    let isTooLong = state.withLock { state in
      guard case .running(let continuation, var body) = state else { return false }
      state = .finished
      body.append(data)
      state = .running(continuation, body)
      return body.count > limit
    }
    if isTooLong { finish(.success(Answer(status: status, body: nil))) }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?,
  ) {
    if let error { return finish(.failure(error)) }
    let body = state.withLock { state in
      if case .running(_, let body) = state { body } else { Data() }
    }
    finish(.success(Answer(status: task.status, body: body)))
  }
}

extension URLSessionTask {
  /// The answer's status; 0 when it was none of HTTP.
  fileprivate var status: Int { (response as? HTTPURLResponse)?.statusCode ?? 0 }
}
