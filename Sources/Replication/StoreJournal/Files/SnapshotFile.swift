import Foundation
import StoreBytes
import StoreHistory
import StoreState

/// The file of a snapshot: its bytes, then a trailer that identifies it.
///
/// The trailer begins with a map with numbered keys: the schema of the program that wrote it, its
/// history, and the checksum of the entry that ends at its revision. Then follow, little-endian:
/// the revision in eight bytes; the format and the size of the map in four bytes each; the checksum
/// of all preceding bytes in eight bytes; and an eight-byte magic. In format 3 the schema alone
/// takes the place of the map.
///
/// While only one revision has a readable snapshot, its file has a copy.
struct SnapshotFile {
  private static let magic = Array("snapshot".utf8)
  private static let fixedBytes = 32
  private static let suffix = ".snapshot"
  static let copySuffix = ".copy"

  let path: String
  /// Nil for a file that is not a complete snapshot.
  let revision: UInt64?
  /// Whether it is the second file of a revision.
  let isCopy: Bool

  static func folder(in directory: String) -> String { "\(directory)/snapshots" }

  /// Returns the first or second file of a revision's snapshot.
  static func path(
    of revision: UInt64,
    in directory: String,
    isCopy: Bool = false,
  ) -> String {
    "\(folder(in: directory))/\(revision)\(isCopy ? copySuffix : suffix)"
  }

  /// Returns the revision of a snapshot's file, named as in a copy; nil for other names.
  static func revision(copyName name: String) -> UInt64? {
    let file = name.split(separator: "/").last.map(String.init) ?? ""
    guard let revision = UInt64(file.prefix { $0 != "." }),
      [false, true].contains(where: { copyName(of: revision, isCopy: $0) == name })
    else { return nil }
    return revision
  }

  /// Returns the name of a snapshot's file in its data directory.
  static func copyName(of revision: UInt64, isCopy: Bool) -> String {
    "snapshots/\(revision)\(isCopy ? copySuffix : suffix)"
  }

  /// Lists the folder of snapshots.
  static func all(in directory: String) throws(JournalError) -> [SnapshotFile] {
    let folder = folder(in: directory)
    return try DurableFile.names(in: folder).map { name in
      let path = "\(folder)/\(name)"
      let revision = UInt64(name.prefix { $0 != "." }) ?? .max
      let isCopy = path == Self.path(of: revision, in: directory, isCopy: true)
      let isWhole =
        revision <= KeptHistory.greatestNumber
        && (isCopy || path == Self.path(of: revision, in: directory))
      return SnapshotFile(path: path, revision: isWhole ? revision : nil, isCopy: isCopy)
    }
  }

  /// Returns the revisions that have snapshots, newest first.
  static func revisions(
    in directory: String,
    upTo revision: UInt64 = .max,
  ) throws(JournalError) -> [UInt64] {
    Set(try all(in: directory).compactMap(\.revision)).filter { $0 <= revision }.sorted(by: >)
  }

  /// The fields of a snapshot's trailer.
  struct Fields: Hashable {
    /// The schema of the program that wrote it, in its form.
    var schema: [UInt8]
    /// The snapshot's history; 0 if it is unknown, as in format 3.
    var history: UInt64 = 0
    /// The checksum of the entry that ends at its revision; nil if it is unknown.
    var sum: UInt64?

    private enum Key {
      static let schema: UInt64 = 0
      static let history: UInt64 = 1
      static let sum: UInt64 = 2
    }

    init(schema: [UInt8], history: UInt64 = 0, sum: UInt64? = nil) {
      self.schema = schema
      self.history = history
      self.sum = sum
    }

    var encoded: [UInt8] {
      var encoder = CBOREncoder()
      encoder.mapHeader(sum == nil ? 2 : 3)
      encoder.encode(unsigned: Key.schema)
      encoder.encode(bytes: schema)
      encoder.encode(unsigned: Key.history)
      encoder.encode(unsigned: history)
      if let sum {
        encoder.encode(unsigned: Key.sum)
        encoder.encode(unsigned: sum)
      }
      return encoder.bytes
    }

    /// Returns nil for invalid fields.
    fileprivate init?(_ bytes: ArraySlice<UInt8>, _ trailer: Trailer) {
      guard trailer.format > JournalDirectory.oldest else {
        self.init(schema: Array(bytes))
        return
      }
      do throws(CodecError) { try self.init(bytes) } catch { return nil }
    }

