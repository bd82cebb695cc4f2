import GenericState
import StoreActor
import StoreProtocol
import StoreReplica
import StoreState

/// The outputs of a scope that are sent to clients, on both ends of the connection.
///
/// The test gets the daemon's outputs, encoded and decoded again. After each step they are compared
/// with the client's outputs.
@MainActor
final class RemoteOutputs {
  private let encode: @Sendable (any Sendable) -> [UInt8]?
  private let decode: @Sendable ([UInt8]) throws(CodecError) -> any Sendable
  private let name: String
  /// Encodings of the outputs that the daemon emitted since the last comparison.
  private var made: [[UInt8]] = []
  /// Encodings of the outputs that the client received since then.
  private var received: [[UInt8]] = []
  private var subscriptions: [StoreSubscription] = []
  private var problem: String?

  /// Creates the comparison of outputs of a type; `Never` has no outputs.
  init<Output: WirePayload>(_ type: Output.Type) {
    name = "\(type)"
    encode = { output in
      guard let output = output as? Output else { return nil }
      var encoder = CBOREncoder()
      do throws(CodecError) {
        try output.encode(to: &encoder)
        return encoder.bytes
      } catch {
        // The output is private to the daemon.
        return nil
      }
    }
    decode = { (bytes) throws(CodecError) in
      var decoder = CBORDecoder(bytes)
      let output = try Output(from: &decoder)
      try decoder.finish()
      return output
    }
  }

  /// Begins to record the outputs on both ends.
  ///
  /// - Parameters:
  ///   - root: The daemon's root.
  ///   - belongs: Returns whether an action of the root belongs to the scope.
  ///   - copy: The client's copy.
  ///   - note: Receives each output of the scope.
  func observe<Root, RootAction>(
    _ root: RootCore<Root, RootAction>,
    where belongs: @escaping @Sendable (RootAction) -> Bool,
    _ copy: TypedReplica<some Any>,
    _ note: @escaping @MainActor (any Sendable) -> Void,
  ) {
    subscriptions = [
      root.observeOutputs { [weak self] output in
        guard let self, output.action.map(belongs) ?? false else { return }
        note(travelled(output.value))
      },
      copy.outputs.add { [weak self] in self?.received.append(Array($0.bytes)) },
    ]
  }

  /// Returns the output after encoding and decoding.
  private func travelled(_ output: any Sendable) -> any Sendable {
    guard let bytes = encode(output) else { return output }
    made.append(bytes)
    let limit = Limits().outputBytes
    if bytes.count > limit {
      problem = """
        An output of type "\(name)" has \(bytes.count) bytes, and does not travel: at most \
        \(limit) do.

        To fix, put large values into the state, and only the event into the output.
        """
    }
    do throws(CodecError) {
      return try decode(bytes)
    } catch {
      problem = """
        An output of type "\(name)" cannot be read from its own encoding: \(error)

        To fix, let "init(from:)" read the output of "encode(to:)".
        """
      return output
    }
  }

  /// Returns the problem since the last call; nil if the outputs agree.
  func takeComplaint() -> String? {
    defer { (made, received, problem) = ([], [], nil) }
    if let problem { return problem }
    guard made != received else { return nil }
    return """
      The client did not get the outputs that the daemon emitted: …

      \(difference(made.map(Self.text), received.map(Self.text), labels: ("Daemon", "Client")))

      To fix, see to it that the type's "encode(to:)" always writes the same of the same output.
      """
  }

  private static func text(_ bytes: [UInt8]) -> String {
    do throws(CodecError) {
      return try GenericValue(encoded: bytes).description
    } catch {
      return "\(bytes.count) bytes that cannot be read: \(error)"
    }
  }
}
