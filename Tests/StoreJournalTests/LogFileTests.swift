import Foundation
import Testing

@testable import StoreJournal

/// A segment's file contains exactly the written bytes, with and without the page cache.
@Suite(.timeLimit(.minutes(1))) struct LogFileTests {
  private let directory: JournalDirectoryTests.Directory

  init() throws { directory = try JournalDirectoryTests.Directory() }

  private var path: String { "\(directory.path)/segment" }

  private func has(_ expected: some Collection<UInt8>) throws -> Bool {
    try Data(contentsOf: URL(fileURLWithPath: path)) == Data(expected)
  }

  private func bytes() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private static let ways: [(pastCache: Bool, seed: UInt64)] = [
    (false, 1), (false, 2), (true, 3), (true, 4), (true, 5),
  ]

  @Test("Consecutive entries are contiguous, through the page cache and past it", arguments: ways)
  func entries(pastCache: Bool, seed: UInt64) throws {
    let file = try LogFile(making: path, pastCache: pastCache)
    var random = Numbers(state: seed)
    var expected = [UInt8](repeating: 0, count: 256 << 10)
    for start in stride(from: 0, to: expected.count, by: 64 << 10) {
      try file.fill(start..<start + 64 << 10)
    }
    var place = 0
    while place < 200 << 10 {
      let most: UInt64 = random.next() % 4 == 0 ? 20_000 : 300
      let entry = (0...random.next() % most).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      try file.write(entry, at: place)
      expected.replaceSubrange(place..<place + entry.count, with: entry)
      place += entry.count
      if random.next() % 8 == 0 { try file.sync() }
    }
    #expect(try has(expected))
    // Zeros may follow the end up to the next page, until the file is truncated.
    let grown = [UInt8](repeating: 7, count: 100_000)
    try file.write(grown, at: place)
    try file.truncate(to: place + grown.count)
    #expect(try has(expected[..<place] + grown))
  }

  @Test(arguments: [0, 1, 4_096, 5_000, 1 << 20, (1 << 20) + 1])
  func `Reads past the page cache and through it give the same bytes`(_ count: Int) throws {
    let path = "\(directory.path)/file"
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    #expect(try DurableFile.read(path, isShared: true) == bytes)
    for most in [1, 4_096, 4_097] {
      let found = try DurableFile.read(path, atMost: most, isShared: true)
      #expect(found == Array(bytes.prefix(most)))
    }
  }

  @Test func `An entry that found no room is written again in its place, past the page cache`()
    throws
  {
    let path = "\(directory.path)/file"
    let file = try LogFile(making: path, pastCache: true)
    let entries = (1...3).map { [UInt8](repeating: UInt8($0), count: 5_000) }
    var place = 4_096
    for entry in entries {
      for _ in 1...3 { try file.write(entry, at: place) }
      place += entry.count
    }
    let found = try #require(try DurableFile.read(path))
    #expect(Array(found[4_096..<place]) == entries.flatMap { $0 })
  }

  @Test func `A segment that keeps the name of its draft keeps its entries`() throws {
    let draft = "\(directory.path)/draft\(DurableFile.draftSuffix)"
    let bytes = [UInt8](repeating: 7, count: 9_000)
    try withFile(draft) { file in
      try file.write(bytes, at: 0)
      file.keepDraft(100)
      try file.name(path)
      // Simulates a file system that has not removed it.
      try FileManager.default.linkItem(atPath: path, toPath: draft)
    }
    #expect(try has(bytes))
    #expect(!FileManager.default.fileExists(atPath: draft))
    let other = "\(directory.path)/other\(DurableFile.draftSuffix)"
    try withFile(other) { file in
      try file.write(bytes, at: 0)
      file.keepDraft(100)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)).count == 100)
  }

  private func withFile(_ path: String, _ body: (LogFile) throws -> Void) throws {
    try body(try LogFile(making: path))
  }

  @Test func `A path that cannot be examined has no known file`() throws {
    let file = try LogFile(making: path)
    #expect(try file.isNamed(path) && !file.isNamed("\(path).other"))
    let below = "\(path)/below"
    let refusal = #expect(throws: JournalError.self) { try LogFile.identity(of: below) }
    #expect(refusal?.code == .unreadable && refusal?.message.contains(below) == true)
  }

  @Test("A seal of another daemon survives later writes of the first one", arguments: ways)
  func seal(pastCache: Bool, seed: UInt64) throws {
    let file = try LogFile(making: path, pastCache: pastCache)
    let beginning = [UInt8](repeating: UInt8(seed), count: seed == 4 ? 9_000 : 900)
    try file.write(LogHeader.magic + Array(repeating: 0, count: 8) + beginning, at: 0)
    var place = 16 + beginning.count
    #expect(try file.seal() == 0)
    try LogFile(opening: path).seal(by: 9)
    for _ in 0..<40 {
      #expect(try file.seal() == 9)
      try file.write(Array(repeating: 1, count: 300), at: place)
      try file.sync()
      place += 300
    }
    let all = try bytes()
    #expect(all[16..<16 + beginning.count] == beginning[...])
    #expect(all[(16 + beginning.count)..<place].allSatisfy { $0 == 1 })
  }
}
