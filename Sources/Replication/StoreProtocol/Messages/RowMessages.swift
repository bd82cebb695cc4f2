package import StoreState

/// A query of the rows whose ids begin with a text (`docs/PROTOCOL.md` §8.5).
package struct RowQuery: Hashable, Sendable {
  /// The name of the rows' scopes, before `/<id>`.
  package var scope: String
  /// The prefix of the ids, as in scopes' names.
  package var prefix: String
  /// The row to begin with.
  package var start: UInt64

  package init(scope: String, prefix: String, start: UInt64) {
    self.scope = scope
    self.prefix = prefix
    self.start = start
  }
}

extension RowQuery {
  func encode(to encoder: inout CBOREncoder) {
    encoder.encode(text: scope)
    encoder.encode(text: prefix)
    encoder.encode(unsigned: start)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    scope = try decoder.text()
    prefix = try decoder.text()
    start = try decoder.unsigned()
  }
}

/// The result for a part of the rows.
package struct RowAnswer: Hashable, Sendable {
  /// The ids, as in scopes' names, in the order of the rows.
  package var ids: [String]
  /// The row to continue with; nil after the last one.
  package var next: UInt64?

  package init(ids: [String], next: UInt64?) {
    self.ids = ids
    self.next = next
  }
}

extension RowAnswer {
  /// Writes the answer as `[[id, …], next / null]`.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(2)
    encoder.arrayHeader(ids.count)
    for id in ids { encoder.encode(text: id) }
    encoder.encode(optional: next)
  }

  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.arrayHeader()
    try decoder.require(2, of: count, "rows")
    ids = try decoder.list { (d) throws(CodecError) in try d.text() }
    next = try decoder.optionalUnsigned()
    try decoder.skipItems(count - 2)
  }
}
