extension CodecError {
  /// Creates an error for an unknown name, with the nearest known names.
  package static func unknownName(
    _ name: String,
    _ what: String,
    among known: [String],
    offset: Int?,
  ) -> CodecError {
    let remedy = NearestNames().remedy(for: name, among: known)
    return CodecError(.unknownName, "there is no \(what) \"\(name)\"\(remedy)", offset: offset)
  }
}
