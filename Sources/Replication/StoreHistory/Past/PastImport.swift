import GenericState
package import StoreProtocol
import StoreState

/// Restores a past from the lines of a ``PastExport``.
///
/// The readable parts are ignored; the bytes are imported. But the checksum at the end covers every
/// line completely. In exports of earlier releases it covers only those bytes.
package struct PastImport {
  /// The content of a line.
  package enum Step {
    /// The number of the format, and the identity of the past.
    case heading(format: Int, HistoryHeading)
    case snapshot(HistoryPart, of: UInt64)
    case records(HistoryPart)
  }

  /// The number of the last line.
  package private(set) var line = 0
  private var hasHeading = false
  private var schema: SchemaDocument?
  private var revision: UInt64?
  /// The state so far, to which each record must apply; nil after a record that requires the types
  /// of another build.
  private var past: GenericPast? = GenericPast()
  /// The hash of all lines so far, with their line ends.
  private var sum = SipHash24()
  /// The hash of the kept bytes, which exports of earlier releases contain.
  private var keptSum = SipHash24()
  private var isOver = false

  package init() {}

  /// Takes a line.
  ///
  /// - Returns: The line's content; nil for a line that only helps to read others.
  /// - Throws: ``HistoryError``, with the line's number.
  package mutating func take(_ text: String) throws(HistoryError) -> Step? {
    line += 1
    guard !isOver else { throw error("expected no line after the end") }
    let before = sum
    sum.append(line: text)
    let tree: JSONValue
    do throws(JSONProjectionError) {
      tree = try JSONValue(parsing: text)
    } catch {
      throw self.error("expected a line of JSON, found something else: \(error)")
    }
    guard hasHeading else {
      hasHeading = true
      return try heading(tree)
    }
    if let schema = tree["schema"] {
      self.schema = try document(schema)
      return nil
    }
    if let bytes = try bytes(of: "snapshot", in: tree) { return try snapshot(bytes) }
    if let bytes = try bytes(of: "record", in: tree) { return .records(try records(bytes, tree)) }
    try end(tree, before)
    return nil
  }

  /// Checks that the end was taken.
  package func finish() throws(HistoryError) {
    guard !isOver else { return }
    throw HistoryError(
      .corrupt,
      "The export breaks off after line \(line): it has no end. Export it again.",
    )
  }

  private func heading(_ tree: JSONValue) throws(HistoryError) -> Step {
    guard case .number(let format)? = tree["format"], let format = Int(format),
      case .string(let root)? = tree["root"], case .string(let epoch)? = tree["epoch"],
      let epoch = UInt64(epoch, radix: 16), case .bool(let wasStopped)? = tree["wasStopped"]
    else { throw error("expected the heading of an export: its format, root and epoch") }
    guard tree["state"] != .bool(false) else {
      throw error(
        "the export has records alone: no snapshot of its source could be read. Use the source's "
          + "directory: its program continues it with --from-initial-state if its records "
          + "begin with revision 1, and storectl salvage copies the readable part"
      )
    }
    let heading = HistoryHeading(root: root, epoch: epoch, wasStopped: wasStopped)
    return .heading(format: format, heading)
  }

  private func document(_ tree: JSONValue) throws(HistoryError) -> SchemaDocument {
    do {
      let anything = try SchemaDocument(root: .any, definitions: [:])
      let value = try JSONProjection.value(from: tree, schema: .any, in: anything)
      return try SchemaDocument(encoded: value.encoded())
    } catch {
      throw self.error("expected a schema: \(error)")
    }
  }

  private func known() throws(HistoryError) -> SchemaDocument {
    guard let schema else { throw error("expected a schema before its values") }
    return schema
  }

  private mutating func bytes(
    of name: String,
    in tree: JSONValue,
  ) throws(HistoryError) -> [UInt8]? {
    guard let member = tree[name] else { return nil }
    guard case .string(let text) = member, let bytes = Base64.bytes(of: text) else {
      throw error("expected base64 as its \(name)")
    }
    bytes.withUnsafeBytes { keptSum.append($0) }
    return bytes
  }

  private mutating func snapshot(_ bytes: [UInt8]) throws(HistoryError) -> Step {
    guard revision == nil, var past else { throw error("expected no second state") }
    let part = HistoryPart(schema: try known(), bytes: bytes)
    do throws(HistoryError) {
      // The state is checked too: a daemon cannot start if its schema does not match.
      let revision = try past.take(part)
      (self.past, self.revision) = (past, revision)
      return .snapshot(part, of: revision)
    } catch {
      throw self.error(error.message)
    }
  }

  /// Checks that the records apply to the state before them.
  private mutating func apply(_ part: HistoryPart) throws(HistoryError) {
    do throws(HistoryError) {
      _ = try part.withRecords { (record, _) throws(HistoryError) in
        guard past?.reads(part.schema) == true else {
          past = nil
          return false
        }
        guard let delta = record.delta else { return true }
        do throws(CodecError) {
          _ = try past?.apply(delta, part.schema, naming: false)
        } catch {
          throw HistoryError(.corrupt, "Revision \(record.revision) cannot be read: \(error)")
        }
        return true
      }
    } catch {
      throw self.error(error.message)
    }
  }

  private mutating func records(
    _ bytes: [UInt8],
    _ tree: JSONValue,
  ) throws(HistoryError) -> HistoryPart {
    guard case .number(let text)? = tree["sessions"], let sessions = UInt64(text),
      sessions <= KeptHistory.greatestNumber * 2
    else {
      throw error("expected the sessions that there had been")
    }
    let part = HistoryPart(schema: try known(), bytes: bytes, sessionNumbers: sessions)
    let revisions: ClosedRange<UInt64>?
    do throws(HistoryError) {
      revisions = try part.records(through: .max)?.revisions
    } catch {
      throw self.error(error.message)
    }
    guard let last = revision, let found = revisions, found.lowerBound == last + 1 else {
      throw error("expected revision \(revision.map { "\($0 + 1)" } ?? "of a snapshot")")
    }
    try apply(part)
    revision = found.upperBound
    return part
  }

  /// Takes the end, which has a checksum of all lines before it.
  private mutating func end(_ tree: JSONValue, _ before: SipHash24) throws(HistoryError) {
    guard case .number(let end)? = tree["end"],
      case .string(let text)? = tree["lines"] ?? tree["sum"]
    else { throw error("expected a schema, a snapshot, a record or the end") }
    var found = tree["lines"] == nil ? keptSum : before
    guard UInt64(end) == revision, UInt64(text, radix: 16) == found.finish() else {
      throw error(
        "the lines before are not those that were written: some were changed, or are gone"
      )
    }
    isOver = true
  }

  private func error(_ what: String) -> HistoryError {
    let end = what.hasSuffix(".") ? "" : "."
    return HistoryError(.corrupt, "Line \(line) of the export is invalid: \(what)\(end)")
  }
}
