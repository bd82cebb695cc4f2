import Foundation
import Testing

@testable import StoreJournal

/// The remedy in an error message for a damaged directory: tests follow it, and it must succeed.
@MainActor
struct Advice {
  private let message: String
  private let path: String

  init(_ message: String, _ path: String) {
    self.message = message
    self.path = path
  }

  /// The revision that the message names; nil if it names no revision.
  private var revision: UInt64? {
    message.components(separatedBy: "--through ").dropFirst().first
      .map { String($0.prefix { $0.isNumber }) }.flatMap { UInt64($0) }
  }

  /// Follows the remedy.
  ///
  /// If the message names no revision, a copy must be impossible.
  func follow(_ what: String) {
    let what = "\(what): \(message)"
    do {
      if let revision {
        let restored = try restored(through: revision)
        #expect(restored == revision, "\(what)")
      } else if message.contains("a daemon starts") {
        let (newest, start) = (try restored(through: nil), try KeptNumbers(path).start())
        #expect(start == newest, "\(what)")
      }
    } catch {
      Issue.record("\(what): \(error)")
    }
    guard revision == nil, message.contains("is damaged") else { return }
    for revision in 0...KeptNumbers.last + 1 {
      let newest = try? restored(through: revision)
      #expect(newest == nil, "\(what), revision \(revision)")
    }
  }

  /// Restores a history, and starts a daemon with it.
  ///
  /// - Parameter revision: The last revision to copy; nil for all.
  /// - Returns: The revision from which the daemon continues.
  /// - Throws: The errors of the copy and of the start.
  private func restored(through revision: UInt64?) throws -> UInt64 {
    let target = try JournalDirectoryTests.Directory()
    let newest = try JournalReader(directory: path).copy(to: target.path, through: revision)
    let start = try KeptNumbers(target.path).start()
    #expect(start == newest)
    return newest
  }
}
