import Foundation
import StoreHistory
import StoreState
import Synchronization
import Testing

@testable import StoreJournal

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file system error during a read is not treated as damage: it is reported, and no file is
/// deleted because of it.
@Suite(.timeLimit(.minutes(1))) struct JournalReadErrorTests {
  private let directory: JournalDirectoryTests.Directory

  init() throws { directory = try JournalDirectoryTests.Directory() }

  private func unbegun(segmentBytes: Int = 1) throws -> JournalDirectory {
    try JournalDirectory(
      directory: directory.path,
      root: "Test",
      schema: SchemaRegistry.document(for: [Int].self),
      durability: .full,
      epoch: 7,
      segmentBytes: segmentBytes,
    )
  }

  /// A history of six revisions, each in its own segment, with snapshots of 2, 4 and 6.
  private func history() throws {
    let file = try unbegun()
    try file.begin()
    for revision in 1...6 as ClosedRange<UInt64> {
      try file.append(
        JournalBatch(
          revisions: revision...revision,
          records: [UInt8(revision)],
          sessionNumbers: 3,
        )
      )
      if revision.isMultiple(of: 2) { try file.write([UInt8(revision)], of: revision) }
    }
    try file.close()
  }

  private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  private var names: [String] {
    get throws { try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted() }
  }

  /// Starts a daemon.
  private func start() throws {
    let file = try unbegun()
    _ = try file.read { _ throws(CodecError) in }
    try file.begin()
    try file.close()
  }

  private func error(_ body: () throws -> Void) -> (any Error)? {
    do { try body() } catch { return error }
    return nil
  }

  /// An unreadable object in a file's place, without a wrong checksum.
  private enum Obstacle: CaseIterable {
    case loop, folder, fifo

    func put(at path: String) throws {
      try FileManager.default.moveItem(atPath: path, toPath: "\(path).aside")
      switch self {
      case .loop:
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
      case .folder:
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      case .fifo:
        guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
      }
    }

    func remove(from path: String) throws {
      guard unlink(path) == 0 || rmdir(path) == 0 else { throw CocoaError(.fileWriteUnknown) }
      try FileManager.default.moveItem(atPath: "\(path).aside", toPath: path)
    }

    /// The text in the error message.
    var words: String {
      switch self {
      case .loop: String(cString: strerror(ELOOP))
      case .folder, .fifo: "not a regular file"
      }
    }
  }

  @Test(arguments: [
    "snapshots/6.snapshot", "log/00000000000000000006-1.log", "snapshots", "log",
  ])
  func `An error of the moment is named, keeps a daemon from starting, and leaves all files`(
    _ name: String
  ) throws {
    try history()
    let isFolder = !name.contains("/")
    for obstacle in Obstacle.allCases where obstacle == .loop || !isFolder {
      try obstacle.put(at: path(name))
      let before = try names
      let refusal = try #require(error { try start() } as? JournalError)
      #expect(refusal.code == .unreadable, "\(refusal)")
      #expect(refusal.message.contains(path(name)), "\(refusal)")
      #expect(refusal.message.contains(obstacle.words), "\(refusal)")
      #expect(!refusal.message.contains("damaged"), "\(refusal)")
      #expect(try names == before)
      let reading = error { _ = try JournalReader(directory: directory.path).extent() }
      let words = "\(try #require(reading, "\(obstacle)"))"
      #expect(words.contains(path(name)) && words.contains(obstacle.words), "\(words)")
      #expect(!words.contains("damaged"), "\(words)")
      try obstacle.remove(from: path(name))
    }
    // When the file is readable again, the directory is unchanged.
    try start()
    #expect(try names.contains("snapshots/6.snapshot"))
  }

  @Test func `A lock that is no file is reported as such`() throws {
    let lock = path(DirectoryLock.name)
    let ways: [() throws -> Void] = [
      { guard mkfifo(lock, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) } },
      {
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
      },
      { try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: "there") },
    ]
    for way in ways {
      try way()
      #expect(throws: DirectoryLock.Failure.irregular) { try DirectoryLock(directory.path) }
      #expect(DirectoryLock.holder(of: directory.path) == nil)
      let heading = HistoryHeading(root: "Test", epoch: 1, wasStopped: true)
      let refusal = error { _ = try JournalCopy(heading, to: directory.path) } as? JournalError
      #expect(refusal?.code == .occupied && refusal?.message.contains(lock) == true)
      guard unlink(lock) == 0 || rmdir(lock) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
    withExtendedLifetime(try DirectoryLock(directory.path)) {}
  }

  @Test func `A snapshot that cannot be read now is kept when old ones are let go of`() throws {
    try history()
    let file = try unbegun()
    try file.begin()
    let obstacle = Obstacle.loop
    try obstacle.put(at: path("snapshots/6.snapshot"))
    let refusal = error { try file.checkSnapshot(before: 7) } as? JournalError
    #expect(refusal?.code == .unreadable && refusal?.code.isForNow == true)
    try obstacle.remove(from: path("snapshots/6.snapshot"))
    #expect(try file.unneededSnapshots().allSatisfy { !$0.contains("/6.") })
  }

  @Test func `Too many open files are reported as such, and as a passing fault`() {
    errno = EMFILE
    let busy = DurableFile.unreadable("list", "/x")
    #expect(busy.code == .busy && busy.message.contains(String(cString: strerror(EMFILE))))
    errno = EIO
    let broken = DurableFile.unreadable("open", "/x")
    #expect(broken.code == .unreadable)
    #expect(broken.message.contains(String(cString: strerror(EIO))))
  }

  @Test func `A segment or a snapshot of a size that no memory has is refused by its size`() throws
  {
    try history()
    let segment = path("log/00000000000000000006-1.log")
    let size = off_t(1) << 40
    try #require(truncate(segment, size) == 0)
    let refusal = try #require(error { try start() } as? JournalError)
    #expect(refusal.code == .corrupt && refusal.message.contains("\(size) bytes"), "\(refusal)")
    #expect(error { _ = try JournalReader.whole(directory: directory.path) } != nil)
    let snapshot = path("snapshots/6.snapshot")
    try #require(truncate(snapshot, size) == 0)
    #expect(try SnapshotFile.read(snapshot, 6) == nil, "It ends with zeros")
    let reading = error { _ = try DurableFile.read(snapshot) } as? JournalError
    #expect(reading?.code == .unreadable && reading?.message.contains("\(size) bytes") == true)
  }

  /// Returns bytes that look like large entries to a reader without the key.
  private static func lookalikes(_ count: Int, length: Int) -> [UInt8] {
    var head = LogEntry.Head(
      length: length,
      kind: .records,
      count: 200_000,
      first: 9,
      last: 9,
      sessionNumbers: 1,
      before: 0,
    )
    let entry = LogEntry.encode(&head, Array(repeating: 0, count: 200_000), key: 0)
    return (0..<count).flatMap { _ in entry.prefix(length) } + Array(repeating: 1, count: 200_000)
  }

  @Test
  func `A search after a torn entry of format 4 does no more for text that looks like entries`()
    throws
  {
    let file = try unbegun(segmentBytes: 1 << 20)
    try file.begin()
    try file.append(
      JournalBatch(
        revisions: 1...1,
        records: Self.lookalikes(3_000, length: LogEntry.Head.bytes),
        sessionNumbers: 3,
      )
    )
    let path = try #require(LogSegment.all(in: directory.path).last).path(in: directory.path)
    // The head is torn as well, so the entry's size is unknown.
    try SegmentEditor(path).write {
      $0.header.boot = "earlier"
      $0.bytes[$0.entries[0].lowerBound + 8] ^= 1
    }
    let steps = Mutex(0)
    let again = try JournalDirectory(
      directory: directory.path,
      root: "Test",
      schema: SchemaRegistry.document(for: [Int].self),
      durability: .full,
      epoch: 7,
      onSearch: LogSearch { _, _ in
        steps.withLock { $0 += 1 }
        return true
      },
    )
    #expect(again.opening.newest == 0 && again.opening.tornBytes > 390_000)
    // In format 3 each of them would be verified: 600 MB.
    #expect(steps.withLock { $0 } == 0, "A step has 4 MiB, and the text less")
    withExtendedLifetime(file) {}
  }

  @Test func `A search after a torn entry reports its progress, and can be stopped`() throws {
    try history()
    let file = try unbegun(segmentBytes: 1 << 20)
    try file.begin()
    let path = try #require(LogSegment.all(in: directory.path).last).path(in: directory.path)
    // The format in which such bytes slow down a search.
    var segment = EarlierSegment(try SegmentEditor(path).header)
    segment.append(7...7, Self.lookalikes(100, length: LogEntry.Head.earlierBytes))
    try segment.write(to: path)
    try SegmentEditor(path).write { $0.bytes[$0.entries[0].upperBound - 9] ^= 1 }
    let places = Mutex<[Int]>([])
    func open(_ goesOn: Bool) throws -> JournalDirectory {
      try JournalDirectory(
        directory: directory.path,
        root: "Test",
        schema: SchemaRegistry.document(for: [Int].self),
        durability: .full,
        epoch: 7,
        onSearch: LogSearch { place, count in
          places.withLock { $0.append(place) }
          return goesOn && place < count
        },
      )
    }
    let refusal = error { _ = try open(false) } as? JournalError
    #expect(refusal?.code == .busy && refusal?.message.contains("torn") == true)
    #expect(places.withLock { $0.count } == 1)
    let again = try open(true)
    #expect(again.opening.newest == 6 && again.opening.tornBytes > 0)
    #expect(places.withLock { $0.count } > 3)
    withExtendedLifetime(file) {}
  }

  @Test func `A limit of files' sizes below a segment is reported with both numbers`() throws {
    let refusal = error {
      try JournalDirectory.checkFileLimit(atLeast: 4 << 20, 1 << 20)
    }
    let words = "\(try #require(refusal))"
    #expect(words.contains("1048576") && words.contains("4194304") && words.contains("ulimit -f"))
    try JournalDirectory.checkFileLimit(atLeast: 4 << 20, 4 << 20)
    try JournalDirectory.checkFileLimit(atLeast: 4 << 20, nil)
    errno = EFBIG
    #expect(DurableFile.failure("write", "/x").code == .full)
    errno = EFBIG
    #expect(DurableFile.failure("sync", "/x", isKnown: false).code == .system)
  }

  #if os(Linux)
  @Test func `A file system that is not known to be local may be written by another machine`() {
    let numbers: [String: UInt32] = [
      "nfs": 0x6969, "cifs": 0xff53_4d42, "smb2": 0xfe53_4d42, "fuse": 0x6573_5546,
      "9p": 0x0102_1997, "ceph": 0x00c3_6400, "gfs2": 0x0116_1970, "ocfs2": 0x7461_636f,
      "afs": 0x5346_414f, "vboxsf": 0x786f_4256, "none": 0,
    ]
    for (name, number) in numbers { #expect(!FileSystemKind.isLocal(number), "\(name)") }
    #expect(FileSystemKind.isShared("/proc"), "It is no kind that is known to be local")
    #expect(FileSystemKind.isShared("/not/there"), "Its file system is unknown")
    #expect(!FileSystemKind.isInMemory("/not/there") && !FileSystemKind.isInMemory("/proc"))
    if FileManager.default.isWritableFile(atPath: "/dev/shm") {
      #expect(FileSystemKind.isInMemory("/dev/shm") && !FileSystemKind.isShared("/dev/shm"))
    }
  }

  @Test func `The kind of a file system is known without the list of mounts`() throws {
    let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
    let known = ["ext4", "xfs", "btrfs", "overlay", "tmpfs"]
    for mount in mounts.split(separator: "\n").map({ $0.split(separator: " ") })
    where mount.count > 2 && known.contains(String(mount[2])) && mount[1] == "/" {
      #expect(!FileSystemKind.isShared("/"), "\(mount)")
    }
  }
  #endif

  @Test func `A snapshot of a later format is refused by its number, and is no damage`() throws {
    try history()
    let path = path("snapshots/6.snapshot")
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var flipped = whole
    flipped[whole.count - 24] ^= 4
    try Data(flipped).write(to: URL(fileURLWithPath: path))
    #expect(try SnapshotFile.read(path, 6) == nil, "It has no checksum")
    let other = SnapshotFile.trailer(of: [6], 6, [1], format: 5)
    try Data([6] + other).write(to: URL(fileURLWithPath: path))
    let refusal = try #require(error { try start() } as? JournalError)
    #expect(refusal.code == .newer && refusal.message.contains("format 5"), "\(refusal)")
    #expect(try names.contains("snapshots/6.snapshot"))
  }
}
