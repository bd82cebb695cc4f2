/// The name of an action, for people.
enum ActionText {
  /// The names of its case and of the cases that it contains.
  static func name(of action: Any) -> String {
    guard let content = Mirror(reflecting: action).children.first, let name = content.label else {
      return "\(action)"
    }
    let value = Mirror(reflecting: content.value)
    let inner: Any? =
      value.displayStyle == .tuple
      ? value.children.first { $0.label == "action" }?.value : content.value
    guard let inner, Mirror(reflecting: inner).displayStyle == .enum else { return name }
    return "\(name).\(Self.name(of: inner))"
  }
}
