import Foundation
import StoreHistory

/// A file of the log, as its name tells it.
struct LogSegment: Hashable, Comparable {
  /// The first revision that it may have.
  let first: UInt64
  /// The term under which it is written.
  let term: UInt64

  var name: String {
    let digits = String(first)
    return String(repeating: "0", count: 20 - digits.count) + "\(digits)-\(term).log"
  }

  init(first: UInt64, term: UInt64) {
    self.first = first
    self.term = term
  }

  /// Nil for the name of something else.
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

  /// Where the bytes after its end are kept, when they are cut off.
  func tornPath(in directory: String) -> String { path(in: directory).dropLast(4) + ".torn" }

  /// The files of what is kept of torn ends, oldest first.
  static func tornPaths(in directory: String) throws(JournalError) -> [String] {
    try torn(in: directory).files
  }

  /// The same, and what has such a name and is no file.
  static func torn(
    in directory: String
  ) throws(JournalError) -> (files: [String], others: [String]) {
    let paths = try DurableFile.names(in: folder(in: directory)).filter { $0.hasSuffix(".torn") }
      .compactMap { LogSegment(name: $0.dropLast(5) + ".log") }
      .sorted().map { $0.tornPath(in: directory) }
    let others = paths.filter { DurableFile.isOtherThanFile($0) }
    return (paths.filter { !others.contains($0) }, others)
  }

  static let folderName = "log"

  static func folder(in directory: String) -> String { "\(directory)/\(folderName)" }

  static func < (left: LogSegment, right: LogSegment) -> Bool {
    (left.first, left.term) < (right.first, right.term)
  }

  /// All of a log, oldest first.
  ///
  /// Where two begin with one revision the daemon of the later term has gone on, and nobody was
  /// told of anything in the other one.
  static func all(in directory: String) throws(JournalError) -> [LogSegment] {
    let sorted = try every(in: directory)
    return zip(sorted, sorted.dropFirst().map(Optional.some) + [nil])
      .filter { $0.first != $1?.first }.map(\.0)
  }

  /// Also those that another one has taken the place of.
  static func every(in directory: String) throws(JournalError) -> [LogSegment] {
    try DurableFile.names(in: folder(in: directory)).compactMap { LogSegment(name: $0) }.sorted()
  }
}
