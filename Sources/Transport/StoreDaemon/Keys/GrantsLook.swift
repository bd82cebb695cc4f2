import Dispatch
import Logging
import StoreHistory
import Synchronization

/// Checks the file of grants periodically for as long as it lives, and logs when a check does
/// not return.
@MainActor
final class GrantsLook {
  private let file: GrantsFile
  private let files: FileQueue
  private let onChange: @MainActor @Sendable (Result<Grants, GrantsFile.Problem>) -> Void
  private let checks: RepeatedLook<GrantsFile.Change>
  private let delays: RepeatedLook<Int64?>

  /// Starts checking.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - stamp: The file's stamp when it was read.
  ///   - files: The queue on which it is read, and changed by commands: so the last reading is
  ///     the newest.
  ///   - logger: The log for the operator.
  ///   - onChange: Called with the current grants, or the reason for which the file cannot be used.
  init(
    at file: GrantsFile,
    since stamp: GrantsFile.Stamp?,
    _ files: FileQueue,
    _ logger: Logger,
    onChange: @escaping @MainActor @Sendable (Result<Grants, GrantsFile.Problem>) -> Void,
  ) {
    self.file = file
    self.files = files
    self.onChange = onChange
    let changes = file.changes(since: stamp)
    checks = RepeatedLook(every: 0.5, on: files.queue) {
      files.perform(changes)
    } onFinding: {
      onChange($0.grants)
    }
    delays = RepeatedLook(every: 1, Self.delays(of: files)) { seconds in
      if let seconds {
        logger.error("\(Self.obstacle(file.path, seconds: seconds))")
      } else {
        logger.notice("The grants are checked again.")
      }
    }
  }

  /// Explains why a change of the grants has no effect.
  nonisolated static func obstacle(_ path: String, seconds: Int64) -> String {
    "A check of \(path) has taken \(seconds) seconds so far: the grants stay as they were. Check "
      + "the file system that it is on."
  }

  /// Returns a function that reports when work starts to take too long, and when that ends.
  private nonisolated static func delays(of files: FileQueue) -> @Sendable () -> Int64?? {
    let isDelayed = Mutex(false)
    return {
      let delay = files.delay
      let wasDelayed = isDelayed.withLock { known in
        defer { known = delay != nil }
        return known
      }
      return wasDelayed == (delay != nil) ? .none : .some(delay)
    }
  }

  /// Reads the file, changed or not.
  ///
  /// - Parameter body: Called afterwards, when the file's grants are in force.
  func readNow(then body: @escaping @MainActor @Sendable () -> Void) {
    files.run { [file, onChange] in
      let grants = Result { () throws(GrantsFile.Problem) in try file.read() }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          onChange(grants)
          body()
        }
      }
    }
  }
}
