import GenericState
import StoreState

/// Delivers the outputs of one type to their consumer, in order, including those of a program of
/// another build (`docs/PROTOCOL.md` §2.1).
///
/// The first output of such a program triggers a request for its schema. It and all later outputs
/// wait for the answer, so the order is preserved.
@MainActor
package final class OutputFeed<Output: Sendable> {
  private let reader: OutputReader<Output>
  private let yield: @MainActor (Output) -> Void
  /// The resolutions of other schemas; nil for unreadable ones.
  private var resolutions: [Digest: SchemaResolution?] = [:]
  /// The outputs that wait for a schema, oldest first.
  private var waiting: [any Sendable] = []
  private var asked: Digest?
  /// The reported reasons for omitted outputs.
  private var reasons: Set<String> = []

  /// The maximum number of outputs that wait for a schema; beyond it, the oldest is dropped.
  private static var mostWaiting: Int { 256 }
  /// The maximum number of reported reasons.
  private static var mostReasons: Int { 64 }

  /// Creates a feed.
  ///
  /// - Parameters:
  ///   - type: The type of the outputs; others are omitted.
  ///   - yield: Takes each output.
  package init(_ type: Output.Type, yield: @escaping @MainActor (Output) -> Void) {
    reader = OutputReader(type)
    self.yield = yield
  }

  /// Takes an output of any type.
  package func take(_ output: any Sendable) {
    if waiting.isEmpty, foreign(output) == nil { return deliver(output) }
    waiting.append(output)
    if waiting.count > Self.mostWaiting { waiting.removeFirst() }
    resume()
  }

  private func deliver(_ output: any Sendable) {
    if let value = reader.read(output) { yield(value) }
  }

  /// The output if it has another schema than the type, and the type has a wire form.
  private func foreign(_ output: any Sendable) -> EncodedOutput? {
    guard let wire = reader.wire, let encoded = output as? EncodedOutput,
      encoded.schema != wire.schema
    else { return nil }
    return encoded
  }

  /// Processes waiting outputs until one needs an unknown schema.
  private func resume() {
    while asked == nil, let output = waiting.first {
      guard let encoded = foreign(output) else {
        waiting.removeFirst()
        deliver(output)
        continue
      }
      if resolutions[encoded.schema] == nil, let origin = encoded.origin {
        return ask(origin, for: encoded.schema)
      }
      waiting.removeFirst()
      if let resolution = resolutions[encoded.schema] ?? nil { translate(encoded, resolution) }
    }
  }

  private func ask(_ origin: any OutputOrigin, for hash: Digest) {
    asked = hash
    origin.findSchema(hash) { [weak self] document in
      guard let self else { return }
      asked = nil
      if let document {
        resolutions[hash] = .some(resolution(of: document, origin))
      } else {
        // The source of the next such output may be asked again.
        waiting.removeAll { ($0 as? EncodedOutput)?.schema == hash }
        skip("the daemon does not say what they are", origin)
      }
      resume()
    }
  }
}

// MARK: - Other builds

extension OutputFeed {
  /// The resolution of a schema; nil, after a report of the reason, if that is impossible.
  private func resolution(
    of writer: SchemaDocument,
    _ origin: any OutputOrigin,
  ) -> SchemaResolution? {
    guard let wire = reader.wire else { return nil }
    let resolution = SchemaResolution(
      writer: writer,
      reader: Self.readerSchema(of: wire.type),
      allowsUnknownCases: true,
    )
    var differences = resolution.differences
    if differences.isEmpty {
      if resolution.hasCommonGround { return resolution }
      differences = ["nothing in common with \(writer.root)"]
    }
    skip(
      "they cannot be read as \(Output.self): \(differences.joined(separator: "; "))",
      origin,
    )
    return nil
  }

  private func translate(_ output: EncodedOutput, _ resolution: SchemaResolution) {
    guard let wire = reader.wire else { return }
    do throws(CodecError) {
      let bytes = try resolution.translate(value: output.bytes)
      if let value = try reader.decode(bytes[...], as: wire.type) { yield(value) }
    } catch {
      guard let origin = output.origin else { return }
      if let name = resolution.unknownCase(in: output.bytes, error) {
        skip("\(Output.self) has no \"\(name)\" here. Update this program", origin)
      } else {
        skip("one cannot be read as \(Output.self): \(error)", origin)
      }
    }
  }

  /// Reports once why outputs are omitted.
  private func skip(_ reason: String, _ origin: any OutputOrigin) {
    guard reasons.count < Self.mostReasons, reasons.insert(reason).inserted else { return }
    origin.leftOut(reason)
  }

  private static func readerSchema<Wire: WirePayload>(of type: Wire.Type) -> ReaderSchema {
    SchemaRegistry.readerSchema(for: type)
  }
}
