public import Observation

/// State whose parts are observed one by one, through the store that is read.
///
/// `@ObservableState` declares the conformance. Nothing is stored in the state for it: a store
/// notes which parts were read through it and compares those after each action, so a state keeps
/// its memberwise initializer, its synthesized conformances and its plain dump.
///
/// All members have defaults. Those that begin with `_$` are for generated code.
public protocol ObservableState: Observable {
  /// Tells values apart that stand for different things: see ``ObservableStateID``.
  var _$id: ObservableStateID { get }

  /// Does nothing: changes are found by comparing values.
  mutating func _$willModify()

  /// The properties that are marked `@ObservationStateIgnored`: a change of one of them wakes
  /// nobody who has read it through a store.
  static var _$ignoredKeyPaths: [PartialKeyPath<Self>] { get }

  /// The properties that are identified arrays: a key path to one of their rows is known as such.
  static var _$lists: [PartialKeyPath<Self>] { get }
}

extension ObservableState {
  /// The value's type and, where the type is `Identifiable`, its id.
  public var _$id: ObservableStateID { ObservableStateID(of: self) }

  /// Does nothing.
  public mutating func _$willModify() {}

  /// No property is ignored.
  public static var _$ignoredKeyPaths: [PartialKeyPath<Self>] { [] }

  /// No property is known to be an identified array.
  public static var _$lists: [PartialKeyPath<Self>] { [] }
}

/// What tells two states apart that stand for different things, a sheet's and the next sheet's, as
/// opposed to one thing that has changed.
public struct ObservableStateID: Hashable, Sendable {
  private var type: ObjectIdentifier?
  private var tags: [Int] = []
  // Sound: ids are values; a `Hashable` that could change under its hash would be broken anywhere.
  nonisolated(unsafe) private var element: AnyHashable?

  /// The identity of a value that has none beyond being there.
  public init() {}

  /// The identity of a value: the one that its state names, or its type and, where the type is
  /// `Identifiable`, its id.
  ///
  /// - Parameter value: The value.
  /// - Returns: Its identity.
  public static func _$id<Value>(for value: Value) -> Self {
    if let state = value as? any ObservableState { return state._$id }
    return Self(of: value)
  }

  /// The identity of a value in a case of an enum.
  ///
  /// - Parameter tag: The number of the case.
  /// - Returns: This identity, as that of the case's payload.
  public func _$tag(_ tag: Int) -> Self {
    var id = self
    id.tags.append(tag)
    return id
  }

  fileprivate init<Value>(of value: Value) {
    type = ObjectIdentifier(Value.self)
    element = (value as? any Identifiable).map { Self.id(of: $0) }
  }

  private static func id(of value: some Identifiable) -> AnyHashable {
    AnyHashable(value.id)
  }
}
