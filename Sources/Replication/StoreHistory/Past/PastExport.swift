import GenericState
package import StoreProtocol
import StoreState

/// A whole past as lines of JSON, for people and for other programs.
///
/// The lines are a heading, a state, one line for each revision with its changes, and an end. A
/// line has a readable part, and the kept bytes, from which ``PastImport`` restores the same past.
/// The readable part is incomplete after a change of builds that requires the new build's types.
package struct PastExport {
  /// The past; nil if only records are available.
  private let source: (any HistorySource)?
  private let heading: HistoryHeading
  private let format: Int
  /// The state, and its schema; nil if it is no longer known.
  private var past: GenericPast?
  /// The revision of the last line.
  package private(set) var revision: UInt64
  /// The first snapshot; nil if there is no state, and only records are written.
  private var snapshot: HistoryPart?
  /// The build of the last line; nil before the first one.
  private var schema: SchemaDocument?
  /// The hash of all lines so far, with their line ends.
  private var sum = SipHash24()

  /// Begins with the oldest readable snapshot; without a snapshot, with the oldest record.
  ///
  /// - Parameters:
  ///   - heading: The identity of the past.
  ///   - format: The number of the format of the kept bytes.
  ///   - source: The past.
  /// - Throws: ``HistoryError``.
  package init(
    _ heading: HistoryHeading,
    format: Int,
    _ source: any HistorySource,
  ) throws(HistoryError) {
    let extent = try source.extent()
    var found: HistoryPart?
    for revision in extent.snapshots where found == nil {
      found = try source.snapshot(upTo: revision)
    }
    self.init(recordsAfter: extent.beforeRecords, heading, format: format, in: source)
    guard let found else { return }
    snapshot = found
    schema = found.schema
    var past = GenericPast()
    revision = try past.take(found)
    self.past = past
  }

  /// Begins with the record after a revision, without a state.
  package init(recordsAfter revision: UInt64, _ heading: HistoryHeading, format: Int) {
    self.init(recordsAfter: revision, heading, format: format, in: nil)
  }

  private init(
    recordsAfter revision: UInt64,
    _ heading: HistoryHeading,
    format: Int,
    in source: (any HistorySource)?,
  ) {
    self.heading = heading
    self.format = format
    self.source = source
    self.revision = revision
  }

  /// Whether there is no state before the records.
  ///
  /// Such an export cannot be imported.
  package var lacksState: Bool { snapshot == nil }

  /// The first lines: the identity of the past, the build that wrote the state, and the state.
  package mutating func begin() -> [String] {
    var members = [
      JSONValue.Member("format", .integer(format)),
      JSONValue.Member("root", .string(heading.root)),
      JSONValue.Member("epoch", .string(String(heading.epoch, radix: 16))),
      JSONValue.Member("wasStopped", .bool(heading.wasStopped)),
    ]
    if lacksState { members.append(JSONValue.Member("state", .bool(false))) }
    var lines = [JSONValue.object(members)]
    if let snapshot { lines.append(line(of: snapshot.schema)) }
    if let snapshot, let (value, schema) = past?.state {
      lines.append([
        "revision": .integer(revision),
        "state": JSONProjection.tree(value, schema: schema.root, in: schema),
        "snapshot": .string(Base64.text(of: snapshot.bytes)),
      ])
    }
    return lines.map { noted($0) }
  }

  /// The text of a line, which the checksum at the end includes.
  private mutating func noted(_ line: JSONValue) -> String {
    let text = line.text()
    sum.append(line: text)
    return text
  }

  private func line(of schema: SchemaDocument) -> JSONValue {
    do throws(CodecError) {
      return ["schema": JSONProjection.untyped(try GenericValue(encoded: schema.encoded()))]
    } catch {
      preconditionFailure("A schema cannot be decoded from its encoding: \(error)")
    }
  }

  /// The lines of a batch's records, in their order.
  package mutating func lines(of part: HistoryPart) throws(HistoryError) -> [String] {
    var lines: [String] = []
    _ = try part.withRecords { (record, bytes) throws(HistoryError) in
      guard record.revision > revision else { return true }
      if part.schema != schema {
        schema = part.schema
        lines.append(noted(line(of: part.schema)))
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
    var (old, changed): (GenericValue?, [String]?)
    if let source {
      try past?.follow(schema, before: record, in: source)
      if past?.reads(schema) == false { past = nil }
      old = past?.state?.value
      changed = try past?.advance(record, schema, naming: true, in: source)
    }
    let entry = record.wholeEntry(changed: changed, .unlimited).value
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

  /// The last line, with the checksum of all lines.
  package var end: String {
    var sum = sum
    let end: JSONValue = [
      "end": .integer(revision), "lines": .string(String(sum.finish(), radix: 16)),
    ]
    return end.text()
  }
}

extension SipHash24 {
  /// Appends a line and its line end.
  mutating func append(line text: String) {
    for bytes in [Array(text.utf8), [UInt8(ascii: "\n")]] {
      bytes.withUnsafeBytes { append($0) }
    }
  }
}
