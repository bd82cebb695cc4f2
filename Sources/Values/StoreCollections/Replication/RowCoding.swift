package import StoreBytes
import StoreValues

/// Reads the parts of an identified array's delta: an id, an element, and a change of an element.
package protocol RowCoding {
  associatedtype ID: Hashable
  associatedtype Row

  func id(from decoder: inout CBORDecoder) throws(CodecError) -> ID
  func row(from decoder: inout CBORDecoder) throws(CodecError) -> Row
  func change(_ row: inout Row, from decoder: inout CBORDecoder) throws(CodecError)

  /// Whether two ids are the same on the wire.
  func areSame(_ one: ID, _ other: ID) -> Bool
  /// The step of an error's path that names an id.
  func step(to id: ID) -> CodecError.PathElement
}

/// A coding whose elements decode and change themselves.
struct TypedRows<ID: WireValue & Hashable, Row: ReplicatedState>: RowCoding {
  func id(from decoder: inout CBORDecoder) throws(CodecError) -> ID { try ID(from: &decoder) }

  func row(from decoder: inout CBORDecoder) throws(CodecError) -> Row {
    try decoder.value(Row.self)
  }

  func change(_ row: inout Row, from decoder: inout CBORDecoder) throws(CodecError) {
    try row.applyDelta(from: &decoder)
  }

  func areSame(_ one: ID, _ other: ID) -> Bool { one._$isSame(as: other) }

  func step(to id: ID) -> CodecError.PathElement { .key("\(id)") }
}
