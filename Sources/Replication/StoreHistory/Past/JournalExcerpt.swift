package import StoreProtocol
import StoreState

/// A range of a history as one piece: the state before it, and its records.
///
/// Its bytes are a line that identifies the format, an item, and a checksum of both:
///
///     excerpt = [1, root text, last revision, [schema bytes, …], part, [part, …]]
///     part    = [schema uint, bytes]                ; a snapshot, then records as they were kept
package struct JournalExcerpt: Sendable {
  private static let heading = Array("A journal of StoreActor\n".utf8)
  private static let format: UInt64 = 1

  /// The name of the root's type.
  package let root: String
  let snapshot: HistoryPart
  /// The snapshot's revision.
  let before: UInt64
  private(set) var last: UInt64
  private(set) var parts: [HistoryPart] = []

  init(root: String, snapshot: HistoryPart, before: UInt64) {
    self.root = root
    self.snapshot = snapshot
    self.before = before
    last = before
  }

  /// The revisions of its records.
  package var revisions: ClosedRange<UInt64> { before + 1...last }

  /// Appends the record of the next revision.
  mutating func append(
    _ record: ArraySlice<UInt8>,
    of revision: UInt64,
    _ schema: SchemaDocument,
  ) {
    if parts.last?.schema != schema { parts.append(HistoryPart(schema: schema, bytes: [])) }
    parts[parts.count - 1].bytes += record
    last = revision
  }

  // MARK: Bytes

  /// The excerpt's bytes.
  package var encoded: [UInt8] {
    var schemas: [SchemaDocument] = []
    let numbers = ([snapshot] + parts).map { part in
      if let number = schemas.firstIndex(of: part.schema) { return number }
      schemas.append(part.schema)
      return schemas.count - 1
    }
    var encoder = CBOREncoder()
    encoder.arrayHeader(6)
    encoder.encode(unsigned: Self.format)
    encoder.encode(text: root)
    encoder.encode(unsigned: last)
    encoder.arrayHeader(schemas.count)
    for schema in schemas { encoder.encode(bytes: schema.encoded()) }
    encoder.encode(snapshot, numbers[0])
    encoder.arrayHeader(parts.count)
    for (part, number) in zip(parts, numbers.dropFirst()) { encoder.encode(part, number) }
    let bytes = Self.heading + encoder.bytes
    let sum = SipHash24.hash(bytes[...])
    return bytes + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
  }

  /// Reads an excerpt.
  package init(encoded bytes: [UInt8]) throws(HistoryError) {
    guard bytes.starts(with: Self.heading) else {
      throw HistoryError(.corrupt, "This is no journal that make-test has written.")
    }
    let content = bytes.dropLast(8)
    let sum = bytes.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard content.count > Self.heading.count, SipHash24.hash(content) == sum else {
      throw HistoryError(.corrupt, "The journal does not have the checksum it was written with.")
    }
    do throws(CodecError) {
      try self.init(content.dropFirst(Self.heading.count))
    } catch {
      throw HistoryError(.corrupt, "The journal cannot be read: \(error)")
    }
  }

  private init(_ bytes: ArraySlice<UInt8>) throws(CodecError) {
    var decoder = CBORDecoder(bytes)
    let count = try decoder.arrayHeader()
    let format = try decoder.unsigned()
    guard count == 6, format == Self.format else {
      throw decoder.error(.typeMismatch, "it has format \(format), this program knows format 1")
    }
    root = try decoder.text()
    last = try decoder.unsigned()
    let schemas = try decoder.list { (d) throws(CodecError) in
      try SchemaDocument(encoded: try d.byteString())
    }
    snapshot = try decoder.part(of: schemas)
    parts = try decoder.list { (d) throws(CodecError) in try d.part(of: schemas) }
    try decoder.finish()
    before = try SnapshotBytes.revision(of: snapshot.bytes[...])
    guard before < last else {
      throw CodecError(.typeMismatch, "it ends with revision \(last), before it begins")
    }
  }
}

extension CBOREncoder {
  fileprivate mutating func encode(_ part: HistoryPart, _ schema: Int) {
    arrayHeader(2)
    encode(unsigned: UInt64(schema))
    encode(bytes: part.bytes)
  }
}

extension CBORDecoder {
  fileprivate mutating func part(of schemas: [SchemaDocument]) throws(CodecError) -> HistoryPart {
    try expectArray(of: 2, "a part of a journal")
    let number = Int(clamping: try unsigned())
    guard schemas.indices.contains(number) else {
      throw error(.typeMismatch, "there is no schema \(number)")
    }
    return HistoryPart(schema: schemas[number], bytes: try byteString())
  }
}

// MARK: - As a past

extension JournalExcerpt {
  /// A source that reads the excerpt.
  package var source: any HistorySource { ExcerptSource(self) }

  /// The state before the first record.
  package func root<Root: Sendable>(_ form: DurableForm<Root>) throws(HistoryError) -> Root {
    var past = TypedPast(form)
    _ = try past.rewind(to: before, in: source)
    guard let root = past.root else {
      throw HistoryError(.corrupt, "The journal has no first state.")
    }
    return root
  }
}

private final class ExcerptSource: HistorySource {
  private let excerpt: JournalExcerpt

  init(_ excerpt: JournalExcerpt) { self.excerpt = excerpt }

  func extent() -> HistoryExtent {
    HistoryExtent(
      oldestState: excerpt.before,
      beforeRecords: excerpt.before,
      newest: excerpt.last,
      snapshots: [excerpt.before],
    )
  }

  func snapshot(upTo revision: UInt64) -> HistoryPart? {
    excerpt.before <= revision ? excerpt.snapshot : nil
  }

  func records(
    after revision: UInt64,
    _ take: (HistoryPart) throws(HistoryError) -> Bool,
  ) throws(HistoryError) {
    for part in excerpt.parts {
      guard try take(part) else { return }
    }
  }
}
