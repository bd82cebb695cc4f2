extension Unicode.Scalar {
  /// Whether the scalar could change the display of the text around it.
  ///
  /// Such scalars are control characters, line and paragraph separators, and marks that change the
  /// direction of the text that follows.
  package var disturbsDisplay: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
