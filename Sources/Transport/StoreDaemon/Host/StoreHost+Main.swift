import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension StoreHost {
  /// Serves as ``run(onReady:)`` does, as the `main` of a program.
  ///
  /// ```swift
  /// @main
  /// struct Main {
  ///   @MainActor static func main() {
  ///     StoreHost(…) { App() }.main()
  ///   }
  /// }
  /// ```
  ///
  /// When clients can connect it prints the line `ready dir=… epoch=… revision=…` on standard
  /// output and flushes it, so that a program that starts the daemon can wait for the line. If the
  /// daemon cannot start, or cannot go on, it prints `NAME: REASON` on standard error, with
  /// ``HostConfiguration/name``, and exits with the ``HostError/Code/exitStatus`` of the error, on
  /// which a service manager can decide whether another start may help. It returns when the daemon
  /// was stopped.
  ///
  /// A reader that closes the daemon's output does not end the daemon: SIGPIPE is ignored.
  ///
  /// - Parameter onReady: Called when clients can connect, before the line is printed.
  public func main(onReady: (Ready) -> Void = { _ in }) {
    signal(SIGPIPE, SIG_IGN)
    attempt {
      try run { ready in
        onReady(ready)
        ready.announce()
      }
    }
  }

  /// Does something else in the `main` of a daemon's program, such as ``replay(from:through:)``.
  ///
  /// ```swift
  /// if CommandLine.arguments.contains("replay") {
  ///   return host.attempt { print(try host.replay()) }
  /// }
  /// ```
  ///
  /// If `body` throws, this prints the reason and exits, as ``main(onReady:)`` does. If the error
  /// is not a ``HostError``, the status is 1.
  public func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch let error as HostError {
      end(with: error)
    } catch {
      end(EXIT_FAILURE, "\(error)")
    }
  }

  /// Reports why the daemon has ended, and exits.
  func end(with error: HostError) -> Never { end(error.code.exitStatus, "\(error)") }

  private func end(_ status: Int32, _ reason: String) -> Never {
    // The program's own output must precede the reason.
    fflush(nil)
    ProgramName.report(reason, as: configuration.name)
    exit(status)
  }
}

extension StoreHost.Ready: CustomStringConvertible {
  /// The line that reports to other programs that clients can connect.
  public var description: String {
    "ready dir=\(directory) epoch=\(String(epoch, radix: 16)) revision=\(revision)"
  }

  /// Prints the line on standard output, unbuffered, so that it can be read at once, also through
  /// a pipe.
  package func announce() {
    // The program's own output must precede the line.
    fflush(nil)
    let line = Array("\(self)\n".utf8)
    // If the output is closed, no program waits for the line.
    _ = write(STDOUT_FILENO, line, line.count)
  }
}
