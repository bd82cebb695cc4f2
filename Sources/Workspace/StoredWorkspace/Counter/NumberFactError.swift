/// Why there is no fact about a number, in words for the users.
package struct NumberFactError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, what was expected and, where it helps, what to do.
  package var message: String

  package init(_ message: String) {
    self.message = message
  }

  /// Any error of a client: itself when it is one of these, else its description.
  package init(_ error: any Error, about number: Int) {
    self = error as? Self ?? Self("No fact about \(number): \(error)")
  }

  package var description: String { message }
}
