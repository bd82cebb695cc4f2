import IssueReporting
import Synchronization

/// Extracts the value of one enum case, given only the case's embedding function.
///
/// A mirror finds the value. Embedding the value again must give the same case; that confirms the
/// case. After that, the case's number alone identifies further values.
final class Extraction<Root, Value>: Sendable {
  // Embeds a value. A case's own function touches only its argument.
  nonisolated(unsafe) private let embed: (Value) -> Root
  private let knownTag = Mutex<Int?>(nil)
  private let isOptional = isOptionalType(Root.self)

  init(embed: @escaping (Value) -> Root) {
    self.embed = embed
    if hasFunctions(Value.self) { reportFunctions() }
  }

  func extract(from root: Root) -> Value? {
    guard let tag = enumTag(of: root), !hasFunctions(Value.self) else { return nil }
    if let known = knownTag.withLock({ $0 }), known != tag { return nil }
    for value in candidates(in: root) where isSame(embed(value), root, tag) {
      knownTag.withLock { $0 = tag }
      return value
    }
    return nil
  }

  /// Returns whether both are of the same case.
  ///
  /// For optionals, compares the cases of the wrapped values.
  private func isSame(_ embedded: Root, _ root: Root, _ tag: Int) -> Bool {
    isOptional ? isSameCase(embedded, root) : enumTag(of: embedded) == tag
  }

  /// Returns candidates for the value, the likelier first: the payload as it is, or the one member
  /// of a labeled payload; then the same for an optional's wrapped value.
  private func candidates(in root: Root) -> [Value] {
    guard let payload = Mirror(reflecting: root).children.first?.value else { return [] }
    guard isOptional, let wrapped = Mirror(reflecting: payload).children.first?.value else {
      return candidates(of: payload)
    }
    return candidates(of: payload) + candidates(of: wrapped)
  }

  private func candidates(of payload: Any) -> [Value] {
    if let value = payload as? Value, !isLabelled(payload) { return [value] }
    let members = Mirror(reflecting: payload)
    guard members.displayStyle == .tuple, members.children.count == 1 else {
      return (payload as? Value).map { [$0] } ?? []
    }
    return [members.children.first?.value as? Value, payload as? Value].compactMap(\.self)
  }

  private func reportFunctions() {
    reportIssue(
      """
      A case of "\(Root.self)" with a function in it, "\(Value.self)", has no case path by "/".

      At run time a function cannot be taken out of an enum.

      To fix, write the case path's two functions: "AnyCasePath(embed:extract:)", or let \
      "@CasePathable" write them.
      """
    )
  }

  /// Returns whether a payload is one value with a label, which reflects as a tuple of one.
  private func isLabelled(_ payload: Any) -> Bool {
    let mirror = Mirror(reflecting: payload)
    return mirror.displayStyle == .tuple && mirror.children.count == 1
  }
}
