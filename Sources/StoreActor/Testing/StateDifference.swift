import CustomDump

/// The difference between two values; both in full if the difference is not visible.
package func difference<T>(_ first: T, _ second: T, labels: (String, String)) -> String {
  if let difference = diff(first, second, format: .proportional) {
    return "\(difference.indented(by: 4))\n\n(\(labels.0): −, \(labels.1): +)"
  }
  return """
    \(labels.0):
    \(String(customDumping: first).indented(by: 2))

    \(labels.1):
    \(String(customDumping: second).indented(by: 2))
    """
}

extension String {
  func indented(by count: Int) -> String {
    let indentation = String(repeating: " ", count: count)
    return split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : indentation + $0 }
      .joined(separator: "\n")
  }
}
