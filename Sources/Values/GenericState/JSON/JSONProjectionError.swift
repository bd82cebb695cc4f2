package import StoreState

/// Why a JSON text was not understood: where, what was expected, what was found.
package struct JSONProjectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected, what was found and what to do.
  package let message: String

  /// The steps in reverse, because an error learns them from the inside out.
  private var reversedPath: [CodecError.PathElement] = []

  package init(_ message: String) {
    self.message = message
  }

  /// The way from the whole value to the part that was not understood.
  package var path: [CodecError.PathElement] { reversedPath.reversed() }

  /// The same error seen from one step further out.
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
