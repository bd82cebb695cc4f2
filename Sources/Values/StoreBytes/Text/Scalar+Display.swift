extension Unicode.Scalar {
  /// Whether it could change how what stands around it is shown.
  ///
  /// Those are control characters, ends of lines and paragraphs, and marks that turn the direction
  /// of the text that follows.
  package var disturbsDisplay: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
