import StoreBytes

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Exclusive use of a directory by one program, for the lifetime of the lock.
///
/// The system releases the lock when the process ends, for any reason. The file remains and names
/// the last holder.
package final class DirectoryLock: Sendable {
  /// The reason for which a directory could not be locked.
  package enum Failure: Error, Hashable, Sendable {
    /// The program with this pid holds the lock.
    case held(pid: String)
    /// The lock's path leads to something that is not a file.
    case irregular
    /// The file could not be opened, or not be written: the system's error number.
    case unopened(Int32)
    case unwritten(Int32)
    /// The file system could not lock the file: the system's error number.
    case unlocked(Int32)
  }

  private let descriptor: Int32
  /// The file's contents: the pid, which may be equal in another container; a unique random number;
  /// and the program's name.
  private let text: [UInt8]
  /// Whether another machine may write the file.
  private let isShared: Bool

  /// Locks a directory, without waiting.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - program: The name of the program, which the file shows to other programs.
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
      let failure = Failure.unopened(errno)
      throw DurableFile.isOtherThanFile(file) ? .irregular : failure
    }
    guard !DurableFile.isOtherThanFile(file) else {
      close(descriptor)
      throw .irregular
    }
    if let code = Self.failureToTake(descriptor) {
      let pid = Self.pid(descriptor)
      close(descriptor)
      throw code == EWOULDBLOCK ? .held(pid: pid) : .unlocked(code)
    }
    let token = String(UInt64.random(in: (1 << 60)...(.max)), radix: 16)
    let name = ProgramName.checked(program) ?? ProgramName.current
    text = Array("\(getpid()) \(token) \(name)\n".utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count
    else {
      // Everything is set, so the descriptor is closed by `deinit`.
      throw .unwritten(errno)
    }
  }

  deinit { close(descriptor) }

  /// Whether the file still names this holder, as far as the system reports: some file systems
  /// grant one lock to several programs.
  package var isOurs: Bool {
    guard isShared else { return Self.text(descriptor).map { $0 == text[...] } ?? true }
    let found = try? UncachedRead.bytes(of: descriptor, Self.name, atMost: LockText.limit)
    return found.map { $0 == text } ?? true
  }

  /// Locks a file, unless another program holds it longer than a probe takes.
  ///
  /// - Returns: Nil if it is locked; otherwise the system's error number, `EWOULDBLOCK` if another
  ///   program holds it.
  private static func failureToTake(_ descriptor: Int32) -> Int32? {
    for attempt in 0..<1_000 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return nil }
      guard [EWOULDBLOCK, EINTR].contains(errno) else { return errno }
      // A probe holds a shared lock, which other probes may share.
      if flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
        flock(descriptor, LOCK_UN)
      } else if errno != EINTR {
        return errno
      }
      // On a busy machine a probing program may wait for a core.
      if attempt < 100 { sched_yield() } else { _ = poll(nil, 0, 1) }
    }
    return EWOULDBLOCK
  }

  /// Returns the pid of the program that holds a directory's lock; nil if the lock is free, or if
  /// the file system has no locks.
  package static func holder(of directory: String) -> String? {
    // Opening a fifo would wait for its writer.
    let descriptor = open(file(in: directory), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    // Closing the descriptor releases its lock.
    defer { close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    return errno == EWOULDBLOCK ? pid(descriptor) : nil
  }

  /// Returns the name of the current or last holder; nil if the lock has no name.
  package static func program(of directory: String) -> String? {
    let descriptor = open(file(in: directory), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return text(descriptor).flatMap { LockText($0) }?.program
  }

  /// The contents of a directory's lock, which each holder replaces; empty if it cannot be read.
  package static func contents(of directory: String) -> [UInt8] {
    let descriptor = open(file(in: directory), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return Array(text(descriptor) ?? [])
  }

  /// Returns the path of a directory's lock.
  package static func file(in directory: String) -> String { "\(directory)/\(name)" }

  /// The file name of the lock.
  package static let name = "lock"

  /// Returns the pid in a lock that another program holds.
  private static func pid(_ descriptor: Int32) -> String {
    text(descriptor).flatMap { LockText($0) }.map { "\($0.pid)" } ?? "unknown"
  }

  /// Returns the contents of a lock; nil if it cannot be read.
  private static func text(_ descriptor: Int32) -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: LockText.limit)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    return count < 0 ? nil : buffer.prefix(count)
  }
}
