public import StoreActor

prefix operator /

/// Returns the case path of a case with a value: `/AppAction.counter`.
///
/// The extraction is determined at run time, and the value omits the case's labels. The root may be
/// an optional of the enum.
public prefix func / <Root, Value>(embed: @escaping (Value) -> Root) -> AnyCasePath<Root, Value> {
  let extraction = Extraction(embed: embed)
  // A case's own function touches only its argument.
  nonisolated(unsafe) let embed = embed
  return AnyCasePath(embed: { embed($0) }, extract: { extraction.extract(from: $0) })
}

/// Returns the case path of a case without a value: `/AppAction.onAppear`.
public prefix func / <Root>(root: Root) -> AnyCasePath<Root, Void> {
  // The value's case has no payload.
  nonisolated(unsafe) let root = root
  return AnyCasePath(embed: { root }, extract: { isSameCase(root, $0) ? () : nil })
}

/// Returns the case path from an enum to itself: `/AppAction.self`.
public prefix func / <Root>(type: Root.Type) -> AnyCasePath<Root, Root> {
  AnyCasePath()
}

/// Returns the same case path: `/.self`.
public prefix func / <Root, Value>(path: AnyCasePath<Root, Value>) -> AnyCasePath<Root, Value> {
  path
}

/// Returns the function that extracts a case's value: `results.compactMap(/Result.success)`.
@_disfavoredOverload
public prefix func / <Root, Value>(embed: @escaping (Value) -> Root) -> (Root) -> Value? {
  let extraction = Extraction(embed: embed)
  return { extraction.extract(from: $0) }
}

/// Returns the function that tests for a case without a value: `actions.compactMap(/.reset)`.
@_disfavoredOverload
public prefix func / <Root>(root: Root) -> (Root) -> Void? {
  let path: AnyCasePath<Root, Void> = /root
  return { path.extract(from: $0) }
}

extension AnyCasePath where Root == Value {
  /// The path from a value to itself: `pullback(state: \.child, action: .self, environment: { $0
  /// })`.
  public static var `self`: Self { Self() }
}
