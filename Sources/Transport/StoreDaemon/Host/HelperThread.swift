#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread of the operating system, which its owner joins.
struct HelperThread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  #if canImport(Darwin)
  // A pointer that is neither dereferenced nor changed.
  nonisolated(unsafe) private let thread: pthread_t
  #else
  private let thread: pthread_t
  #endif

  /// Starts a thread; nil if the system has no more.
  static func start(_ run: @escaping @Sendable () -> Void) -> HelperThread? {
    let body = Unmanaged.passRetained(Body(run))
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let status = pthread_create(&thread, nil, { runHelper($0) }, body.toOpaque())
    guard status == 0 else {
      body.release()
      return nil
    }
    #if canImport(Darwin)
    return thread.map { HelperThread(thread: $0) }
    #else
    return HelperThread(thread: thread)
    #endif
  }

  /// Waits until the thread has ended; to be called once.
  func join() { pthread_join(thread, nil) }

  fileprivate static func run(_ body: UnsafeMutableRawPointer) {
    Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
  }
}

// The systems differ in whether the argument is optional.
private func runHelper(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let body { HelperThread.run(body) }
  return nil
}
