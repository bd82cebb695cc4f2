#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The verified beginning of a segment: its header, and its consecutive entries.
struct SegmentPart: Hashable {
  /// The number of its bytes.
  var place: Int
  /// The newest revision, and the checksum of its entry; those of the header without an entry.
  var last: UInt64
  var sum: UInt64
  /// The time of the last entry's first record, in milliseconds since 1970.
  var wallMilliseconds: UInt64
  /// Whether an entry follows that is not whole or not consecutive.
  var isDamaged = false
  /// Whether other bytes than zeros follow that are no entry.
  var isTorn = false

  /// Reads the beginning.
  ///
  /// - Parameters:
  ///   - loaded: The segment.
  ///   - next: The first revision of the next segment: entries from there on are void. Nil for the
  ///     newest segment.
  ///   - most: The number of bytes at which to end.
  /// - Throws: ``JournalError`` if a search is cancelled.
  init(
    of loaded: LoadedSegment,
    before next: UInt64?,
    atMost most: Int = .max,
  ) throws(JournalError) {
    (place, last, sum) = (loaded.header.bytes, loaded.header.first - 1, loaded.header.before)
    var cursor = LogCursor(loaded)
    var records: Int?
    reading: while place < most {
      switch try cursor.next(after: 0) {
      case .entry(let head):
        guard head.kind != .records || head.first < next ?? .max else { break reading }
        guard head.first == last + 1, head.before == sum, head.last < next ?? .max else {
          isDamaged = true
          break reading
        }
        if head.kind == .records {
          records = place
          (last, sum) = (head.last, head.sum)
        }
        place = cursor.place
        if head.kind != .records { break reading }
      case .damage:
        isDamaged = last + 1 < next ?? .max
        break reading
      case .end(let isTorn):
        self.isTorn = isTorn
        break reading
      }
    }
    let end = LogCursor.End(last: last, sum: sum, records: records, entry: place, place: place)
    wallMilliseconds = loaded.time(of: end)
  }
}

/// The properties of a file that change when it is written.
struct FileStamp: Hashable {
  private let values: [Int64]
  private let seconds: Int64

  /// Whether the file was written within the last second or two.
  var isRecent: Bool { Int64(time(nil)) - seconds < 2 }

  /// Returns nil if the file cannot be examined.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    seconds = Int64(time.tv_sec)
    values = [
      Int64(time.tv_sec), Int64(time.tv_nsec), Int64(status.st_size), Int64(status.st_ino),
    ]
  }
}
