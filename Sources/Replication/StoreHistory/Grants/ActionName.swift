import StoreActor
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

  /// The cases of an action's form and the ids of elements, as `jobs.element[2].began`; nil if the
  /// bytes begin with no case (`docs/JOURNAL.md` §5).
  ///
  /// Without the type, a payload of one choice looks like the action of a child. So a record has
  /// the name if this one differs from it.
  static func path(of form: [UInt8]) -> String? {
    var decoder = CBORDecoder(form[...])
    var path = ""
    do throws(CodecError) {
      while try appendCase(to: &path, &decoder) {}
    } catch {
      // Another value ends the name.
    }
    return path.isEmpty ? nil : path
  }

  /// Whether a form has a ``path(of:)``: it begins with a case.
  static func hasPath(_ form: [UInt8]) -> Bool { read(form[...])?.isEmpty == false }

  /// Appends a case, and the id of its element.
  ///
  /// - Returns: Whether another item of cases follows.
  private static func appendCase(
    to path: inout String,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Bool {
    let kind = try decoder.peekKind()
    guard kind == .text || kind == .map else { return false }
    if kind == .map, try decoder.mapHeader() != 1 { return false }
    let name = try decoder.text()
    path += path.isEmpty ? name : ".\(name)"
    guard kind == .map, try decoder.peekKind() == .map else { return false }
    switch (try decoder.mapHeader(), try decoder.text()) {
    case (1, "_0"): return true
    case (2, "id"):
      guard let id = try elementID(&decoder), try decoder.text() == "action" else { return false }
      path += "[\(id)]"
      return true
    default: return false
    }
  }

  private static func elementID(_ decoder: inout CBORDecoder) throws(CodecError) -> String? {
    switch try decoder.peekKind() {
    case .unsigned: "\(try decoder.unsigned())"
    case .text: try decoder.text()
    case .bytes: "\(try UUID(from: &decoder))"
    default: nil
    }
  }
}
