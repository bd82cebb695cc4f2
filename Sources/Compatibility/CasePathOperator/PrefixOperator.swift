public import StoreActor

prefix operator /

/// The case path of a case with a value: `/AppAction.counter`.
///
/// The way back out of the case is found at run time; a case's labels are left out of the value. It
/// may begin at an optional of the enum.
public prefix func / <Root, Value>(embed: @escaping (Value) -> Root) -> AnyCasePath<Root, Value> {
  let extraction = Extraction(embed: embed)
  // A case's own function, which touches nothing but its argument.
  nonisolated(unsafe) let embed = embed
  return AnyCasePath(embed: { embed($0) }, extract: { extraction.extract(from: $0) })
}

/// The case path of a case without a value: `/AppAction.onAppear`.
public prefix func / <Root>(root: Root) -> AnyCasePath<Root, Void> {
  // A value of a case without one of its own.
  nonisolated(unsafe) let root = root
  return AnyCasePath(embed: { root }, extract: { isSameCase(root, $0) ? () : nil })
}

/// The case path from an enum to itself: `/AppAction.self`.
public prefix func / <Root>(type: Root.Type) -> AnyCasePath<Root, Root> {
  AnyCasePath()
}

/// The same case path: `/.self`.
public prefix func / <Root, Value>(path: AnyCasePath<Root, Value>) -> AnyCasePath<Root, Value> {
  path
}

/// The function that takes the value out of a case: `results.compactMap(/Result.success)`.
@_disfavoredOverload
public prefix func / <Root, Value>(embed: @escaping (Value) -> Root) -> (Root) -> Value? {
  let extraction = Extraction(embed: embed)
  return { extraction.extract(from: $0) }
}

/// The function that tells whether a value is of a case without one: `actions.compactMap(/.reset)`.
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
