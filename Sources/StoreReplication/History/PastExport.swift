package import StoreState

/// A whole past as JSON, for people and for other programs: a state, then what changed.
package struct PastExport {
  private var past = GenericPast()
  private var revision: UInt64

  /// Begins with a snapshot.
  package init(_ snapshot: HistoryPart) throws(HistoryError) {
    do throws(CodecError) {
      let decoded = try SnapshotBytes.decode(snapshot.bytes[...])
      try past.take(snapshot: decoded.root, snapshot.schema)
      revision = decoded.revision
    } catch {
      throw HistoryError(.corrupt, "A snapshot cannot be read: \(error)")
    }
  }

  /// The state, and its revision.
  package var first: JSONValue {
    guard let (value, schema) = past.state else { return .null }
    return [
      "revision": .integer(revision),
      "state": JSONProjection.tree(value, schema: schema.root, in: schema),
    ]
  }

  /// What the records of a batch say, in their order.
  package mutating func lines(of part: HistoryPart) throws(HistoryError) -> [JSONValue] {
    var lines: [JSONValue] = []
    _ = try part.withRecords { (record, _) throws(HistoryError) in
      guard record.revision > revision else { return true }
      do throws(CodecError) {
        lines.append(try line(of: record, part.schema))
      } catch {
        throw HistoryError(.corrupt, "Revision \(record.revision) cannot be read: \(error)")
      }
      return true
    }
    return lines
  }

  private mutating func line(
    of record: JournalRecord,
    _ schema: SchemaDocument,
  ) throws(CodecError) -> JSONValue {
    let old = past.state?.value
    var changed: [String]?
    if let delta = record.delta { changed = try past.apply(delta, schema, naming: true) }
    revision = record.revision
    let entry = record.entry(changed: changed ?? [], .unlimited, .all).value
    let tree = JSONProjection.untyped(entry)
    guard let delta = record.delta, case .object(let members) = tree else { return tree }
    let change = try JSONProjection.tree(
      delta: delta[...],
      of: old,
      schema: schema.root,
      in: schema,
    )
    return .object(members + [JSONValue.Member("delta", change)])
  }
}
