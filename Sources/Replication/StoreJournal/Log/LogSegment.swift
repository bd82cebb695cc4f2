import Foundation
import StoreHistory

/// A file of the log, identified by its name.
struct LogSegment: Hashable, Comparable {
  /// The first revision that it may contain.
  let first: UInt64
  /// The term of the daemon that writes it.
  let term: UInt64

  var name: String {
    let digits = String(first)
    return String(repeating: "0", count: 20 - digits.count) + "\(digits)-\(term).log"
  }

  init(first: UInt64, term: UInt64) {
    self.first = first
    self.term = term
  }

  /// Returns nil if the name is not that of a segment.
  init?(name: String) {
    guard name.hasSuffix(".log") else { return nil }
    let parts = name.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
    let numbers = 1...KeptHistory.greatestNumber
    guard parts.count == 2, let first = UInt64(parts[0]), let term = UInt64(parts[1]),
      numbers.contains(first), numbers.contains(term)
    else { return nil }
    self.init(first: first, term: term)
    guard self.name == name else { return nil }
  }

  func path(in directory: String) -> String { "\(Self.folder(in: directory))/\(name)" }

  /// Returns the path for the bytes after the segment's end, which are cut off.
  func tornPath(in directory: String) -> String { path(in: directory).dropLast(4) + ".torn" }

  /// Returns the files of torn ends, oldest first.
  static func tornPaths(in directory: String) throws(JournalError) -> [String] {
    try torn(in: directory).files
  }

  /// The same, and the paths with such a name that are not regular files.
  static func torn(
    in directory: String
  ) throws(JournalError) -> (files: [String], others: [String]) {
    let paths = try DurableFile.names(in: folder(in: directory)).filter { $0.hasSuffix(".torn") }
      .compactMap { LogSegment(name: $0.dropLast(5) + ".log") }
      .sorted().map { $0.tornPath(in: directory) }
    let others = paths.filter { DurableFile.isOtherThanFile($0) }
    return (paths.filter { !others.contains($0) }, others)
  }

  /// Precedes all segments.
  static let none = LogSegment(first: 0, term: 0)

  static let folderName = "log"

  static func folder(in directory: String) -> String { "\(directory)/\(folderName)" }

  static func < (left: LogSegment, right: LogSegment) -> Bool {
    (left.first, left.term) < (right.first, right.term)
  }

  /// Returns the segments of a log, oldest first.
  ///
  /// If two begin with the same revision, the daemon of the later term has continued the history,
  /// and no entry of the other segment was acknowledged.
  static func all(in directory: String) throws(JournalError) -> [LogSegment] {
    let sorted = try every(in: directory)
    return zip(sorted, sorted.dropFirst().map(Optional.some) + [nil])
      .filter { $0.first != $1?.first }.map(\.0)
  }

  /// Returns all segments, including those that a later term has replaced.
  static func every(in directory: String) throws(JournalError) -> [LogSegment] {
    try DurableFile.names(in: folder(in: directory)).compactMap { LogSegment(name: $0) }.sorted()
  }
}
