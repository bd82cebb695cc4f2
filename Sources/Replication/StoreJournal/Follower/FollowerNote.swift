import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The progress of a copy, in a file of the followed data directory: its daemon reports it.
package struct FollowerNote: Codable, Hashable, Sendable {
  /// The place of the copy.
  package var target: String
  /// The process that keeps it.
  package var pid: Int32
  /// The newest revision of the copy.
  package var revision: UInt64
  /// The time when the copy last had everything, in milliseconds since 1970; 0 if it never had.
  package var completeAt: UInt64
  /// The reason why nothing is copied now; nil if there is none.
  package var fault: String?

  /// The folder in the data directory.
  static let folderName = "followers"
  /// The most files that are read.
  package static let most = 16
  /// The most bytes of a file that are read, and of a text that is kept.
  private static let mostBytes = 16 << 10
  private static let mostText = 512

  /// The current time, in milliseconds since 1970.
  package static var wallMilliseconds: UInt64 { JournalDirectory.wallMilliseconds }

  private static func folder(in directory: String) -> String { "\(directory)/\(folderName)" }

  /// The path of a copy's file; the number distinguishes places with similar names.
  private static func path(of target: String, in directory: String) -> String {
    let name = String(
      target.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.suffix(64)
    )
    let number = CopyChecksum(Array(target.utf8)[...]).text.prefix { $0 != " " }
    return "\(folder(in: directory))/\(name)-\(number).json"
  }

  /// Reads the note of a copy; nil if there is none.
  static func read(_ target: String, in directory: String) -> FollowerNote? {
    read(path(of: target, in: directory))
  }

  private static func read(_ path: String) -> FollowerNote? {
    guard let bytes = try? DurableFile.read(path, atMost: mostBytes) else { return nil }
    // A file that is no note has no information.
    return try? JSONDecoder().decode(FollowerNote.self, from: Data(bytes))
  }

  /// Reads the notes on the copies of a data directory, of more than ``most`` the latest ones.
  package static func all(in directory: String) -> [FollowerNote] {
    let names = (try? DurableFile.names(in: folder(in: directory))) ?? []
    let paths = names.filter { $0.hasSuffix(".json") }.map { "\(folder(in: directory))/\($0)" }
    let notes = paths.compactMap { read($0) }.sorted { $0.completeAt > $1.completeAt }
    return notes.prefix(most).sorted { $0.target < $1.target }
  }

  /// Writes the note.
  ///
  /// The file is not synced: after a crash of the machine its copy writes it again.
  func write(to directory: String) throws(JournalError) {
    var note = self
    note.target = String(target.prefix(Self.mostText))
    note.fault = fault.map { String($0.prefix(Self.mostText)) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let (folder, path) = (Self.folder(in: directory), Self.path(of: target, in: directory))
    do {
      try DurableFile.makeDirectory(folder)
      // Another user than the daemon's must not be led to another file.
      guard !DurableFile.isLink(folder) else {
        throw JournalError(.busy, "\(folder) is a link. Remove it.")
      }
      try DurableFile.write(Array(encoder.encode(note)), to: path, isSynced: false)
    } catch {
      throw JournalError(.busy, (error as? JournalError)?.message ?? "\(error)")
    }
  }

  /// Whether the process has ended, as far as this one can see.
  package var hasEnded: Bool { kill(pid, 0) != 0 && errno == ESRCH }
}
