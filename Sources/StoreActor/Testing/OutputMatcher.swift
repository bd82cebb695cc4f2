import CustomDump
import GenericState
import StoreState

/// The output that a test expects to receive, in any form of expectation.
struct OutputMatcher {
  /// The expected output, as a part of a sentence: "the following output".
  let subject: String
  /// The dump of the expected output, if the full value is known.
  let expected: String?
  let matches: (any Sendable) -> Bool
  /// The difference between an output and the expected one; nil if its type differs.
  let differing: (any Sendable) -> String?

  /// An output that equals another one.
  static func equal<Output: Equatable & Sendable>(to expected: Output) -> Self {
    let reader = OutputReader(Output.self)
    return Self(
      subject: "the following output",
      expected: String(customDumping: expected),
      matches: { reader.read($0) == expected },
      differing: { output in
        reader.read(output).map { difference(expected, $0, labels: ("Expected", "Received")) }
      },
    )
  }

  /// An output of a type that a closure accepts.
  static func of<Output: Sendable>(
    _ type: Output.Type,
    _ isMatching: @escaping (Output) -> Bool,
  ) -> Self {
    let reader = OutputReader(type)
    return Self(
      subject: "an output of type \"\(type)\" that is asked for",
      expected: nil,
      matches: { reader.read($0).map(isMatching) ?? false },
      differing: { _ in nil },
    )
  }

  /// The report of a missing output, with the reason: "didn't after 1.0 seconds".
  func missing(_ reason: String) -> String {
    let sentence = "Expected to receive \(subject), but \(reason)"
    return expected.map { "\(sentence): …\n\n\($0.indented(by: 4))" } ?? "\(sentence)."
  }

  /// The report of another output than the expected one.
  func unexpected(_ output: any Sendable) -> String {
    if let difference = differing(output) {
      return "Received unexpected output: …\n\n\(difference)"
    }
    return """
      \(missing("didn't"))

      Received unexpected output: …

      \(Self.dump(output).indented(by: 4))
      """
  }

  /// An output as text for a failure; an encoded one as JSON.
  static func dump(_ output: any Sendable) -> String {
    guard let encoded = output as? EncodedOutput else { return String(customDumping: output) }
    do throws(CodecError) {
      return try GenericValue(encoded: encoded.bytes).description
    } catch {
      return "an output of \(encoded.bytes.count) bytes that cannot be read: \(error)"
    }
  }

  /// Outputs on separate lines, numbered if there are several.
  static func list(_ outputs: [any Sendable]) -> String {
    guard outputs.count != 1 else { return dump(outputs[0]).indented(by: 4) }
    return outputs.enumerated()
      .map { index, output in
        let text = dump(output).indented(by: 4)
        return "    \(index + 1). \(text.dropFirst(4))"
      }
      .joined(separator: "\n")
  }
}
