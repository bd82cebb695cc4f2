import StoreReplication

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
    /// Something that is not, with an entry behind it that is; what it says it is.
    case damage(LogEntry.Head?)
    /// No further entry. Whether there is something that is none.
    case end(isTorn: Bool)
  }

  private let bytes: [UInt8]
  private let key: UInt64
  private let onSearch: LogSearch?
  /// Where the segment begins, as its end is found.
  private let start: End
  /// Where the next entry begins.
  private(set) var place: Int
  /// Where an entry begins that was passed over without a look at its checksum.
  private var unchecked: Int?

  init(_ segment: LoadedSegment) {
    bytes = segment.bytes
    key = segment.header.key
    onSearch = segment.onSearch
    place = segment.header.bytes
    start = End(
      last: segment.header.first - 1,
      sum: segment.header.before,
      entry: place,
      place: place,
    )
  }

  /// The next entry that ends behind a revision.
  ///
  /// - Complexity: O(n), where n is the number of entries that are passed over and of bytes of the
  ///   one that is found; behind damage of bytes that are left.
  /// - Throws: ``JournalError``, where a search is given up.
  mutating func next(after revision: UInt64) throws(JournalError) -> Step {
    while true {
      let found = head(at: place)
      if let found, found.last <= revision, found.kind == .records {
        unchecked = place
        place += found.size
        continue
      }
      if let found, isWhole(found, at: place), found.first - 1 <= revision || isChecked {
        unchecked = nil
        place += found.size
        return .entry(found)
      }
      guard let behind = try wholeEntry() else { return .end(isTorn: !isEmpty) }
      place = behind
      // What was damaged is not asked for.
      if let head = head(at: place), head.first <= revision + 1 { continue }
      return .damage(found)
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
    /// How many entries at its end are not as they were written.
    var torn = 0
  }

  /// Finds the end; only the last entry is checked.
  ///
  /// - Parameter limit: Entries of later revisions are none.
  /// - Returns: What is there.
  /// - Throws: ``JournalError``, where a search is given up.
  mutating func end(through limit: UInt64 = .max) throws(JournalError) -> End {
    var end = start
    var previous = end
    while true {
      if let found = head(at: place), found.first <= limit {
        previous = end
        unchecked = place
        end.entry = place
        if found.kind == .records { end.records = place }
        place += found.size
        end.place = place
        end.isMarked = found.kind != .records
        end.isClosed = found.kind == .end
        // What says that it ends here names the entry before, which may not be what it was.
        (end.last, end.sum) = (found.last, found.kind == .records ? found.sum : found.before)
        end.total += UInt64(found.count)
      } else if let behind = try wholeEntry(), let found = head(at: behind), found.first <= limit {
        place = behind
      } else {
        break
      }
    }
    let isTorn = !isEmpty
    // The last one is looked at: it may be what was being written when the machine ended.
    if end != previous, let last = head(at: previous.place), !isWhole(last, at: previous.place) {
      previous.torn = 1
      return previous
    }
    end.torn = isTorn && limit == .max ? 1 : 0
    return end
  }

  /// The records of an entry that was just found.
  func records(of head: LogEntry.Head) -> [UInt8] {
    let start = place - head.size + LogEntry.Head.bytes
    return Array(bytes[start..<start + head.count])
  }

  /// Whether nothing was ever written from here on.
  private var isEmpty: Bool {
    bytes.withUnsafeBytes { bytes in
      guard place < bytes.count, let rest = bytes.baseAddress.map({ $0 + place }) else {
        return true
      }
      // Each byte is as the one before it.
      return bytes[place] == 0 && memcmp(rest, rest + 1, bytes.count - place - 1) == 0
    }
  }

  /// Whether what an entry said of its size has led here that is as it was written.
  private var isChecked: Bool { unchecked.map { isWhole(head(at: $0), at: $0) } ?? true }

  /// Finds an entry behind something that is none.
  ///
  /// What an entry says of its size is not to be trusted where it is not as it was written.
  ///
  /// - Complexity: O(n), where n is the number of bytes that are left and of all that look like
  ///   entries there say they have: what clients have sent may look like many.
  private mutating func wholeEntry() throws(JournalError) -> Int? {
    var start = place
    if let last = unchecked, !isChecked { start = last }
    unchecked = nil
    if start == place, isEmpty { return nil }
    var work = 0
    for place in stride(from: start + 8, to: bytes.count, by: 8) {
      work += 8
      if let head = head(at: place) {
        if isWhole(head, at: place) { return place }
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
    guard let head else { return false }
    return bytes.withUnsafeBytes {
      LogEntry.sum(UnsafeRawBufferPointer(rebasing: $0[place...]), head.count, key) == head.sum
    }
  }

  /// What looks like the beginning of an entry.
  private func head(at place: Int) -> LogEntry.Head? {
    guard place + LogEntry.Head.bytes <= bytes.count else { return nil }
    return bytes.withUnsafeBytes { bytes in
      func word(_ number: Int) -> UInt64 {
        UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: place + 8 * number, as: UInt64.self)
        )
      }
      guard UInt32(truncatingIfNeeded: word(0)) == LogEntry.Head.magic,
        let kind = LogEntry.Kind(rawValue: UInt32(word(0) >> 32)),
        word(1) <= UInt64(bytes.count - place - LogEntry.Head.bytes), word(2) > 0,
        word(2) - 1 <= KeptHistory.greatestNumber, word(3) <= KeptHistory.greatestNumber,
        kind == .records ? word(3) >= word(2) : word(3) == word(2) - 1
      else { return nil }
      return LogEntry.Head(
        kind: kind,
        count: Int(word(1)),
        first: word(2),
        last: word(3),
        sessionNumbers: word(4),
        before: word(5),
        sum: word(6),
      )
    }
  }
}
