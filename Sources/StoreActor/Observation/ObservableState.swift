public import Observation

/// State whose parts are observed one by one, through the store that is read.
///
/// `@ObservableState` declares the conformance. The state stores no data for it: a store notes the
/// parts that were read through it and compares those after each action, so a state keeps its
/// memberwise initializer, its synthesized conformances and its plain dump.
///
/// All members have defaults. Those that begin with `_$` are for generated code.
public protocol ObservableState: Observable {
  /// The identity of the value's subject: see ``ObservableStateID``.
  var _$id: ObservableStateID { get }

  /// Has no effect: changes are found by comparing values.
  mutating func _$willModify()

  /// The properties that are marked `@ObservationStateIgnored`: changes of them do not
  /// notify readers.
  static var _$ignoredKeyPaths: [PartialKeyPath<Self>] { get }

  /// The properties that are identified arrays, so that key paths to their rows are recognized.
  static var _$lists: [PartialKeyPath<Self>] { get }
}

extension ObservableState {
  /// The value's type and, if the type is `Identifiable`, its id.
  public var _$id: ObservableStateID { ObservableStateID(of: self) }

  /// Has no effect.
  public mutating func _$willModify() {}

  /// No property is ignored.
  public static var _$ignoredKeyPaths: [PartialKeyPath<Self>] { [] }

  /// No property is known to be an identified array.
  public static var _$lists: [PartialKeyPath<Self>] { [] }
}

/// Distinguishes states of different subjects, such as one sheet and the next, from states of one
/// subject that has changed.
public struct ObservableStateID: Hashable, Sendable {
  private var type: ObjectIdentifier?
  private var tags: [Int] = []
  // Sound: ids are values: a `Hashable` whose hash changes is an error in any use.
  nonisolated(unsafe) private var element: AnyHashable?

  /// The identity of a value for which only its presence counts.
  public init() {}

  /// The identity of a value: the one that its state provides, or its type and, if the type is
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
