package import StoreState

extension PublishedMessage {
  /// Outputs of a view's scopes, in the order in which they were made.
  package struct Outputs: Hashable, Sendable {
    /// The view's sequence before the outputs.
    ///
    /// A client with a lower sequence has lost deltas.
    package var sequence: UInt64
    package var outputs: [Output]
  }

  /// An output of the scope at `index`.
  package struct Output: Hashable, Sendable {
    /// The newest revision when it was made.
    package var revision: UInt64
    package var index: Int
    /// The hash of its type's schema.
    package var schema: Digest
    package var value: ArraySlice<UInt8>

    package init(revision: UInt64, index: Int, schema: Digest, value: ArraySlice<UInt8>) {
      self.revision = revision
      self.index = index
      self.schema = schema
      self.value = value
    }
  }

  /// Outputs that are already encoded.
  package static func encodedOutputs(sequence: UInt64, count: Int, outputs: [UInt8]) -> [UInt8] {
    var encoder = CBOREncoder(reserving: outputs.count + 16)
    encoder.message(Kind.outputs, 2)
    encoder.encode(unsigned: sequence)
    encoder.arrayHeader(4 * count)
    encoder.append(raw: outputs)
    return encoder.bytes
  }
}

extension PublishedMessage.Outputs {
  func encode(to encoder: inout CBOREncoder) {
    encoder.message(PublishedMessage.Kind.outputs, 2)
    encoder.encode(unsigned: sequence)
    encoder.arrayHeader(4 * outputs.count)
    for output in outputs { output.encode(to: &encoder) }
  }

  init(from decoder: inout CBORDecoder) throws(MessageError) {
    sequence = try decoder.unsigned()
    let count = try decoder.arrayHeader()
    guard count.isMultiple(of: 4) else {
      throw decoder.error(.typeMismatch, "expected outputs of 4 elements, found \(count)")
    }
    outputs = []
    for _ in 0..<(count / 4) { outputs.append(try PublishedMessage.Output(from: &decoder)) }
  }
}

extension PublishedMessage.Output {
  /// An upper bound of its bytes in a frame.
  package var encodedBytes: Int { value.count + 32 }

  package func encode(to encoder: inout CBOREncoder) {
    encoder.encode(unsigned: revision)
    encoder.encode(unsigned: UInt64(index))
    encoder.encode(unsigned: schema.rawValue)
    encoder.append(raw: value)
  }

  init(from decoder: inout CBORDecoder) throws(MessageError) {
    revision = try decoder.unsigned()
    let index = try decoder.unsigned()
    guard let small = Int(exactly: index) else {
      throw decoder.error(.typeMismatch, "expected a scope's index, found \(index)")
    }
    self.index = small
    schema = Digest(rawValue: try decoder.unsigned())
    value = try decoder.rawItem()
  }
}
