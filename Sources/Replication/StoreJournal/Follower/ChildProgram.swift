#if canImport(Glibc)
// Import without concurrency checks: `environ` is not changed after the process's start.
@preconcurrency import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program that this one has started, with pipes to its input and from its output.
package struct ChildProgram {
  package let pid: Int32
  /// The end of its standard input; the program ends its input when this is closed.
  package let input: Int32
  /// The end of its standard output.
  package let output: Int32

  /// The number of the system's error.
  package struct Failure: Error {
    package let code: Int32

    package var reason: String { String(cString: strerror(code)) }
  }

  /// Starts a program.
  ///
  /// - Parameter words: Its name, which is searched in `PATH`, and its arguments.
  /// - Throws: ``Failure``.
  package init(_ words: [String]) throws(Failure) {
    var (stdin, stdout): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&stdin) == 0 else { throw Failure(code: errno) }
    guard pipe(&stdout) == 0 else {
      let failure = Failure(code: errno)
      for descriptor in stdin { close(descriptor) }
      throw failure
    }
    for descriptor in stdin + stdout { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer {
      close(stdin[0])
      close(stdout[1])
    }
    do throws(Failure) {
      pid = try Self.spawn(words[0], words, moving: [(stdin[0], 0), (stdout[1], 1)])
    } catch {
      close(stdin[1])
      close(stdout[0])
      throw error
    }
    (input, output) = (stdin[1], stdout[0])
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: Its path, or its name, which is searched in `PATH`.
  ///   - words: Its arguments, the first of which is its name.
  ///   - variables: Its environment; nil for that of this process.
  ///   - descriptors: Descriptors of this process, and their numbers in the program. It has no
  ///     others except the standard ones.
  /// - Returns: Its pid.
  /// - Throws: ``Failure``.
  package static func spawn(
    _ program: String,
    _ words: [String],
    _ variables: [String]? = nil,
    moving descriptors: [(from: Int32, to: Int32)],
  ) throws(Failure) -> Int32 {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (from, to) in descriptors { posix_spawn_file_actions_adddup2(&actions, from, to) }
    #if canImport(Darwin)
    var attributes: posix_spawnattr_t?
    #else
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process ignores it; pipes of a shell rely on it.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let (pointers, values) = (words.map { strdup($0) }, (variables ?? []).map { strdup($0) })
    defer { for pointer in pointers + values { free(pointer) } }
    var child: pid_t = 0
    let status =
      variables == nil
      ? posix_spawnp(&child, program, &actions, &attributes, pointers + [nil], environ)
      : posix_spawnp(&child, program, &actions, &attributes, pointers + [nil], values + [nil])
    guard status == 0 else { throw Failure(code: status) }
    return child
  }

  /// Writes its input, reads its output, and waits for its end.
  ///
  /// This process must ignore SIGPIPE: the program may end before it has read its input.
  /// The program must read its input before it writes much: its output waits meanwhile.
  ///
  /// - Parameters:
  ///   - bytes: The input.
  ///   - most: The number of bytes of the output to keep.
  /// - Returns: The exit status, 128 and more after a signal; and the output.
  package func run(_ bytes: ArraySlice<UInt8>, atMost most: Int) -> (Int32, [UInt8]) {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let count = bytes[start...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A program that ended early reports the reason by its status.
      guard count > 0 else { break }
      start += count
    }
    close(input)
    var (found, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
    while true {
      let count = read(output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      found += buffer.prefix(min(count, most - found.count))
    }
    close(output)
    return (wait(), found)
  }

  /// Waits for its end.
  ///
  /// - Returns: The exit status, 128 and more after a signal.
  @discardableResult
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
