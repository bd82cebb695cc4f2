package import StoreHistory
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of a daemon's ``CrashNotes``, in the directory of its sockets.
package enum CrashFile {
  package static let name = "crashes"

  /// Why a daemon cannot have the file.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Maps the file into memory, and creates it if there is none.
  ///
  /// - Parameters:
  ///   - directory: A directory to which only this user can write.
  ///   - wallMilliseconds: The time, in milliseconds since 1970.
  /// - Returns: The notes, which unmap the file when they are released.
  /// - Throws: ``Failure``.
  @MainActor
  package static func notes(
    in directory: String,
    at wallMilliseconds: UInt64,
  ) throws(Failure) -> CrashNotes {
    guard FileSystemKind.writesInPlace(directory) else {
      throw Failure(description: "the file system may have no room for a change in place")
    }
    let path = "\(directory)/\(name)"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure("open") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure("fstat") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(description: "\(path) is no file")
    }
    // Written once, so that each block has room of its own on the disk: a change of mapped memory
    // cannot report that the disk is full.
    var bytes = [UInt8](repeating: 0, count: CrashNotes.bytes)
    guard pread(file, &bytes, bytes.count, 0) >= 0,
      pwrite(file, bytes, bytes.count, 0) == bytes.count,
      ftruncate(file, off_t(CrashNotes.bytes)) == 0
    else { throw failure("write") }
    let memory = mmap(nil, CrashNotes.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let memory, memory != MAP_FAILED else { throw failure("mmap") }
    // Only the notes use it, and release it last.
    nonisolated(unsafe) let mapped = memory
    // Where the boot is not known, an old note is better than none.
    let boot = JournalDirectory.bootID ?? ""
    return CrashNotes(memory, boot: boot, at: wallMilliseconds) {
      munmap(mapped, CrashNotes.bytes)
    }
  }

  /// Makes a daemon forget its crashes, whether it runs or not.
  ///
  /// - Parameter directory: The daemon's directory.
  /// - Returns: The forgotten crashes, oldest first.
  /// - Throws: ``Failure``.
  @MainActor
  package static func forgive(in directory: String) throws(Failure) -> [Crash] {
    let file = open("\(directory)/\(name)", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw failure("open") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: CrashNotes.bytes)
    let count = pread(file, &bytes, bytes.count, 0)
    guard count >= 0 else { throw failure("read") }
    guard let crashes = CrashNotes.crashes(inFile: Array(bytes.prefix(count))) else {
      throw Failure(description: "\(directory)/\(name) has no notes")
    }
    // A running daemon has mapped the file, and sees the change at once.
    let none = [UInt8](repeating: 0, count: MemoryLayout<UInt64>.size)
    guard pwrite(file, none, none.count, off_t(CrashNotes.countOffset)) == none.count else {
      throw failure("write")
    }
    return crashes
  }

  private static func failure(_ operation: String) -> Failure {
    Failure(description: "\(operation): \(String(cString: strerror(errno)))")
  }
}
