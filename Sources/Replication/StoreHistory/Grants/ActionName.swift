import StoreState

/// The name of an action's case, read without its type.
enum ActionName {
  /// The name; nil for an action that is not a choice of cases.
  static func read(_ action: ArraySlice<UInt8>) -> String? {
    var decoder = CBORDecoder(action)
    do throws(CodecError) {
      if try decoder.peekKind() == .map {
        guard try decoder.mapHeader() == 1 else { return nil }
      }
      return try decoder.text()
    } catch {
      // The decoder of actions refuses these bytes later.
      return nil
    }
  }
}
