import Dispatch

/// Looks every second whether a daemon's lock and sockets are still there.
///
/// What tidies up temporary files may take them, and then nobody finds the daemon, while a second
/// one can start beside it.
@MainActor
final class DirectoryWatch {
  private let timer: any DispatchSourceTimer

  /// Watches directories, in which everything is there now.
  ///
  /// - Parameters:
  ///   - directories: The directories.
  ///   - onLoss: Is called with the path of what is gone; a second time if it goes on.
  init(_ directories: [StoreDirectory], onLoss: @escaping @MainActor (String) -> Void) {
    for directory in directories { directory.remember() }
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
    timer.setEventHandler(handler: Self.look(at: directories, onLoss))
    timer.resume()
  }

  isolated deinit { timer.cancel() }

  /// Not the main actor's: a disk may be slow.
  private nonisolated static func look(
    at directories: [StoreDirectory],
    _ onLoss: @escaping @MainActor (String) -> Void,
  ) -> @Sendable () -> Void {
    {
      for directory in directories {
        guard let lost = directory.lostFile() else { continue }
        return DispatchQueue.main.async {
          MainActor.assumeIsolated { onLoss("\(directory.path)/\(lost)") }
        }
      }
    }
  }
}
