/// The reason for which a fact is missing, in words for the users.
package struct NumberFactError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault, the expectation and, if one helps, the remedy.
  package var message: String

  package init(_ message: String) {
    self.message = message
  }

  /// Converts a client's error: keeps an error of this type, and describes any other.
  package init(_ error: any Error, about number: Int) {
    self = error as? Self ?? Self("No fact about \(number): \(error)")
  }

  package var description: String { message }
}
