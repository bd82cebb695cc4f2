import Foundation
import Testing

@testable import StoreJournal

/// What a message says that helps a damaged directory: it is done, and has to succeed.
@MainActor
struct Advice {
  private let message: String
  private let path: String

  init(_ message: String, _ path: String) {
    self.message = message
    self.path = path
  }

  /// The revision that can be had; nil where none is named.
  private var revision: UInt64? {
    message.components(separatedBy: "--through ").dropFirst().first
      .map { String($0.prefix { $0.isNumber }) }.flatMap { UInt64($0) }
  }

  /// Does what is said; where no revision is named none can be had.
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

  /// Restores a history, and starts a daemon there.
  ///
  /// - Parameter revision: What comes behind it is left out; nil for all there is.
  /// - Returns: The revision that the daemon goes on from.
  /// - Throws: What the two throw.
  private func restored(through revision: UInt64?) throws -> UInt64 {
    let target = try JournalDirectoryTests.Directory()
    let newest = try JournalReader(directory: path).copy(to: target.path, through: revision)
    let start = try KeptNumbers(target.path).start()
    #expect(start == newest)
    return newest
  }
}
