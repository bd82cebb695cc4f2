import Dispatch
import StoreHistory
import StoreJournal
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps one batch after the other in a directory, as a daemon does, with snapshots.
///
/// It appends each revision to the file `marks` as soon as the revision is durable.
///
/// `JournalProbe DIR BATCHES DURABILITY [FLAG [BYTES]]`. With a flag, a file of that name is
/// created now and then, which makes syncs fail. After each failure of the journal the file is
/// removed, and the probe continues as the next daemon does. A revision's record is its number,
/// eight bytes, and then arbitrary bytes, whose count follows from the number (``length(of:)``).
/// With BYTES each batch is a record of that size, and segments have room for some of them.
@main
@MainActor
final class JournalProbe {
  private var journal: DiskJournal
  private let directory: String
  private let durability: Durability
  private let marks: Int32
  private let batches: Int
  /// The file that makes syncs fail; nil for a run without failures.
  private let flag: String?
  /// The bytes of each record; nil if they follow from its number.
  private let recordBytes: Int?
  private var appended = 0
  private var revision: UInt64 = 0

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let batches = Int(arguments[2]),
      let durability = Durability(rawValue: arguments[3])
    else {
      print("JournalProbe DIR BATCHES DURABILITY [FLAG [BYTES]]")
      exit(64)
    }
    let flag = arguments.count > 4 && !arguments[4].isEmpty ? arguments[4] : nil
    let bytes = arguments.count > 5 ? Int(arguments[5]) : nil
    let probe = try JournalProbe(arguments[1], batches, durability, flag, bytes)
    probe.appendNext()
    withExtendedLifetime(probe) { dispatchMain() }
  }

  private init(
    _ directory: String,
    _ batches: Int,
    _ durability: Durability,
    _ flag: String?,
    _ recordBytes: Int?,
  ) throws {
    (self.directory, self.durability) = (directory, durability)
    (self.batches, self.flag, self.recordBytes) = (batches, flag, recordBytes)
    marks = open("\(directory)/marks", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let file = try Self.begun(directory, durability, recordBytes)
    revision = file.opening.newest
    if revision == 0 { try file.write(Self.snapshot(0), of: 0) }
    journal = DiskJournal(file, Retention(bytes: 100_000))
    journal.onResult = { [unowned self] in take($0) }
  }

  private static func begun(
    _ directory: String,
    _ durability: Durability,
    _ recordBytes: Int?,
  ) throws -> JournalDirectory {
    let file = try JournalDirectory(
      directory: directory,
      root: "Probe",
      schema: SchemaRegistry.document(for: [UInt64].self),
      durability: durability,
      epoch: 7,
      segmentBytes: recordBytes.map { 4 * $0 } ?? 64 << 10,
    )
    _ = try file.read { _ in }
    try file.begin()
    return file
  }

  /// Continues as the next daemon does, with a working disk.
  private func goOn() {
    guard let flag else { return }
    unlink(flag)
    journal.onResult = { _ in }
    do {
      let file = try Self.begun(directory, durability, recordBytes)
      revision = file.opening.newest
      journal = DiskJournal(file, Retention(bytes: 100_000))
      journal.onResult = { [unowned self] in take($0) }
      appendNext()
    } catch let error as JournalError where error.code == .busy {
      // The journal that has failed still removes old files: the next daemon starts again.
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(10)) {
        MainActor.assumeIsolated { self.goOn() }
      }
    } catch {
      print(error)
      exit(70)
    }
  }

  /// Creates the file that makes syncs fail, at every twelfth batch.
  private func failSometimes() {
    guard let flag, appended % 12 == 0 else { return }
    close(open(flag, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
  }

  /// The count of bytes after the number in a revision's record: mostly small, sometimes many
  /// pages.
  private static func length(of revision: UInt64) -> Int {
    let mixed = revision &* 0x9e37_79b9_7f4a_7c15
    return Int(mixed >> 40) % (revision.isMultiple(of: 11) ? 60_000 : 300)
  }

  nonisolated private static func snapshot(_ revision: UInt64) -> [UInt8] {
    number(revision) + Array(repeating: 7, count: 5_000)
  }

  private static func record(_ revision: UInt64) -> [UInt8] {
    number(revision) + Array(repeating: 9, count: length(of: revision))
  }

  nonisolated private static func number(_ revision: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: revision >> (8 * UInt64($0))) }
  }

  private func appendNext() {
    appended += 1
    failSometimes()
    let first = revision + 1
    revision += recordBytes == nil ? 1 + UInt64(appended % 5) : 1
    let records = recordBytes.map { Self.number(first) + Array(repeating: 9, count: $0 - 8) }
    journal.append(
      JournalBatch(
        revisions: first...revision,
        records: records ?? (first...revision).flatMap(Self.record),
        sessionNumbers: 1,
      )
    )
  }

  private func take(_ result: JournalResult) {
    switch result {
    case .durable(let revision):
      let mark = Array("\(revision)\n".utf8)
      guard write(marks, mark, mark.count) == mark.count else { exit(74) }
      if appended.isMultiple(of: 20) {
        journal.store(JournalSnapshot(revision: revision) { Self.snapshot(revision) })
      }
      if appended >= batches { exit(0) }
      appendNext()
    case .snapshot(problem: nil): break
    case .failed where flag != nil: goOn()
    case .snapshot, .retryLater, .renewed, .unrenewed, .untrimmed, .failed, .fenced:
      print(result)
      exit(71)
    }
  }
}
