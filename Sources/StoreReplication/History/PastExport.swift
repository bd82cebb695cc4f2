package import StoreState

/// A whole past as lines of JSON, for people and for other programs.
///
/// What a history is, a state, then a line for each revision with what it changed, and the end. A
/// line says what people want to know of it, and beside that has the bytes that are kept, from
/// which ``PastImport`` makes the same past.
package struct PastExport {
  private let heading: HistoryHeading
  private let format: Int
  private var past = GenericPast()
  private var revision: UInt64
  private let snapshot: HistoryPart
  /// The build that wrote what the last line said.
  private var schema: SchemaDocument
  private var sum = SipHash24()

  /// Begins with a snapshot.
  ///
  /// - Parameters:
  ///   - heading: Whose past it is.
  ///   - format: The number of the form in which it is kept.
  ///   - snapshot: The oldest one.
  /// - Throws: ``HistoryError``.
  package init(
    _ heading: HistoryHeading,
    format: Int,
    _ snapshot: HistoryPart,
  ) throws(HistoryError) {
    self.heading = heading
    self.format = format
    self.snapshot = snapshot
    schema = snapshot.schema
    do throws(CodecError) {
      let decoded = try SnapshotBytes.decode(snapshot.bytes[...])
      try past.take(snapshot: decoded.root, snapshot.schema)
      revision = decoded.revision
    } catch {
      throw HistoryError(.corrupt, "A snapshot cannot be read: \(error)")
    }
    snapshot.bytes.withUnsafeBytes { sum.append($0) }
  }

  /// Whose past it is, who wrote the state, and the state.
  package var first: [JSONValue] {
    var lines: [JSONValue] = [
      [
        "format": .integer(format), "root": .string(heading.root),
        "epoch": .string(String(heading.epoch, radix: 16)),
        "wasStopped": .bool(heading.wasStopped),
      ],
      line(of: snapshot.schema),
    ]
    guard let (value, schema) = past.state else { return lines }
    lines.append([
      "revision": .integer(revision),
      "state": JSONProjection.tree(value, schema: schema.root, in: schema),
      "snapshot": .string(Base64.text(of: snapshot.bytes)),
    ])
    return lines
  }

  private func line(of schema: SchemaDocument) -> JSONValue {
    do throws(CodecError) {
      return ["schema": JSONProjection.untyped(try GenericValue(encoded: schema.encoded()))]
    } catch {
      preconditionFailure("A schema does not read what it wrote: \(error)")
    }
  }

  /// What the records of a batch say, in their order.
  package mutating func lines(of part: HistoryPart) throws(HistoryError) -> [JSONValue] {
    var lines: [JSONValue] = []
    _ = try part.withRecords { (record, bytes) throws(HistoryError) in
      guard record.revision > revision else { return true }
      if part.schema != schema {
        schema = part.schema
        lines.append(line(of: schema))
      }
      bytes.withUnsafeBytes { sum.append($0) }
      do throws(CodecError) {
        let members = try members(of: record, part.schema)
        lines.append(
          .object(
            members + [
              JSONValue.Member("sessions", .integer(part.sessionNumbers)),
              JSONValue.Member("record", .string(Base64.text(of: Array(bytes)))),
            ]
          )
        )
        return true
      } catch {
        throw HistoryError(.corrupt, "Revision \(record.revision) cannot be read: \(error)")
      }
    }
    return lines
  }

  private mutating func members(
    of record: JournalRecord,
    _ schema: SchemaDocument,
  ) throws(CodecError) -> [JSONValue.Member] {
    let old = past.state?.value
    var changed: [String]?
    if let delta = record.delta { changed = try past.apply(delta, schema, naming: true) }
    revision = record.revision
    let entry = record.entry(changed: changed ?? [], .unlimited, .all).value
    guard case .object(let members) = JSONProjection.untyped(entry) else { return [] }
    guard let delta = record.delta else { return members }
    let change = try JSONProjection.tree(
      delta: delta[...],
      of: old,
      schema: schema.root,
      in: schema,
    )
    return members + [JSONValue.Member("delta", change)]
  }

  /// Says that nothing follows, and what all bytes together come to.
  package var last: JSONValue {
    var sum = sum
    return ["end": .integer(revision), "sum": .string(String(sum.finish(), radix: 16))]
  }
}
