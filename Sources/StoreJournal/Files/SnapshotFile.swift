import Foundation
import StoreBytes
import StoreReplication

/// The file of a snapshot: its bytes, and behind them what says which they are.
///
/// That is the schema of the program that wrote it in its form; then, little-endian, the revision,
/// eight bytes, the format and how many bytes the schema has, four bytes each, the checksum of all
/// before, eight bytes, and eight bytes that say what it is.
struct SnapshotFile {
  private static let magic = Array("snapshot".utf8)
  private static let fixedBytes = 32

  let path: String
  /// Nil for what is none that is finished.
  let revision: UInt64?

  static func folder(in directory: String) -> String { "\(directory)/snapshots" }

  /// The file of the snapshot of a revision.
  static func path(of revision: UInt64, in directory: String) -> String {
    "\(folder(in: directory))/\(revision).snapshot"
  }

  /// What is in the folder of snapshots.
  static func all(in directory: String) throws(JournalError) -> [SnapshotFile] {
    let folder = folder(in: directory)
    return try DurableFile.names(in: folder).map { name in
      let path = "\(folder)/\(name)"
      let revision = UInt64(name.prefix { $0 != "." }) ?? .max
      let isWhole =
        revision <= KeptHistory.greatestNumber && path == Self.path(of: revision, in: directory)
      return SnapshotFile(path: path, revision: isWhole ? revision : nil)
    }
  }

  /// The revisions of which there are snapshots, newest first.
  static func revisions(
    in directory: String,
    upTo revision: UInt64 = .max,
  ) throws(JournalError) -> [UInt64] {
    try all(in: directory).compactMap(\.revision).filter { $0 <= revision }.sorted(by: >)
  }

  /// The revisions of which there are snapshots, newest first.
  ///
  /// A file says that history went beyond the end of the log only where it can be read.
  static func revisions(
    in directory: String,
    readableBehind last: UInt64,
  ) throws(JournalError) -> [UInt64] {
    var found = try revisions(in: directory)[...]
    while let newest = found.first, newest > last, try read(newest, in: directory) == nil {
      found = found.dropFirst()
    }
    return Array(found)
  }

  /// What is behind the bytes of a snapshot.
  static func trailer(
    of bytes: [UInt8],
    _ revision: UInt64,
    schema: [UInt8],
    format: Int = JournalDirectory.format,
  ) -> [UInt8] {
    var trailer = schema + LogHeader.littleEndian(revision, 8)
    trailer += LogHeader.littleEndian(format, 4)
    trailer += LogHeader.littleEndian(schema.count, 4)
    return trailer + LogHeader.littleEndian(sum(bytes[...], trailer[...]), 8) + magic
  }

  /// A snapshot that is as it was written.
  struct Contents {
    var bytes: [UInt8]
    var schema: [UInt8]
  }

  /// Reads the snapshot of a revision.
  ///
  /// - Returns: Nil where its file is gone, or is not as it was written.
  /// - Throws: ``JournalError``, where the file cannot be read now, or has another format.
  static func read(
    _ revision: UInt64,
    in directory: String,
  ) throws(JournalError) -> Contents? {
    let path = path(of: revision, in: directory)
    // Its end first: a file that is none of ours may have any size.
    guard let end = try DurableFile.read(path, atMost: fixedBytes, atEnd: true),
      Trailer(end[...])?.revision == revision, var bytes = try DurableFile.read(path),
      let trailer = Trailer(bytes[max(0, bytes.count - fixedBytes)...]),
      trailer.revision == revision, bytes.count - fixedBytes >= trailer.schemaBytes
    else { return nil }
    let start = bytes.count - fixedBytes - trailer.schemaBytes
    guard sum(bytes[..<start], bytes[start..<(bytes.count - 16)]) == trailer.sum else { return nil }
    try JournalDirectory.check(
      format: trailer.format,
      of: "The snapshot \(path)",
      from: JournalDirectory.format,
    )
    let schema = Array(bytes[start..<(bytes.count - fixedBytes)])
    bytes.removeSubrange(start...)
    return Contents(bytes: bytes, schema: schema)
  }

  private struct Trailer {
    let revision: UInt64
    let format: Int
    let schemaBytes: Int
    let sum: UInt64

    init?(_ bytes: ArraySlice<UInt8>) {
      guard bytes.count == fixedBytes, bytes.suffix(8) == magic[...] else { return nil }
      let fields = Array(bytes)
      format = Int(LogHeader.number(fields[8..<12]))
      revision = LogHeader.number(fields[0..<8])
      schemaBytes = Int(LogHeader.number(fields[12..<16]))
      sum = LogHeader.number(fields[16..<24])
    }
  }

  private static func sum(_ bytes: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>) -> UInt64 {
    var hasher = SipHash24()
    bytes.withUnsafeBytes { hasher.append($0) }
    rest.withUnsafeBytes { hasher.append($0) }
    return hasher.finish()
  }
}
