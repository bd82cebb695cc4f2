import ArgumentParser

/// A path on the command line.
enum PathArgument {
  /// Parses a path.
  ///
  /// An empty path is refused, since it would denote an unintended place.
  static func parse(_ text: String) throws -> String {
    guard !text.isEmpty else {
      throw ValidationError("The path is empty. Name one, or omit the option.")
    }
    return text
  }
}
