#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Iterates over the entries of a segment.
struct LogCursor {
  enum Step {
    /// An intact entry.
    case entry(LogEntry.Head)
    /// Bytes that are not a whole entry, before another entry: their head, if it is readable, and
    /// their range.
    case damage(LogEntry.Head?, Range<Int>)
    /// No further entry. `isTorn` is true if other bytes than zeros follow.
    case end(isTorn: Bool)
  }

  private let bytes: [UInt8]
  private let key: UInt64
  private let format: Int
  private let onSearch: LogSearch?
  /// The end of a segment that has no entries.
  private let start: End
  /// The offset of the next entry.
  private(set) var place: Int
  /// The offset of a format 3 entry that was skipped without verifying its checksum.
  ///
  /// In format 4 the head has its own checksum, so its size is reliable.
  private var unchecked: Int?

  init(_ segment: LoadedSegment) {
    bytes = segment.bytes
    key = segment.header.key
    format = segment.header.format
    onSearch = segment.onSearch
    place = segment.header.bytes
    start = End(
      last: segment.header.first - 1,
      sum: segment.header.before,
      entry: place,
      place: place,
    )
  }

  /// The next entry that ends after a revision.
  ///
  /// - Complexity: O(n), where n is the number of skipped entries plus the bytes of the returned
  ///   entry; after damage, plus the remaining bytes.
  /// - Throws: ``JournalError`` if a search is cancelled.
  mutating func next(after revision: UInt64) throws(JournalError) -> Step {
    while true {
      let found = head(at: place)
      if let found, found.last <= revision, found.kind == .records {
        pass(found)
        continue
      }
      if let found, isWhole(found, at: place), found.first - 1 <= revision || isChecked {
        unchecked = nil
        place += found.size
        return .entry(found)
      }
      let damaged = place
      guard let next = try laterEntry() else { return .end(isTorn: !isEmpty) }
      place = next
      // Damage up to the requested revision does not matter.
      if let head = head(at: place), head.first <= revision + 1 { continue }
      return .damage(found, damaged..<next)
    }
  }

  /// The end of a segment's whole entries.
  struct End: Hashable {
    /// The newest revision, and the checksum of its entry.
    var last: UInt64
    var sum: UInt64
    /// The bytes of all its records.
    var total: UInt64 = 0
    /// Whether a marker ends the log here, and whether the daemon wrote that marker.
    var isMarked = false
    var isClosed = false
    /// The offset of the last entry that has records; nil if there is no such entry.
    var records: Int?
    /// The offsets of the last entry and of the next one.
    var entry: Int
    var place: Int
    /// The bytes after the last whole entry; nil if they are zeros.
    var tail: LogTail?
  }

  /// Finds the end; verifies the chain of all heads, and the records of the last entry.
  ///
  /// - Parameter limit: Entries of later revisions are part of the tail.
  /// - Returns: The end.
  /// - Throws: ``JournalError`` if a search is cancelled.
  mutating func end(through limit: UInt64 = .max) throws(JournalError) -> End {
    var end = start
    var previous = end
    // Whether bytes were skipped, so that the checksum of the entry before is unknown.
    var hasGap = false
    var isStray = false
    while true {
      if let found = head(at: place), found.first <= limit,
        Self.follows(found, end, hasGap: hasGap)
      {
        (hasGap, isStray) = (false, false)
        previous = end
        end.entry = place
        if found.kind == .records { end.records = place }
        pass(found)
        end.place = place
        end.isMarked = found.kind != .records
        end.isClosed = found.kind == .end
        // An end marker names the entry before it, which may be damaged.
        (end.last, end.sum) = (found.last, found.kind == .records ? found.sum : found.before)
        end.total += UInt64(found.count)
        continue
      }
      if let found = head(at: place), found.first <= limit { isStray = isStray || format != 3 }
      guard let next = try laterEntry(), let found = head(at: next), found.first <= limit else {
        break
      }
      (place, hasGap) = (next, true)
    }
    // The last entry is verified: a crash may have interrupted its write.
    if end != previous, let last = head(at: end.entry), !isWhole(last, at: end.entry) {
      end = previous
    }
    end.tail = tail(at: end.place)
    end.tail?.isStray = isStray
    return end
  }

