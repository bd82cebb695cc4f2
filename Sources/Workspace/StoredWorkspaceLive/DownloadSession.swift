import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The process's one URL session, which is never invalidated: FoundationNetworking ends the process
/// when a task still answers in a session that was.
final class DownloadSession: Sendable {
  static let shared = DownloadSession()

  private let session: URLSession
  private let delegate = DownloadDelegate()

  private init() {
    let configuration = URLSessionConfiguration.ephemeral
    // No request leaves anything behind for the next one.
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// Begins a request, whose answer the download is told.
  func start(_ request: URLRequest, for download: BoundedDownload) -> URLSessionTask {
    let task = session.dataTask(with: request)
    delegate.add(download, for: task)
    task.resume()
    return task
  }
}

/// Tells each download of its task.
private final class DownloadDelegate: NSObject, URLSessionDataDelegate {
  private let downloads = Mutex<[Int: BoundedDownload]>([:])

  func add(_ download: BoundedDownload, for task: URLSessionTask) {
    downloads.withLock { $0[task.taskIdentifier] = download }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let download = downloads.withLock { $0[dataTask.taskIdentifier] }
    download?.receive(data, status: dataTask.status)
  }

  /// What is asked for is shown to everyone, so nobody else is asked on a service's word.
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void,
  ) {
    let isSame = request.url?.origin == task.originalRequest?.url?.origin
    completionHandler(isSame ? request : nil)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?,
  ) {
    let download = downloads.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    download?.complete(status: task.status, error: error)
  }
}

extension URLSessionTask {
  /// The answer's status; 0 when it was none of HTTP.
  fileprivate var status: Int { (response as? HTTPURLResponse)?.statusCode ?? 0 }
}

extension URL {
  /// The parts that say whom a request asks.
  fileprivate var origin: [String?] {
    [scheme?.lowercased(), host()?.lowercased(), port.map { "\($0)" }]
  }
}
