import Foundation
import GRDB
import StoreReplication
import StoreState
import Testing

@testable import StoreJournal

/// A journal's file: what was appended is read, and nothing else.
@Suite(.timeLimit(.minutes(1))) struct JournalFileTests {
  /// A directory that goes with its test.
  final class Directory {
    let path: String

    init() throws {
      path = "\(NSTemporaryDirectory())/journal-\(UUID())"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private let directory: Directory

  init() throws { directory = try Directory() }

  private static let schema = SchemaRegistry.document(for: [Int].self)

  private func open(
    root: String = "Test",
    schema: SchemaDocument = schema,
    durability: Durability = .full,
    epoch: UInt64 = 7,
  ) throws -> JournalFile {
    try JournalFile(
      directory: directory.path,
      root: root,
      schema: schema,
      durability: durability,
      epoch: epoch,
    )
  }

  private func batch(_ revisions: ClosedRange<UInt64>) -> JournalBatch {
    JournalBatch(revisions: revisions, records: [UInt8(revisions.lowerBound)], sessionNumbers: 3)
  }

  /// What is read, in words.
  private func parts(_ file: JournalFile) throws -> [String] {
    var parts: [String] = []
    _ = try file.read { part throws(CodecError) in
      switch part {
      case .build: parts.append("build")
      case .snapshot(let bytes): parts.append("snapshot \(bytes)")
      case .records(let bytes, let sessions): parts.append("records \(bytes) \(sessions)")
      }
    }
    return parts
  }

  /// Changes the file behind the journal's back.
  private func tamper(_ sql: String) throws {
    let queue = try DatabaseQueue(path: "\(directory.path)/journal.sqlite")
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// A file that begins with the state of revision 0.
  private func begin(durability: Durability = .full) throws -> JournalFile {
    let file = try open(durability: durability)
    try file.write([0], of: 0)
    return file
  }

  @Test func `What was appended is read again, in its order`() throws {
    let file = try begin()
    #expect(file.append(batch(1...2)) == .durable(through: 2))
    #expect(file.append(batch(3...3)) == .durable(through: 3))
    try file.close()
    let again = try open(epoch: 8)
    #expect(again.opening == JournalFile.Opening(epoch: 7, isClean: true, isSameBuild: true))
    #expect(
      try parts(again) == [
        "build", "snapshot [0]", "build", "records [1] 3", "build", "records [3] 3",
      ]
    )
  }

  @Test func `A history that was not closed says so, and goes on in its epoch`() throws {
    let file = try open()
    #expect(file.append(batch(1...1)) == .durable(through: 1))
    let again = try open(epoch: 8)
    #expect(again.opening == JournalFile.Opening(epoch: 7, isClean: false, isSameBuild: true))
  }

  @Test(arguments: [Durability.batched, .none])
  func `After an end of the machine a history that was not synced has another epoch`(
    _ durability: Durability
  ) throws {
    _ = try open(durability: durability)
    #expect(try open(durability: durability).opening.epoch == 7, "The machine did not end")
    try tamper("UPDATE meta SET value = 'another' WHERE name = 'boot'")
    #expect(try open(durability: durability).opening.epoch != 7)
  }

  @Test func `A copy of a history has another epoch, for the history may have gone on`() throws {
    try open().close()
    let path = "\(directory.path)/journal.sqlite"
    try FileManager.default.copyItem(atPath: path, toPath: "\(path).copy")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: "\(path).copy", toPath: path)
    #expect(try open().opening.epoch != 7)
  }

  @Test func `A history that was synced keeps its epoch, whatever ended`() throws {
    _ = try open()
    try tamper("UPDATE meta SET value = 'another' WHERE name = 'boot'")
    #expect(try open().opening.epoch == 7)
  }

  @Test(arguments: Durability.allCases)
  func `SQLite syncs as it was asked to`(_ durability: Durability) throws {
    let file = try open(durability: durability)
    let (synchronous, checkpoint) = try file.promised()
    #expect(synchronous == durability.synchronous.value)
    #expect(checkpoint == 0)
  }

  @Test func `A snapshot stands for all before it`() throws {
    let file = try open()
    #expect(file.append(batch(1...2)) == .durable(through: 2))
    try file.write([9, 9], of: 2)
    #expect(file.append(batch(3...3)) == .durable(through: 3))
    #expect(try parts(file) == ["build", "snapshot [9, 9]", "build", "records [3] 3"])
  }

  @Test func `A snapshot that is damaged is passed over for the one before`() throws {
    let file = try open()
    #expect(file.append(batch(1...1)) == .durable(through: 1))
    try file.write([8], of: 1)
    #expect(file.append(batch(2...2)) == .durable(through: 2))
    try file.write([9], of: 2)
    try Data([7]).write(to: URL(fileURLWithPath: "\(directory.path)/snapshots/2.snapshot"))
    #expect(try parts(file) == ["build", "snapshot [8]", "build", "records [2] 3"])
    try FileManager.default.removeItem(atPath: "\(directory.path)/snapshots/1.snapshot")
    let refusal = try #require(message { _ = try parts(file) })
    #expect(refusal.0 == .corrupt && refusal.1.contains("snapshots"))
  }

  @Test func `Old history goes piece by piece, and what is needed stays`() throws {
    let file = try open()
    for revision in 1...200 as ClosedRange<UInt64> {
      #expect(file.append(batch(revision...revision)) == .durable(through: revision))
      if revision.isMultiple(of: 50) { try file.write([UInt8(revision)], of: revision) }
    }
    #expect(try file.excess(retaining: 1000) == 0)
    #expect(try parts(file).count == 2 + 0, "All is in the newest snapshot")
    var (pieces, excess) = (0, try file.excess(retaining: 0))
    #expect(excess == 150)
    while excess > 0 {
      excess = try file.discard(excess)
      pieces += 1
    }
    #expect(pieces == 3)
    // The one before the newest is kept, and what follows it.
    try FileManager.default.removeItem(atPath: "\(directory.path)/snapshots/200.snapshot")
    #expect(try parts(file).filter { $0.hasPrefix("records") }.count == 50)
    let snapshots = try FileManager.default.contentsOfDirectory(
      atPath: "\(directory.path)/snapshots"
    )
    #expect(snapshots == ["150.snapshot"])
  }

  // MARK: What is refused

  private func message(_ body: () throws -> Void) -> (JournalError.Code, String)? {
    do {
      try body()
      return nil
    } catch let error as JournalError {
      return (error.code, error.message)
    } catch {
      return nil
    }
  }

  @Test func `A journal of another root is refused by its name`() throws {
    _ = try open(root: "Kitchen")
    let refusal = try #require(message { _ = try open(root: "Garden") })
    #expect(refusal.0 == .foreign)
    #expect(refusal.1.contains("\"Kitchen\"") && refusal.1.contains("\"Garden\""))
  }

  @Test func `A journal of a later release is refused by its number`() throws {
    _ = try open()
    try tamper("UPDATE meta SET value = '99' WHERE name = 'format'")
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == .newer)
    #expect(refusal.1.contains("99"))
  }

  @Test func `A record that is not what was kept is refused, and named`() throws {
    let file = try begin()
    for revision in 1...3 as ClosedRange<UInt64> { _ = file.append(batch(revision...revision)) }
    try file.close()
    try tamper("UPDATE log SET records = x'00' WHERE first = 2")
    let again = try open()
    let refusal = try #require(message { _ = try parts(again) })
    #expect(refusal.0 == .corrupt)
    #expect(refusal.1.contains("revisions 2 to 2"))
  }

  @Test func `A record that is missing is refused, and named`() throws {
    let file = try begin()
    for revision in 1...3 as ClosedRange<UInt64> { _ = file.append(batch(revision...revision)) }
    try file.close()
    try tamper("DELETE FROM log WHERE first = 2")
    let again = try open()
    let refusal = try #require(message { _ = try parts(again) })
    #expect(refusal.0 == .corrupt)
    #expect(refusal.1.contains("revision 2 is missing"))
  }

  @Test func `What is no journal is refused`() throws {
    try Data("hello, this is no database, whatever its name".utf8)
      .write(to: URL(fileURLWithPath: "\(directory.path)/journal.sqlite"))
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == .corrupt)
  }

  @Test func `What a reader cannot take is said with its revision`() throws {
    let file = try begin()
    _ = file.append(batch(1...1))
    let refusal = message {
      _ = try file.read { part throws(CodecError) in
        if case .records = part { throw CodecError(.deltaMismatch, "it does not fit") }
      }
    }
    #expect(refusal?.0 == .corrupt)
    #expect(refusal?.1.contains("revision 1") == true)
  }

  @Test func `A build with other types is known by its schema`() throws {
    let file = try begin()
    _ = file.append(batch(1...1))
    try file.close()
    let other = SchemaRegistry.document(for: [String].self)
    let again = try open(schema: other)
    #expect(!again.opening.isSameBuild)
    var schemas: [SchemaDocument] = []
    _ = try again.read { part throws(CodecError) in
      if case .build(let schema) = part { schemas.append(schema) }
    }
    #expect(schemas == [Self.schema, Self.schema])
  }
}
