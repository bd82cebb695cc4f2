import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Starts processes, several of them at once from different threads.
enum Spawn {
  private struct Pipe {
    let read: Int32
    let write: Int32
  }

  private struct Pipes {
    let input: Pipe
    let output: Pipe
    let errors: Pipe

    /// The ends that the new process uses.
    var theirs: [Int32] { [input.read, output.write, errors.write] }
  }

  /// Serializes starts, from the creation of the pipes on: a pipe that another process inherited
  /// would not end before that process.
  private static let lock = Mutex(())

  /// Starts a program with pipes for its three streams.
  ///
  /// - Returns: Its process id and this process's ends of the pipes.
  static func start(
    _ path: String,
    _ arguments: [String],
    environment: [String: String],
  ) throws -> (pid: pid_t, input: Int32, output: Int32, errors: Int32) {
    try lock.withLock { _ in
      let pipes = Pipes(input: try pipe(), output: try pipe(), errors: try pipe())
      let pid = try start(path, arguments, environment: environment, pipes: pipes)
      for descriptor in pipes.theirs { close(descriptor) }
      return (pid, pipes.input.write, pipes.output.read, pipes.errors.read)
    }
  }

  private static func pipe() throws -> Pipe {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
    let status = Glibc.pipe(&ends)
    #else
    let status = Darwin.pipe(&ends)
    #endif
    guard status == 0 else { throw failure("pipe", errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return Pipe(read: ends[0], write: ends[1])
  }

  private static func start(
    _ path: String,
    _ arguments: [String],
    environment: [String: String],
    pipes: Pipes,
  ) throws -> pid_t {
    #if os(Linux)
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #else
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (index, descriptor) in pipes.theirs.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(index))
    }
    // Threads of the tests block signals and ignore SIGPIPE; a program starts without either.
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF),
    )
    var pid: pid_t = 0
    let status = withStrings([path] + arguments) { arguments in
      withStrings(Self.environment(environment)) { environment in
        posix_spawn(&pid, path, &actions, &attributes, arguments, environment)
      }
    }
    guard status == 0 else { throw failure("starting \(path)", status) }
    return pid
  }

  /// Only the variables that a program needs, so that a user's settings affect no test.
  private static func environment(_ extra: [String: String]) -> [String] {
    var variables = extra
    for name in ["PATH", "LD_LIBRARY_PATH", "TMPDIR", "LANG"] where variables[name] == nil {
      variables[name] = getenv(name).map { String(cString: $0) }
    }
    return variables.map { "\($0)=\($1)" }
  }

  private static func withStrings<Result>(
    _ strings: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result,
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }

  private static func failure(_ what: String, _ code: Int32) -> ProcessFailure {
    ProcessFailure("\(what) failed: \(String(cString: strerror(code)))")
  }
}
