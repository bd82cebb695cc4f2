import Foundation
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreJournal
@testable import StoreProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A copy that is kept up to date: at every moment it restores to an earlier state of its source.
@Suite(.timeLimit(.minutes(4))) struct JournalFollowerTests {
  private let source: JournalDirectoryTests.Directory
  private let target: JournalDirectoryTests.Directory

  init() throws {
    // As both programs do: a command that ends early closes its input.
    signal(SIGPIPE, SIG_IGN)
    source = try JournalDirectoryTests.Directory()
    target = try JournalDirectoryTests.Directory()
  }

  private static let schema = SchemaRegistry.document(for: [Int].self)

  // MARK: The source

  private func open(
    epoch: UInt64 = 7,
    segmentBytes: Int = 300,
    in directory: String? = nil,
  ) throws -> JournalDirectory {
    let file = try JournalDirectory(
      directory: directory ?? source.path,
      root: "Test",
      schema: Self.schema,
      durability: .full,
      epoch: epoch,
      segmentBytes: segmentBytes,
    )
    _ = try file.read { _ throws(CodecError) in }
    try file.begin()
    return file
  }

  private func append(_ revisions: ClosedRange<UInt64>, to file: JournalDirectory) throws {
    for revision in revisions {
      var encoder = CBOREncoder.durable
      JournalRecord(
        revision: revision,
        wallMilliseconds: revision * 1000,
        origin: .daemon,
        delta: nil,
      ).encode(to: &encoder)
      try file.append(
        JournalBatch(revisions: revision...revision, records: encoder.bytes, sessionNumbers: 0)
      )
    }
  }

  private func keep(_ revision: UInt64, in file: JournalDirectory) throws {
    let bytes = SnapshotBytes.encode(revision: revision, KeptHistory()) {
      [Int(revision)].encode(to: &$0)
    }
    try file.write(bytes, of: revision, after: file.mark(at: revision))
    JournalDirectory.remove(try file.unneededSnapshots())
  }

  /// A journal of revisions 1 to 10 in several segments, with snapshots of 0 and 6.
  private func begun() throws -> JournalDirectory {
    let file = try open()
    try keep(0, in: file)
    try append(1...6, to: file)
    try keep(6, in: file)
    try append(7...10, to: file)
    return file
  }

  private func trim(_ file: JournalDirectory) throws {
    while try file.trim(.nothing) {}
  }

  // MARK: The copy

  /// The events of a follower.
  private final class Events {
    var all: [JournalFollower.Event] = []
  }

  private func follower(
    _ place: CopyPlace? = nil,
    _ retention: Retention = Retention(),
    _ events: Events = Events(),
  ) throws -> JournalFollower {
    try JournalFollower(
      source.path,
      to: place ?? CopyPlace(directory: target.path),
      retention,
    ) { events.all.append($0) }
  }

  /// Passes until the copy has everything.
  @discardableResult
  private func complete(_ follower: JournalFollower) throws -> UInt64 {
    for _ in 0..<5 {
      let progress = try follower.pass()
      if progress.isComplete { return progress.revision }
    }
    Issue.record("The copy is not complete after five passes")
    return 0
  }

  /// Returns the newest revision to which the copy restores; nil if it has no state yet.
  private func restored() throws -> UInt64? {
    let new = try JournalDirectoryTests.Directory()
    do {
      let newest = try JournalReader(directory: target.path).copy(to: new.path)
      let extent = try JournalReader.whole(directory: new.path).extent()
      #expect(extent.newest == newest && extent.oldestState != nil)
      return newest
    } catch let error as HistoryError where error.message.contains("snapshot") {
      return nil
    } catch let error as HistoryError where error.code == .unavailable {
      return nil
    } catch let error as JournalError where error.code == .missing {
      return nil
    }
  }

  private func names(_ folder: String, in directory: String? = nil) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(directory ?? target.path)/\(folder)")
      .filter { !$0.hasSuffix(".new") }.sorted()
  }

  private func code(_ body: () throws -> Void) -> JournalError.Code? {
    do {
      try body()
      return nil
    } catch let error as JournalError {
      return error.code
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  // MARK: Copying

  @Test(arguments: [0, 1, 7, 8, 9, 255, 256, 4099, 70_000])
  func `The checksum of a file is that of the command cksum`(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 5) }
    let child = try ChildProgram(["sh", "-c", "cksum"])
    let (status, output) = child.run(bytes[...], atMost: 1000)
    #expect(status == 0)
    var parts = CopyChecksum(bytes[..<(count / 3)])
    parts.append(bytes[(count / 3)...])
    #expect(String(decoding: output, as: UTF8.self) == "\(parts.text)\n")
    #expect(CopyChecksum(bytes[...]) == parts)
  }

  @Test func `A copy has the segments and snapshots of its source, and grows with it`() throws {
    let file = try begun()
    let follower = try follower()
    #expect(try complete(follower) == 10)
    #expect(try names("log") == names("log", in: source.path))
    #expect(try names("snapshots") == ["0.snapshot", "6.snapshot"])
    for name in try names("log") {
      let copy = try Data(contentsOf: URL(fileURLWithPath: "\(target.path)/log/\(name)"))
      let original = try Data(contentsOf: URL(fileURLWithPath: "\(source.path)/log/\(name)"))
      #expect(original.starts(with: copy) && !copy.isEmpty, "\(name)")
    }
    #expect(try restored() == 10)
    for revision in 11...20 as ClosedRange<UInt64> {
      try append(revision...revision, to: file)
      #expect(try complete(follower) == revision)
      #expect(try restored() == revision)
    }
    try keep(20, in: file)
    try file.close()
    try complete(follower)
    #expect(try names("snapshots") == ["0.snapshot", "20.snapshot", "6.snapshot"])
    let survey = try LogSurvey(target.path)
    #expect(survey.problems == [] && survey.segments.last?.end == .clean)
    // The next daemon takes over and seals the last segment, which is nothing to the copy.
    let again = try open()
    try append(21...22, to: again)
    #expect(try complete(follower) == 22)
    #expect(try LogSurvey(target.path).problems == [])
    #expect(try restored() == 22)
  }

  @Test func `A copy with one snapshot has both of its files, as the source has`() throws {
    let file = try open()
    try keep(0, in: file)
    try append(1...2, to: file)
    let follower = try follower()
    try complete(follower)
    #expect(try names("snapshots") == ["0.copy", "0.snapshot"])
    try keep(2, in: file)
    try complete(follower)
    #expect(try names("snapshots") == ["0.snapshot", "2.snapshot"])
  }

  @Test func `Another follower continues a copy, and writes no finished file again`() throws {
    let file = try begun()
    try complete(try follower())
    let before = try numbers()
    try append(11...12, to: file)
    #expect(try complete(try follower()) == 12)
    let after = try numbers()
    for (name, number) in before.dropLast() { #expect(after[name] == number, "\(name)") }
    #expect(try LogSurvey(target.path).problems == [])
  }

  /// The numbers of the copy's segments in the file system.
  private func numbers() throws -> [String: Int] {
    var numbers: [String: Int] = [:]
    for name in try names("log").dropLast() {
      let path = "\(target.path)/log/\(name)"
      numbers[name] =
        try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }
    return numbers
  }

  @Test func `Torn ends and drafts of the source are not copied`() throws {
    let file = try begun()
    for name in ["log/00000000000000000001-1.torn", "log/x.new", "snapshots/7.new"] {
      try Data("x".utf8).write(to: URL(fileURLWithPath: "\(source.path)/\(name)"))
    }
    try complete(try follower())
    #expect(try names("log").allSatisfy { $0.hasSuffix(".log") })
    #expect(try names("snapshots") == ["0.snapshot", "6.snapshot"])
    try file.close()
  }

  // MARK: Interruptions

  /// A place whose commands fail after a number of them, before or after their work.
  private func failing(after count: Int, isDone: Bool) throws -> CopyPlace {
    let counter = "\(source.path)-count"
    try Data("\(count)".utf8).write(to: URL(fileURLWithPath: counter))
    let script = """
      n=$(cat "$0"); if [ "$n" -gt 0 ]; then echo $((n - 1)) > "$0"; exec sh -c "$1"; fi
      if [ -n "\(isDone ? "x" : "")" ]; then sh -c "$1" >&2; fi
      exit 255
      """
    return CopyPlace(
      directory: target.path,
      name: target.path,
      by: ["sh", "-c", script, counter],
    )
  }

  @Test(arguments: [false, true])
  func `Wherever a follower is interrupted, the copy restores, and another one continues it`(
    isDone: Bool
  ) throws {
    let file = try begun()
    defer { try? FileManager.default.removeItem(atPath: "\(source.path)-count") }
    var newest: UInt64 = 10
    var reached: UInt64?
    for count in 0..<18 {
      try append(newest + 1...newest + 2, to: file)
      newest += 2
      if count.isMultiple(of: 5) { try keep(newest, in: file) }
      if count.isMultiple(of: 7) { try trim(file) }
      let place = try failing(after: count % 9, isDone: isDone)
      let code = code { _ = try follower(place).pass() }
      #expect(code == nil || code == .busy)
      let found = try restored()
      #expect(found ?? 0 >= reached ?? 0 && found ?? 0 <= newest, "\(count)")
      reached = max(reached ?? 0, found ?? 0)
    }
    #expect(try complete(try follower()) == newest)
    #expect(try restored() == newest)
    #expect(try LogSurvey(target.path).problems == [])
  }

  @Test func `A partial file never has a name`() throws {
    let place = CopyPlace(directory: target.path)
    _ = try place.list(heading: "x", mustExist: false, isQuick: false)
    let bytes = Array("whole".utf8)
    try place.write(bytes[...], to: "log/a", CopyChecksum(bytes[...]))
    for isRest in [false, true] {
      let code = code {
        try place.write(bytes[..<2], to: "log/a", isRest: isRest, CopyChecksum(bytes[...]))
      }
      #expect(code == .busy)
      #expect(try place.read("log/a", nil) == bytes)
      #expect(try names("log") == ["a"])
    }
  }

  @Test func `A command that outlives its follower changes nothing that another one wrote`() throws
  {
    let place = CopyPlace(directory: target.path)
    _ = try place.list(heading: "x", mustExist: false, isQuick: false)
    let (old, new) = (Array("old".utf8), Array("newer".utf8))
    try place.write(old[...], to: "log/a", CopyChecksum(old[...]))
    // The late command expects the file that it was to replace.
    try place.write(new[...], to: "log/a", CopyChecksum(new[...]))
    let late = Array("old and late".utf8)
    let code = code {
      let sum = CopyChecksum(old[...]).text
      try place.write(late[...], to: "log/a", CopyChecksum(late[...]), replacing: .file(sum))
    }
    #expect(code == .busy)
    #expect(try place.read("log/a", nil) == new)
    #expect(try names("log") == ["a"])
  }

  @Test func `A directory that a daemon has used is no copy any more, and keeps its drafts`() throws
  {
    _ = try begun()
    try complete(try follower())
    for name in ["lock", "log/x.new", "snapshots/5.snapshot.x.new"] {
      try Data("x".utf8).write(to: URL(fileURLWithPath: "\(target.path)/\(name)"))
    }
    #expect(code { try complete(follower()) } == .occupied)
    #expect(FileManager.default.fileExists(atPath: "\(target.path)/log/x.new"))
    #expect(FileManager.default.fileExists(atPath: "\(target.path)/snapshots/5.snapshot.x.new"))
  }

  @Test func `A segment that stayed empty and was replaced does not end the copying`() throws {
    let file = try begun()
    try file.close()
    _ = try open()
    try complete(try follower())
    #expect(try names("log").last?.hasSuffix("11-2.log") == true)
    let last = try open()
    for follower in [try follower(), try follower()] { try complete(follower) }
    try append(11...12, to: last)
    #expect(try complete(try follower()) == 12)
    #expect(try LogSurvey(target.path).problems == [])
    #expect(try restored() == 12)
  }

  @Test func `A follower that was away too long begins again with a snapshot, and reports it`()
    throws
  {
    let file = try begun()
    try complete(try follower())
    try append(11...30, to: file)
    try keep(20, in: file)
    try keep(30, in: file)
    try trim(file)
    let events = Events()
    defer { try? FileManager.default.removeItem(atPath: "\(source.path)-count") }
    // At each moment the copy restores to its end or to the new part.
    var count = 0
    while code({
      try complete(follower(failing(after: count, isDone: false), Retention(), events))
    })
      != nil
    {
      let found = try restored()
      #expect(found == 10 || found ?? 0 >= 20, "after \(count) commands")
      count += 1
    }
    #expect(count > 5)
    #expect(events.all.contains(.restarted(after: 10, at: 20)), "\(events.all)")
    #expect(try restored() == 30)
    #expect(try LogSurvey(target.path).problems == [])
    #expect(try names("snapshots").filter { $0.hasPrefix("6") } == [])
  }

  // MARK: Refusals

  @Test func `A directory with other files is no place for a copy`() throws {
    _ = try begun()
    try Data("x".utf8).write(to: URL(fileURLWithPath: "\(target.path)/mine"))
    #expect(code { try complete(follower()) } == .occupied)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["mine"])
    #expect(code { try complete(follower(CopyPlace(directory: source.path))) } == .occupied)
  }

  @Test func `A copy of another history is kept`() throws {
    _ = try begun()
    try complete(try follower())
    for folder in ["log", "snapshots"] {
      try FileManager.default.removeItem(atPath: "\(source.path)/\(folder)")
    }
    _ = try begun()
    let before = try names("log")
    #expect(code { try complete(follower()) } == .occupied)
    #expect(try names("log") == before && restored() == 10)
  }

  @Test func `A copy that has disappeared is not begun again, so that its disk can be mounted`()
    throws
  {
    _ = try begun()
    try complete(try follower())
    let place = "\(target.path)-away"
    try FileManager.default.moveItem(atPath: target.path, toPath: place)
    defer { try? FileManager.default.removeItem(atPath: place) }
    #expect(code { try complete(follower()) } == .busy)
    try FileManager.default.removeItem(atPath: target.path)
    try FileManager.default.moveItem(atPath: place, toPath: target.path)
    #expect(try complete(try follower()) == 10)
  }

  @Test func `Revisions that the source has lost stay in the copy`() throws {
    var file: JournalDirectory? = try begun()
    let old = "\(source.path)-old"
    try FileManager.default.copyItem(atPath: source.path, toPath: old)
    try append(11...12, to: #require(file))
    let follower = try follower()
    try complete(follower)
    file = nil
    try FileManager.default.removeItem(atPath: source.path)
    try FileManager.default.moveItem(atPath: old, toPath: source.path)
    // While no daemon has continued, and after one has.
    for isContinued in [false, true] {
      if isContinued {
        file = try open()
        try append(11...14, to: #require(file))
      }
      #expect(code { try complete(follower) } == .occupied)
      #expect(code { try complete(self.follower()) } == .occupied)
      #expect(try restored() == 12)
    }
  }

  @Test func `A source that went back and continued with the same names is recognized`() throws {
    var file: JournalDirectory? = try open(segmentBytes: 64 << 10)
    try keep(0, in: #require(file))
    try append(1...6, to: #require(file))
    file = nil
    let old = "\(source.path)-old"
    try FileManager.default.copyItem(atPath: source.path, toPath: old)
    file = try open(segmentBytes: 64 << 10)
    try append(7...13, to: #require(file))
    file = nil
    file = try open(segmentBytes: 64 << 10)
    try append(14...14, to: #require(file))
    try complete(try follower())
    file = nil
    // The copy ends with the finished segment of revisions 7 to 13.
    try FileManager.default.removeItem(
      atPath: "\(target.path)/log/\(try #require(names("log").last))"
    )
    try FileManager.default.removeItem(atPath: source.path)
    try FileManager.default.moveItem(atPath: old, toPath: source.path)
    file = try open(segmentBytes: 64 << 10)
    try append(7...17, to: #require(file))
    #expect(code { try complete(follower()) } == .occupied)
    file = nil
    file = try open(segmentBytes: 64 << 10)
    try append(18...18, to: #require(file))
    #expect(code { try complete(follower()) } == .occupied)
    #expect(try restored() == 13)
  }

  @Test func `Entries that a takeover has voided leave the copy`() throws {
    let first = try open(segmentBytes: 64 << 10)
    try keep(0, in: first)
    try append(1...10, to: first)
    let follower = try follower()
    let newest = try #require(LogSegment.all(in: source.path).last)
    // The entry of a daemon that did not notice that it was fenced.
    let before = try Data(contentsOf: URL(fileURLWithPath: newest.path(in: source.path)))
    try append(11...11, to: first)
    try complete(follower)
    let after = try Data(contentsOf: URL(fileURLWithPath: newest.path(in: source.path)))
    try before.write(to: URL(fileURLWithPath: newest.path(in: source.path)))
    let second = try open()
    try after.write(to: URL(fileURLWithPath: newest.path(in: source.path)))
    try append(11...13, to: second)
    #expect(try complete(follower) == 13)
    #expect(try restored() == 13)
  }

  // MARK: Damage

  private func flip(_ path: String) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    data[data.count - 40] ^= 1
    try data.write(to: URL(fileURLWithPath: path))
  }

  /// Damages the records of the first entry of a segment of the source.
  private func damage(_ name: String) throws {
    try SegmentEditor("\(source.path)/log/\(name)").write {
      $0.bytes[$0.entries[0].lowerBound + LogEntry.Head.bytes + 1] ^= 1
    }
  }

  @Test func `A damaged file of the copy is copied again`() throws {
    let file = try begun()
    try append(11...30, to: file)
    try complete(try follower())
    let logs = try names("log").map { "log/\($0)" }
    for name in [logs[1], try #require(logs.last), "snapshots/6.snapshot"] {
      try flip("\(target.path)/\(name)")
      let events = Events()
      #expect(try complete(follower(nil, Retention(), events)) == 30)
      #expect(events.all == [.replaced(name)])
      #expect(try LogSurvey(target.path).problems == [])
    }
  }

  @Test func `A damaged file that the source no longer has stays, with the history before it`()
    throws
  {
    let file = try begun()
    try complete(try follower())
    try append(11...20, to: file)
    try keep(12, in: file)
    try complete(try follower())
    try keep(20, in: file)
    try trim(file)
    let name = "log/\(try names("log")[1])"
    try flip("\(target.path)/\(name)")
    let before = try names("log")
    let events = Events()
    try complete(try follower(nil, Retention(), events))
    #expect(events.all == [.stale(name)])
    #expect(try names("log") == before)
    #expect(try LogSurvey(target.path).isDamaged)
    #expect(try restored() == 20)
  }

  @Test func `Damage in old history of the source shortens the copy, and is reported`() throws {
    let file = try begun()
    try append(11...30, to: file)
    try keep(20, in: file)
    try keep(30, in: file)
    let logs = try names("log", in: source.path)
    try damage(logs[1])
    let events = Events()
    #expect(try complete(follower(nil, Retention(), events)) == 30)
    #expect(events.all.count == 1, "\(events.all)")
    #expect(try LogSurvey(target.path).problems == [])
    #expect(try restored() == 30)
  }

  @Test func `A copy keeps what is damaged in the source`() throws {
    var file: JournalDirectory? = try begun()
    let follower = try follower()
    try complete(follower)
    let newest = try #require(names("log", in: source.path).last)
    file = nil
    try damage(newest)
    #expect(code { try complete(follower) } == .corrupt)
    // A daemon that starts has it in its past.
    let path = "\(source.path)/log/\(newest)"
    let damaged = try Data(contentsOf: URL(fileURLWithPath: path))
    try damage(newest)
    file = try open()
    try append(11...12, to: #require(file))
    try damaged.write(to: URL(fileURLWithPath: path))
    let before = try names("log")
    for follower in [follower, try self.follower()] {
      #expect(code { try complete(follower) } == .corrupt)
      #expect(try names("log") == before && restored() == 10)
    }
  }

  @Test func `Damage that a restart would meet ends the copying`() throws {
    let file = try begun()
    try append(11...30, to: file)
    let logs = try names("log", in: source.path)
    try damage(logs[logs.count - 2])
    #expect(code { try complete(follower()) } == .corrupt)
  }

  // MARK: Old history

  @Test func `A copy keeps history as long as its own retention wants`() throws {
    let file = try begun()
    let follower = try follower(nil, Retention(bytes: 20_000))
    try complete(follower)
    for revision in stride(from: UInt64(11), to: 60, by: 1) {
      try append(revision...revision, to: file)
      if revision.isMultiple(of: 10) {
        try keep(revision, in: file)
        try trim(file)
      }
      try complete(follower)
    }
    let oldest = try #require(LogSegment.all(in: target.path).first?.first)
    let kept = try #require(LogSegment.all(in: source.path).first?.first)
    #expect(oldest > 1 && oldest < kept)
    #expect(try LogSurvey(target.path).problems == [])
    #expect(try restored() == 59)
    // Age: the newest record is of second 59.
    try complete(try self.follower(nil, Retention(age: .seconds(5))))
    #expect(try LogSegment.all(in: target.path).first?.first == kept)
    #expect(try names("snapshots") == ["40.snapshot", "50.snapshot"])
    #expect(try restored() == 59)
  }

  @Test func `What the retention would remove at once is not copied`() throws {
    let file = try begun()
    try append(11...60, to: file)
    for revision in [40, 60] as [UInt64] { try keep(revision, in: file) }
    let follower = try follower(nil, Retention(bytes: 10))
    try complete(follower)
    let before = try numbers()
    #expect(try LogSegment.all(in: target.path).first?.first ?? 0 > 30)
    try complete(follower)
    #expect(try numbers() == before)
    #expect(try names("snapshots") == ["40.snapshot", "60.snapshot"])
    #expect(try restored() == 60)
  }

  // MARK: The note in the source

  @Test func `A file of the source that cannot be found again and again is a fault`() throws {
    _ = try begun()
    let follower = try follower()
    try complete(follower)
    try FileManager.default.createSymbolicLink(
      atPath: "\(source.path)/log/00000000000000099999-9.log",
      withDestinationPath: "/nonexistent",
    )
    #expect(code { try complete(follower) } == .busy)
    #expect(FollowerNote.all(in: source.path).first?.fault != nil)
  }

  @Test func `A clock that was set back does not end a follower`() throws {
    _ = try begun()
    try complete(try follower())
    var note = try #require(FollowerNote.all(in: source.path).first)
    note.completeAt += 3_600_000
    try note.write(to: source.path)
    try complete(try follower())
    #expect(try #require(FollowerNote.all(in: source.path).first).completeAt < note.completeAt)
  }

  @Test func `A note is written through no link`() throws {
    _ = try begun()
    let victim = "\(target.path)/victim"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: victim))
    let note = FollowerNote(target: "x", pid: 1, revision: 1, completeAt: 1)
    try note.write(to: source.path)
    let folder = "\(source.path)/followers"
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/\(name).new",
      withDestinationPath: victim,
    )
    try note.write(to: source.path)
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: target.path)
    #expect(code { try note.write(to: source.path) } == .busy)
  }

  @Test func `The source has a note on each copy, also on one that is not reached`() throws {
    let file = try begun()
    let follower = try follower()
    try complete(follower)
    let note = try #require(FollowerNote.all(in: source.path).first)
    #expect(note.revision == 10 && note.target == target.path && note.fault == nil)
    #expect(note.pid == getpid() && note.completeAt > 0)
    defer { try? FileManager.default.removeItem(atPath: "\(source.path)-count") }
    follower.place = try failing(after: 0, isDone: false)
    try append(11...11, to: file)
    #expect(code { try complete(follower) } == .busy)
    let faulty = try #require(FollowerNote.all(in: source.path).first)
    #expect(faulty.revision == 10 && faulty.fault?.contains("255") == true)
    follower.place = CopyPlace(directory: target.path)
    try complete(follower)
    #expect(FollowerNote.all(in: source.path).map(\.fault) == [nil])
    #expect(FollowerNote.all(in: source.path).map(\.revision) == [11])
  }
}
