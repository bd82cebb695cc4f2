#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What a program does about standard input, output and error, and SIGQUIT, before anything else.
enum StandardFiles {
  private static let inputOutput: Int32 = 74

  /// Refuses to run without an output, lets no other file have the number of one that is closed,
  /// and sees to it that what could not be written ends the program with a status that says so.
  static func prepare() {
    // The runtime's handler, which writes a backtrace, does not end what goes on.
    signal(SIGQUIT, SIG_DFL)
    let isClosed = (0...2).map { fcntl($0, F_GETFD) == -1 && errno == EBADF }
    for descriptor in 0...2 where isClosed[Int(descriptor)] {
      // The lowest number that is free is taken. Nothing can be read from the input's.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDWR)
    }
    if isClosed[1] {
      tell("Standard output is closed. Open it, or give /dev/null.")
      exit(inputOutput)
    }
    atexit { StandardFiles.finish() }
  }

  /// Ends with a failure where what was printed did not get out; that nobody reads it is none.
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
