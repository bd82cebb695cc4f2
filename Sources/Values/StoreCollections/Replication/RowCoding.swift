package import StoreBytes
import StoreValues

/// How the delta of an identified array is read: what an id is, an element, and a change of one.
package protocol RowCoding {
  associatedtype ID: Hashable
  associatedtype Row

  func id(from decoder: inout CBORDecoder) throws(CodecError) -> ID
  func row(from decoder: inout CBORDecoder) throws(CodecError) -> Row
  func change(_ row: inout Row, from decoder: inout CBORDecoder) throws(CodecError)

  /// Whether two ids are the same on the wire.
  func areSame(_ one: ID, _ other: ID) -> Bool
  /// An id as a step of an error's path.
  func step(to id: ID) -> CodecError.PathElement
}

/// Elements that read and change themselves.
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
