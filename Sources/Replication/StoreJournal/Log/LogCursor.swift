#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Goes through the entries of a segment.
struct LogCursor {
  enum Step {
    /// An entry that is as it was written.
    case entry(LogEntry.Head)
    /// Something that is no whole entry, although an entry follows it: its head, if that can be
    /// read, and where it is.
    case damage(LogEntry.Head?, Range<Int>)
    /// No further entry. Whether other bytes than zeros follow.
    case end(isTorn: Bool)
  }

  private let bytes: [UInt8]
  private let key: UInt64
  private let format: Int
  private let onSearch: LogSearch?
  /// Where the segment begins, as its end is found.
  private let start: End
  /// Where the next entry begins.
  private(set) var place: Int
  /// Where an entry of format 3 begins that was passed over without a look at its checksum.
  ///
  /// The size in a head of format 4 is as it was written.
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
  /// - Complexity: O(n), where n is the number of entries that are passed over and of bytes of the
  ///   one that is found; after damage of bytes that are left.
  /// - Throws: ``JournalError``, where a search is given up.
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
      // What was damaged is not asked for.
      if let head = head(at: place), head.first <= revision + 1 { continue }
      return .damage(found, damaged..<next)
    }
  }

  /// What the segment ends with.
  struct End: Hashable {
    /// The newest revision, and the checksum of its entry.
    var last: UInt64
    var sum: UInt64
    /// The bytes of all its records.
    var total: UInt64 = 0
    /// Whether something says that it ends here, and whether the daemon did.
    var isMarked = false
    var isClosed = false
    /// Where the last entry that has records begins; nil for none.
    var records: Int?
    /// Where the last entry begins, and where the next one goes.
    var entry: Int
    var place: Int
    /// What follows the last whole entry; nil for zeros.
    var tail: LogTail?
  }

  /// Finds the end; only the last entry is checked.
  ///
  /// - Parameter limit: Entries of later revisions are part of the tail.
  /// - Returns: What is there.
  /// - Throws: ``JournalError``, where a search is given up.
  mutating func end(through limit: UInt64 = .max) throws(JournalError) -> End {
    var end = start
    var previous = end
    while true {
      if let found = head(at: place), found.first <= limit {
        previous = end
        end.entry = place
        if found.kind == .records { end.records = place }
        pass(found)
        end.place = place
        end.isMarked = found.kind != .records
        end.isClosed = found.kind == .end
        // What says that it ends here names the entry before, which may not be what it was.
        (end.last, end.sum) = (found.last, found.kind == .records ? found.sum : found.before)
        end.total += UInt64(found.count)
      } else if let next = try laterEntry(), let found = head(at: next), found.first <= limit {
        place = next
      } else {
        break
      }
    }
    // The last one is looked at: it may be what was being written when the machine ended.
    if end != previous, let last = head(at: previous.place), !isWhole(last, at: previous.place) {
      end = previous
    }
    end.tail = tail(at: end.place)
    return end
  }

  private mutating func pass(_ head: LogEntry.Head) {
    if format == 3 { unchecked = place }
    place += head.size
  }

  /// What is there from a place on; nil for zeros.
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

  /// The records of an entry that was just found.
  func records(of head: LogEntry.Head) -> [UInt8] {
    let start = place - head.size + head.length
    return Array(bytes[start..<start + head.count])
  }

  /// Whether nothing was ever written from here on.
  private var isEmpty: Bool { place >= bytes.count || isEmpty(place..<bytes.count) }

  /// Whether a range has only zeros.
  private func isEmpty(_ range: Range<Int>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard !range.isEmpty, let start = bytes.baseAddress.map({ $0 + range.lowerBound }) else {
        return true
      }
      // Each byte is as the one before it.
      return bytes[range.lowerBound] == 0 && memcmp(start, start + 1, range.count - 1) == 0
    }
  }

  /// Whether a copy of a segment may have got this gap although nothing is missing in the segment:
  /// one page was copied before it was written, and later ones after that.
  func isStale(_ gap: Range<Int>) -> Bool {
    var start = gap.lowerBound
    while start < gap.upperBound {
      let end = (start / LogHeader.pageBytes + 1) * LogHeader.pageBytes
      if end <= gap.upperBound, isEmpty(start..<end) { return true }
      start = end
    }
    return false
  }

  /// Whether what an entry said of its size has led here that is as it was written.
  private var isChecked: Bool { unchecked.map { isWhole(head(at: $0), at: $0) } ?? true }

  /// Finds the next entry after something that is no whole one.
  ///
  /// In format 4 a head is enough, whatever became of its records. In format 3 the entry has to be
  /// whole, and a size is not trusted where an entry is not as it was written.
  ///
  /// - Complexity: O(n), where n is the number of bytes that are left. In format 3 also of all that
  ///   candidates say they have: what clients have sent may look like many.
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

  /// The head of an entry at a place; in format 3 what looks like one.
  private func head(at place: Int) -> LogEntry.Head? {
    guard place < bytes.count else { return nil }
    return bytes.withUnsafeBytes {
      LogEntry.head(UnsafeRawBufferPointer(rebasing: $0[place...]), format: format, key: key)
    }
  }
}
