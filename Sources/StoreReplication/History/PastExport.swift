import GenericState
import StoreState

/// A whole past as lines of JSON, for people and for other programs.
///
/// What a history is, a state, then a line for each revision with what it changed, and the end. A
/// line says what people want to know of it, and beside that has the bytes that are kept, from
/// which ``PastImport`` makes the same past. What people are told may be less, where another build
/// went on whose types are needed to say it.
package struct PastExport {
  private let source: any HistorySource
  private let heading: HistoryHeading
  private let format: Int
  /// The state, and its schema; nil where it is not known any more.
  private var past: GenericPast?
  /// The revision of what was written last.
  package private(set) var revision: UInt64
  private let snapshot: HistoryPart
  /// The build that wrote what the last line said.
  private var schema: SchemaDocument
  /// Of all lines so far, with their ends.
  private var sum = SipHash24()

  /// Begins with the oldest snapshot.
  ///
  /// - Parameters:
  ///   - heading: Whose past it is.
  ///   - format: The number of the form in which it is kept.
  ///   - source: The past.
  /// - Throws: ``HistoryError``.
  package init(
    _ heading: HistoryHeading,
    format: Int,
    _ source: any HistorySource,
  ) throws(HistoryError) {
    self.heading = heading
    self.format = format
    self.source = source
    let oldest = try source.extent().oldestState
    guard let snapshot = try source.snapshot(upTo: oldest) else {
      throw HistoryError(
        .corrupt,
        "The snapshot of revision \(oldest) cannot be read. Restore a backup.",
      )
    }
    self.snapshot = snapshot
    schema = snapshot.schema
    var past = GenericPast()
    revision = try past.take(snapshot)
    self.past = past
  }

  /// Whose past it is, who wrote the state, and the state.
  package mutating func begin() -> [String] {
    var lines: [JSONValue] = [
      [
        "format": .integer(format), "root": .string(heading.root),
        "epoch": .string(String(heading.epoch, radix: 16)),
        "wasStopped": .bool(heading.wasStopped),
      ],
      line(of: snapshot.schema),
    ]
    if let (value, schema) = past?.state {
      lines.append([
        "revision": .integer(revision),
        "state": JSONProjection.tree(value, schema: schema.root, in: schema),
        "snapshot": .string(Base64.text(of: snapshot.bytes)),
      ])
    }
    return lines.map { noted($0) }
  }

  /// The text of a line, which the end answers for.
  private mutating func noted(_ line: JSONValue) -> String {
    let text = line.text()
    sum.append(line: text)
    return text
  }

  private func line(of schema: SchemaDocument) -> JSONValue {
    do throws(CodecError) {
      return ["schema": JSONProjection.untyped(try GenericValue(encoded: schema.encoded()))]
    } catch {
      preconditionFailure("A schema does not read what it wrote: \(error)")
    }
  }

  /// What the records of a batch say, in their order.
  package mutating func lines(of part: HistoryPart) throws(HistoryError) -> [String] {
    var lines: [String] = []
    _ = try part.withRecords { (record, bytes) throws(HistoryError) in
      guard record.revision > revision else { return true }
      if part.schema != schema {
        schema = part.schema
        lines.append(noted(line(of: schema)))
      }
      let members = try members(of: record, part.schema)
      let line = JSONValue.object(
        members + [
          JSONValue.Member("sessions", .integer(part.sessionNumbers)),
          JSONValue.Member("record", .string(Base64.text(of: Array(bytes)))),
        ]
      )
      lines.append(noted(line))
      return true
    }
    return lines
  }

  private mutating func members(
    of record: JournalRecord,
    _ schema: SchemaDocument,
  ) throws(HistoryError) -> [JSONValue.Member] {
    guard record.revision == revision + 1 else {
      throw HistoryError.missing(revision + 1, before: record.revision)
    }
    revision = record.revision
    try past?.follow(schema, before: record, in: source)
    if past?.reads(schema) == false { past = nil }
    let old = past?.state?.value
    let changed = try past?.advance(record, schema, naming: true, in: source)
    let entry = record.entry(changed: changed, .unlimited, .all).value
    guard case .object(let members) = JSONProjection.untyped(entry) else { return [] }
    guard let old, let delta = record.delta else { return members }
    do throws(CodecError) {
      let change = try JSONProjection.tree(
        delta: delta[...],
        of: old,
        schema: schema.root,
        in: schema,
      )
      return members + [JSONValue.Member("delta", change)]
    } catch {
      throw HistoryError(.corrupt, "Revision \(record.revision) cannot be read: \(error)")
    }
  }

  /// Says that nothing follows, and what all lines together come to.
  package var end: String {
    var sum = sum
    let end: JSONValue = [
      "end": .integer(revision), "lines": .string(String(sum.finish(), radix: 16)),
    ]
    return end.text()
  }
}

extension SipHash24 {
  /// Takes a line and its end.
  mutating func append(line text: String) {
    for bytes in [Array(text.utf8), [UInt8(ascii: "\n")]] {
      bytes.withUnsafeBytes { append($0) }
    }
  }
}
