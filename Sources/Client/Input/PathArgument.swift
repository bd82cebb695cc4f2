import ArgumentParser

/// A path on the command line.
enum PathArgument {
  /// Takes what was given; an empty one would be another place than was meant.
  static func parse(_ text: String) throws -> String {
    guard !text.isEmpty else {
      throw ValidationError("The path is empty. Name one, or leave the option away.")
    }
    return text
  }
}
