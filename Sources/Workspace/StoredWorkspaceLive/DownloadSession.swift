import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The process's only URL session.
///
/// It is never invalidated: FoundationNetworking ends the process if a task answers in an
/// invalidated session.
final class DownloadSession: Sendable {
  static let shared = DownloadSession()

  private let session: URLSession
  private let delegate = DownloadDelegate()

  private init() {
    let configuration = URLSessionConfiguration.ephemeral
    // Requests share no cookies, cache or credentials.
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// Begins a request and passes its answer to the download.
  func start(_ request: URLRequest, for download: BoundedDownload) -> URLSessionTask {
    let task = session.dataTask(with: request)
    delegate.add(download, for: task)
    task.resume()
    return task
  }
}

/// Passes the events of each task to its download.
private final class DownloadDelegate: NSObject, URLSessionDataDelegate {
  private let downloads = Mutex<[Int: BoundedDownload]>([:])

  func add(_ download: BoundedDownload, for task: URLSessionTask) {
    downloads.withLock { $0[task.taskIdentifier] = download }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let download = downloads.withLock { $0[dataTask.taskIdentifier] }
    download?.receive(data, status: dataTask.status)
  }

  /// Refuses redirects to another origin: a service must not choose the source of a text that every
  /// user sees.
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
  /// The answer's HTTP status; 0 without an HTTP answer.
  fileprivate var status: Int { (response as? HTTPURLResponse)?.statusCode ?? 0 }
}

extension URL {
  /// The parts of the URL that identify the server.
  fileprivate var origin: [String?] {
    [scheme?.lowercased(), host()?.lowercased(), port.map { "\($0)" }]
  }
}
