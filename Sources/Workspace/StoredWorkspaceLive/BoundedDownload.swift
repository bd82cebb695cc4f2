import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request, which reads its answer only up to a limit.
///
/// Isolation: several threads use `state`, namely the session's queue and the thread that cancels.
/// A mutex guards it; everything else is constant.
final class BoundedDownload: Sendable {
  struct Answer: Sendable {
    let status: Int
    /// Nil if it was longer than the limit; empty unless the status is 200.
    let body: Data?
  }

  private enum State {
    case new
    /// The task is set as soon as it runs.
    case running(CheckedContinuation<Answer, any Error>, URLSessionTask?, Data)
    case finished
  }

  private let limit: Int
  private let state = Mutex<State>(.new)

  init(limit: Int) {
    self.limit = limit
  }

  /// Performs the request; must be called only once.
  ///
  /// - Throws: A `URLError`, or `CancellationError` as soon as the task is canceled.
  func run(_ request: URLRequest) async throws -> Answer {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { start(request, $0) }
    } onCancel: {
      finish(.failure(CancellationError()))
    }
  }

  private func start(_ request: URLRequest, _ continuation: CheckedContinuation<Answer, any Error>)
  {
    let isCancelled = state.withLock { state in
      guard case .new = state else { return true }
      state = .running(continuation, nil, Data())
      return false
    }
    // The session would keep a task that is never resumed, so a canceled request makes no task.
    guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
    let task = DownloadSession.shared.start(request, for: self)
    let isFinished = state.withLock { state in
      guard case .running(let continuation, _, let body) = state else { return true }
      state = .running(continuation, task, body)
      return false
    }
    if isFinished { task.cancel() }
  }

  /// Ends the request; only the first call has an effect.
  private func finish(_ result: Result<Answer, any Error>) {
    let state = state.withLock { state in
      defer { state = .finished }
      return state
    }
    guard case .running(let continuation, let task, _) = state else { return }
    // Canceling a finished task has no effect.
    task?.cancel()
    continuation.resume(with: result)
  }
}

extension BoundedDownload {
  /// Appends a part of the answer.
  func receive(_ data: Data, status: Int) {
    guard status == 200 else { return finish(.success(Answer(status: status, body: Data()))) }
    let isTooLong = state.withLock { state in
      guard case .running(let continuation, let task, var body) = state else { return false }
      state = .finished
      body.append(data)
      state = .running(continuation, task, body)
      return body.count > limit
    }
    if isTooLong { finish(.success(Answer(status: status, body: nil))) }
  }

  /// Ends the request after the answer's end or an error.
  func complete(status: Int, error: (any Error)?) {
    if let error { return finish(.failure(error)) }
    let body = state.withLock { state in
      if case .running(_, _, let body) = state { body } else { Data() }
    }
    finish(.success(Answer(status: status, body: body)))
  }
}
