extension CodecError {
  /// An error for a name that its type does not have, with the nearest right ones.
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
