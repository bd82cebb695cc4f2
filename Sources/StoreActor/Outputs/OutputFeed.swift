import GenericState
import StoreState

/// Gives the outputs of one type to whoever asked for them, in order, also those that a program of
/// another build has made (`docs/PROTOCOL.md` §2.1).
///
/// Such a program's schema is asked for when the first of its outputs comes. It and those behind it
/// wait for the answer, so that none overtakes another.
@MainActor
package final class OutputFeed<Output: Sendable> {
  private let reader: OutputReader<Output>
  private let yield: @MainActor (Output) -> Void
  /// How outputs of other schemas are read; nil where they cannot be.
  private var resolutions: [Digest: SchemaResolution?] = [:]
  /// What waits for a schema, oldest first.
  private var waiting: [any Sendable] = []
  private var asked: Digest?
  /// What was said of outputs that were left out.
  private var reasons: Set<String> = []

  /// So many outputs wait for a schema at most; then the oldest is lost.
  private static var mostWaiting: Int { 256 }
  /// So many reasons are told at most.
  private static var mostReasons: Int { 64 }

  /// Creates a feed.
  ///
  /// - Parameters:
  ///   - type: The type of the outputs; others are left out.
  ///   - yield: Takes each output.
  package init(_ type: Output.Type, yield: @escaping @MainActor (Output) -> Void) {
    reader = OutputReader(type)
    self.yield = yield
  }

  /// Takes an output of whatever type.
  package func take(_ output: any Sendable) {
    if waiting.isEmpty, foreign(output) == nil { return deliver(output) }
    waiting.append(output)
    if waiting.count > Self.mostWaiting { waiting.removeFirst() }
    resume()
  }

  private func deliver(_ output: any Sendable) {
    if let value = reader.read(output) { yield(value) }
  }

  /// The output when its schema is not the type's, though the type's values can travel.
  private func foreign(_ output: any Sendable) -> EncodedOutput? {
    guard let wire = reader.wire, let encoded = output as? EncodedOutput,
      encoded.schema != wire.schema
    else { return nil }
    return encoded
  }

  /// Deals with what waits, as far as schemas are known.
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
        // Whoever has the next one may be asked again.
        waiting.removeAll { ($0 as? EncodedOutput)?.schema == hash }
        skip("the daemon does not say what they are", origin)
      }
      resume()
    }
  }
}

// MARK: - Other builds

extension OutputFeed {
  /// How to read outputs of a schema; nil, and the reason told, when that is impossible.
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

  /// Says once why outputs are left out.
  private func skip(_ reason: String, _ origin: any OutputOrigin) {
    guard reasons.count < Self.mostReasons, reasons.insert(reason).inserted else { return }
    origin.leftOut(reason)
  }

  private static func readerSchema<Wire: WirePayload>(of type: Wire.Type) -> ReaderSchema {
    SchemaRegistry.readerSchema(for: type)
  }
}