    init(_ bytes: ArraySlice<UInt8>) throws(CodecError) {
      var decoder = CBORDecoder(bytes)
      var schema: [UInt8]?
      (history, sum) = (0, nil)
      for _ in 0..<(try decoder.mapHeader()) {
        switch try decoder.unsigned() {
        case Key.schema: schema = try decoder.byteString()
        case Key.history: history = try decoder.unsigned()
        case Key.sum: sum = try decoder.unsigned()
        default: try decoder.skipItem()
        }
      }
      try decoder.finish()
      guard let schema else { throw decoder.error(.typeMismatch, "a snapshot has a schema") }
      self.schema = schema
    }
  }

  /// Returns the bytes that follow a snapshot's bytes.
  static func trailer(of bytes: [UInt8], _ revision: UInt64, _ fields: Fields) -> [UInt8] {
    trailer(of: bytes, revision, fields.encoded, format: JournalDirectory.format)
  }

  static func trailer(
    of bytes: [UInt8],
    _ revision: UInt64,
    _ fields: [UInt8],
    format: Int,
  ) -> [UInt8] {
    var trailer = fields + LogHeader.littleEndian(revision, 8)
    trailer += LogHeader.littleEndian(format, 4)
    trailer += LogHeader.littleEndian(fields.count, 4)
    return trailer + LogHeader.littleEndian(sum(bytes[...], trailer[...]), 8) + magic
  }

  /// An intact snapshot.
  struct Contents {
    var bytes: [UInt8]
    var fields: Fields
    /// Whether the first file is damaged, and this is the second one.
    var isCopy = false

    var schema: [UInt8] { fields.schema }
  }

  /// Reads the fields of a file's trailer, without verifying its checksum.
  ///
  /// - Returns: Nil if there is no file, or its trailer is invalid.
  static func fields(_ path: String, _ revision: UInt64) throws(JournalError) -> Fields? {
    var most = usualBytes
    while true {
      guard let end = try DurableFile.read(path, atMost: most, atEnd: true),
        let trailer = Trailer(end.suffix(fixedBytes)), trailer.revision == revision,
        trailer.format <= JournalDirectory.format
      else { return nil }
      let count = fixedBytes + trailer.fieldBytes
      if end.count >= count { return Fields(end.suffix(count).dropLast(fixedBytes), trailer) }
      guard end.count == most, most < .max else { return nil }
      most = .max
    }
  }

  private static let usualBytes = 64 << 10

  /// Reads one file of a snapshot.
  static func read(
    _ path: String,
    _ revision: UInt64,
  ) throws(JournalError) -> Contents? {
    guard let bytes = try bytes(path, revision) else { return nil }
    // Given away, because a snapshot may be large.
    return try contents(of: consume bytes, path, revision)
  }

  /// Reads all bytes of a file whose end is that of the revision's snapshot.
  static func bytes(_ path: String, _ revision: UInt64) throws(JournalError) -> [UInt8]? {
    // The end is read first: a file of another program may have any size.
    guard let end = try DurableFile.read(path, atMost: fixedBytes, atEnd: true),
      Trailer(end[...])?.revision == revision
    else { return nil }
    return try DurableFile.read(path)
  }

  /// Verifies the bytes of a snapshot's file.
  ///
  /// - Returns: The contents; nil if they are damaged, or of another revision.
  /// - Throws: ``JournalError`` for another release's format.
  static func contents(
    of bytes: consuming [UInt8],
    _ path: String,
    _ revision: UInt64,
  ) throws(JournalError) -> Contents? {
    guard let trailer = Trailer(bytes[max(0, bytes.count - fixedBytes)...]),
      trailer.revision == revision, bytes.count - fixedBytes >= trailer.fieldBytes
    else { return nil }
    let start = bytes.count - fixedBytes - trailer.fieldBytes
    guard sum(bytes[..<start], bytes[start..<(bytes.count - 16)]) == trailer.sum else { return nil }
    try JournalDirectory.check(
      format: trailer.format,
      of: "The snapshot \(path)",
      from: JournalDirectory.oldest,
    )
    guard let fields = Fields(bytes[start..<(bytes.count - fixedBytes)], trailer) else {
      return nil
    }
    bytes.removeSubrange(start...)
    return Contents(bytes: bytes, fields: fields)
  }

  fileprivate struct Trailer {
    let revision: UInt64
    let format: Int
    let fieldBytes: Int
    let sum: UInt64

    init?(_ bytes: ArraySlice<UInt8>) {
      guard bytes.count == fixedBytes, bytes.suffix(8) == magic[...] else { return nil }
      let fields = Array(bytes)
      format = Int(LogHeader.number(fields[8..<12]))
      revision = LogHeader.number(fields[0..<8])
      fieldBytes = Int(LogHeader.number(fields[12..<16]))
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
