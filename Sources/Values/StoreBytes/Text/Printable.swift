/// Foreign text in a form that is safe to show on a terminal.
package enum Printable {
  /// The text on one line, with a replacement for each scalar that could control a terminal or
  /// forge a line.
  package static func text(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.disturbsDisplay) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(scalar.disturbsDisplay ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}