  /// Returns whether an entry continues the log after an end.
  ///
  /// An earlier entry may be found once more, by a fault of the disk.
  private static func follows(_ head: LogEntry.Head, _ end: End, hasGap: Bool) -> Bool {
    if end.isMarked { return false }
    return hasGap ? head.first > end.last : head.first == end.last + 1 && head.before == end.sum
  }

  private mutating func pass(_ head: LogEntry.Head) {
    if format == 3 { unchecked = place }
    place += head.size
  }

  /// Returns the bytes from an offset on; nil if they are zeros.
  private func tail(at place: Int) -> LogTail? {
    guard place < bytes.count, !isEmpty(place..<bytes.count) else { return nil }
    var last = bytes.count
    while last - LogHeader.pageBytes > place, isEmpty(last - LogHeader.pageBytes..<last) {
      last -= LogHeader.pageBytes
    }
    while bytes[last - 1] == 0 { last -= 1 }
    return LogTail(
      place: place..<last,
      head: format == 3 ? nil : head(at: place),
      fileBytes: bytes.count,
    )
  }

  /// Returns the records of the entry that was just returned.
  func records(of head: LogEntry.Head) -> [UInt8] {
    let start = place - head.size + head.length
    return Array(bytes[start..<start + head.count])
  }

  /// Whether all bytes from here on are zeros.
  private var isEmpty: Bool { place >= bytes.count || isEmpty(place..<bytes.count) }

  /// Returns whether a range has only zeros.
  private func isEmpty(_ range: Range<Int>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard !range.isEmpty, let start = bytes.baseAddress.map({ $0 + range.lowerBound }) else {
        return true
      }
      // Each byte equals the one before it.
      return bytes[range.lowerBound] == 0 && memcmp(start, start + 1, range.count - 1) == 0
    }
  }

  /// Returns whether a copy made during writes may have this gap although the segment has none: the
  /// copy read one page before it was written, and later pages after they were written.
  func isStale(_ gap: Range<Int>) -> Bool {
    var start = gap.lowerBound
    while start < gap.upperBound {
      let end = (start / LogHeader.pageBytes + 1) * LogHeader.pageBytes
      if end <= gap.upperBound, isEmpty(start..<end) { return true }
      start = end
    }
    return false
  }

  /// Whether the skipped entry whose size led here is intact.
  private var isChecked: Bool { unchecked.map { isWhole(head(at: $0), at: $0) } ?? true }

  /// Finds the next entry after bytes that are not a whole one.
  ///
  /// In format 4 an intact head is enough, even if its records are damaged. In format 3 the entry
  /// must be whole, and the size of a damaged entry is not trusted.
  ///
  /// - Complexity: O(n), where n is the number of remaining bytes. In format 3 add the sizes that
  ///   candidate heads claim: data that clients have sent may look like many heads.
  private mutating func laterEntry() throws(JournalError) -> Int? {
    var start = place
    if let last = unchecked, !isChecked { start = last }
    unchecked = nil
    if start == place, isEmpty { return nil }
    var work = 0
    for place in stride(from: start + 8, to: bytes.count, by: 8) {
      work += 8
      if let head = head(at: place) {
        if format != 3 || isWhole(head, at: place) { return place }
        work += head.count
      }
      if work >= LogSearch.step {
        work = 0
        try onSearch?.reached(place, of: bytes.count)
      }
    }
    return nil
  }

  private func isWhole(_ head: LogEntry.Head?, at place: Int) -> Bool {
    guard let head, head.length + head.count <= bytes.count - place else { return false }
    return bytes.withUnsafeBytes {
      LogEntry.sum(UnsafeRawBufferPointer(rebasing: $0[place...]), head, key) == head.sum
    }
  }

  /// Returns the head of an entry at an offset; in format 3 a candidate.
  private func head(at place: Int) -> LogEntry.Head? {
    guard place < bytes.count else { return nil }
    return bytes.withUnsafeBytes {
      LogEntry.head(UnsafeRawBufferPointer(rebasing: $0[place...]), format: format, key: key)
    }
  }
}
