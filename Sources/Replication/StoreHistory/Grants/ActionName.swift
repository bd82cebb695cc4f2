import StoreState

/// The name of an action's case, read without its type.
enum ActionName {
  /// The name; nil for what is no choice.
  static func read(_ action: ArraySlice<UInt8>) -> String? {
    var decoder = CBORDecoder(action)
    do throws(CodecError) {
      if try decoder.peekKind() == .map {
        guard try decoder.mapHeader() == 1 else { return nil }
      }
      return try decoder.text()
    } catch {
      // What is no action is refused where it is decoded.
      return nil
    }
  }
}
