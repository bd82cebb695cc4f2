import StoreBytes

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory that one program has to itself, for as long as the lock lives.
///
/// The lock goes with the process, however that ends; the file stays, and names who had it last.
package final class DirectoryLock: Sendable {
  /// Why a directory could not be locked.
  package enum Failure: Error, Hashable, Sendable {
    /// The program with a pid has it.
    case held(pid: String)
    /// Something else than a file has the lock's name.
    case irregular
    /// The file could not be opened, or be written: what the system says.
    case unopened(String)
    case unwritten(String)
  }

  private let descriptor: Int32
  /// What the file says: the pid, which somebody in another container may have as well, a number
  /// that nobody else has, and the program's name.
  private let text: [UInt8]
  /// Whether another machine may write it.
  private let isShared: Bool

  /// Locks a directory, without waiting.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - program: The name of the program, which the file shows to others.
  /// - Throws: ``Failure``.
  package init(
    _ directory: String,
    program: String = ProgramName.current,
  ) throws(Failure) {
    let file = Self.file(in: directory)
    isShared = FileSystemKind.isShared(directory)
    // Opening a fifo would wait for its reader.
    descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      let failure = Failure.unopened(Self.systemMessage)
      throw DurableFile.isOtherThanFile(file) ? .irregular : failure
    }
    guard !DurableFile.isOtherThanFile(file) else {
      close(descriptor)
      throw .irregular
    }
    guard Self.take(descriptor) else {
      let pid = Self.pid(descriptor)
      close(descriptor)
      throw .held(pid: pid)
    }
    let token = String(UInt64.random(in: (1 << 60)...(.max)), radix: 16)
    let name = ProgramName.checked(program) ?? ProgramName.current
    text = Array("\(getpid()) \(token) \(name)\n".utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count
    else {
      // Everything is set, so the descriptor is closed by `deinit`.
      throw .unwritten(Self.systemMessage)
    }
  }

  deinit { close(descriptor) }

  /// Whether nobody else has taken it since, as far as that can be known now: some file systems
  /// give a lock to everybody.
  package var isOurs: Bool {
    guard isShared else { return Self.text(descriptor).map { $0 == text[...] } ?? true }
    let found = try? UncachedRead.bytes(of: descriptor, Self.name, atMost: LockText.limit)
    return found.map { $0 == text } ?? true
  }

  /// Locks a file, unless another program has it for longer than a look takes.
  private static func take(_ descriptor: Int32) -> Bool {
    for attempt in 0..<1_000 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      // Whoever only looks has a lock that is shared with others who look.
      guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return false }
      flock(descriptor, LOCK_UN)
      // On a busy machine somebody may have to wait for a core while looking.
      if attempt < 100 { sched_yield() } else { _ = poll(nil, 0, 1) }
    }
    return false
  }

  /// The pid of the program that has a directory; nil when none has.
  package static func holder(of directory: String) -> String? {
    // Opening a fifo would wait for its writer.
    let descriptor = open(file(in: directory), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    // Its lock goes with the descriptor.
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) == 0 ? nil : pid(descriptor)
  }

  /// The name of the program that has a directory, or had it last; nil if the lock has no name.
  package static func program(of directory: String) -> String? {
    let descriptor = open(file(in: directory), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return text(descriptor).flatMap { LockText($0) }?.program
  }

  /// The lock of a directory.
  package static func file(in directory: String) -> String { "\(directory)/\(name)" }

  /// What the lock is called.
  package static let name = "lock"

  /// The pid in a lock that somebody else holds.
  private static func pid(_ descriptor: Int32) -> String {
    text(descriptor).flatMap { LockText($0) }.map { "\($0.pid)" } ?? "unknown"
  }

  /// What a lock says; nil if it cannot be read.
  private static func text(_ descriptor: Int32) -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: LockText.limit)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    return count < 0 ? nil : buffer.prefix(count)
  }

  private static var systemMessage: String { String(cString: strerror(errno)) }
}
