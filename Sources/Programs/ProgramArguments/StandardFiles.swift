#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Prepares standard input, output and error, and SIGQUIT, before the program runs.
enum StandardFiles {
  private static let inputOutput: Int32 = 74

  /// Refuses to run without standard output, prevents other files from taking the number of a
  /// closed stream, and ends the program with a failure status if its output cannot be written.
  static func prepare() {
    // The Swift runtime's handler writes a backtrace, but does not end the program.
    signal(SIGQUIT, SIG_DFL)
    let isClosed = (0...2).map { fcntl($0, F_GETFD) == -1 && errno == EBADF }
    for descriptor in 0...2 where isClosed[Int(descriptor)] {
      // The system takes the lowest free number. Reads fail: standard input is only writable.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDWR)
    }
    if isClosed[1] {
      tell("Standard output is closed. Open it, or give /dev/null.")
      exit(inputOutput)
    }
    atexit { StandardFiles.finish() }
  }

  /// Exits with a failure if output could not be written; a pipe without a reader is no failure.
  private static func finish() {
    guard fflush(nil) != 0, errno != EPIPE else { return }
    tell("Standard output could not be written: \(String(cString: strerror(errno))).")
    _exit(inputOutput)
  }

  private static func tell(_ text: String) {
    let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "program"
    let line = Array("\(name): \(text)\n".utf8)
    _ = write(2, line, line.count)
  }
}
