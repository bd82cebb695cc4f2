#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is written past the page cache: in whole pages, from memory with the alignment that
/// disks require.
///
/// A sync after cached writes searches for changed pages and waits for each, and filling room
/// through the cache takes as long as a dozen commits. Direct writes go to the disk at once.
/// Consecutive entries share a page, so the last page is kept in memory and written again with the
/// next entry.
struct LogPages: ~Copyable, @unchecked Sendable {
  /// The alignment of memory and offsets: no disk and no file system requires more.
  static let pageBytes = LogHeader.pageBytes

  private let descriptor: Int32
  private let path: String
  private var memory: UnsafeMutableRawBufferPointer
  /// The file offset of the bytes in memory; a multiple of a page.
  private var start = 0
  /// The number of bytes in memory before the last write, and including it.
  private var kept = 0
  private var end = 0

  /// Opens an existing file.
  ///
  /// - Returns: Nil if the file cannot be opened for direct writes, such as on a system or a file
  ///   system that does not support them.
  static func open(_ path: String) -> LogPages? {
    guard let flag = UncachedRead.flag else { return nil }
    let descriptor = systemOpen(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flag)
    return descriptor < 0 ? nil : LogPages(descriptor, path)
  }

  private init(_ descriptor: Int32, _ path: String) {
    self.descriptor = descriptor
    self.path = path
    memory = .allocate(byteCount: Self.pageBytes, alignment: Self.pageBytes)
  }

  deinit {
    memory.deallocate()
    close(descriptor)
  }

  /// Writes bytes after the last write, in its place, or at the beginning of a page.
  ///
  /// - Returns: False if the file system refuses direct writes; then this file must not be
  ///   used again.
  /// - Throws: ``JournalError``; then the caller may retry at the same offset.
  mutating func write(_ bytes: ArraySlice<UInt8>, at place: Int) throws(JournalError) -> Bool {
    if place == start + end {
      let full = end / Self.pageBytes * Self.pageBytes
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[full..<end]))
      (start, kept) = (start + full, end - full)
    } else if place != start + kept {
      precondition(place.isMultiple(of: Self.pageBytes), "\(place) is not after \(start + end)")
      (start, kept) = (place, 0)
    }
    end = kept + bytes.count
    reserve(end)
    bytes.withUnsafeBytes { memory[kept...].copyBytes(from: $0) }
    let padded = Self.padded(end)
    memory[end..<padded].initializeMemory(as: UInt8.self, repeating: 0)
    return try write(upTo: padded)
  }

  /// Fills whole pages with zeros, as the last pages of the file.
  ///
  /// - Returns: False if the file system refuses direct writes.
  mutating func fill(_ range: Range<Int>) throws(JournalError) -> Bool {
    (start, kept, end) = (range.lowerBound, 0, 0)
    reserve(range.count)
    let padded = Self.padded(range.count)
    memory[..<padded].initializeMemory(as: UInt8.self, repeating: 0)
    return try write(upTo: padded)
  }

  private static func padded(_ count: Int) -> Int {
    (count + pageBytes - 1) / pageBytes * pageBytes
  }

  private mutating func reserve(_ count: Int) {
    guard count > memory.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.padded(max(count, 2 * memory.count)),
      alignment: Self.pageBytes,
    )
    larger.copyMemory(from: UnsafeRawBufferPointer(memory))
    memory.deallocate()
    memory = larger
  }

  private func write(upTo end: Int) throws(JournalError) -> Bool {
    var written = 0
    while written < end {
      let rest = UnsafeRawBufferPointer(rebasing: memory[written..<end])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(start + written))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EINVAL { return false }
      guard count > 0 else { throw DurableFile.failure("write", path) }
      written += count
    }
    return true
  }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
