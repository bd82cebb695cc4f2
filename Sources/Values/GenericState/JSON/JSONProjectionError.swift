package import StoreState

/// An error in a JSON text: the place, the expectation, the found value.
package struct JSONProjectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The expectation, the found value and the remedy.
  package let message: String

  /// The steps in reverse order, because `inside` adds them from the innermost outwards.
  private var reversedPath: [CodecError.PathElement] = []

  package init(_ message: String) {
    self.message = message
  }

  /// The path from the whole value to the part with the error.
  package var path: [CodecError.PathElement] { reversedPath.reversed() }

  /// The same error with one more step in front of its path.
  package func inside(_ element: CodecError.PathElement) -> JSONProjectionError {
    var error = self
    error.reversedPath.append(element)
    return error
  }

  /// The path and the message: `$.addButtonTapped.title: expected text, found 3`; the message
  /// alone if it is about the whole value.
  package var description: String {
    reversedPath.isEmpty ? message : "\(CodecError.text(of: path)): \(message)"
  }
}
