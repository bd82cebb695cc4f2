/// A value in a heap box, copied on a write if the box is shared.
///
/// ```swift
/// struct State: Equatable {
///   @Boxed var editor = Editor.State()
///   @Boxed var player = Player.State()
/// }
/// ```
///
/// The property is used as if it had no wrapper. The state around it holds one pointer instead of
/// the value, at any size of the value.
///
/// ## When to use it
///
/// A state holds its children's states *inline*: an app's root state can reach some ten kilobytes.
/// Every function between a store and the deepest reducer may have such a state on its stack, some
/// of them several, above all in debug builds. A stack is small: 512 KiB on a secondary thread of
/// an Apple platform. This is the cause if a feature with correct logic crashes with a stack
/// overflow on the way into a deep child. Box
///
/// - the states of the children of a root feature, and of tabs and screens that have children of
///   their own, once `MemoryLayout<State>.size` exceeds a kilobyte or two;
/// - the payloads of an enum's large cases: an enum is as large as the largest of them. There it is
///   a type: `case editor(Boxed<Editor.State>)`;
/// - a part of a state that seldom changes, beside parts that often do: a copy of the state then
///   retains one reference instead of one for each array and text in that part. Two copies that
///   were not written to compare as equal, without a delta, at once.
///
/// The values of `@Presents` and of a `StackState` are behind a reference anyway. A small value has
/// no advantage: a box is an allocation, and each first write to a shared one copies the value.
@propertyWrapper
@dynamicMemberLookup
public struct Boxed<Value> {
  @usableFromInline
  final class Storage {
    @usableFromInline var value: Value

    @usableFromInline
    init(_ value: Value) {
      self.value = value
    }
  }

  // A shared storage is never written.
  @usableFromInline var storage: Storage

  /// Puts a value into a box.
  @inlinable
  public init(wrappedValue: Value) {
    storage = Storage(wrappedValue)
  }

  /// Puts a value into a box.
  @inlinable
  public init(_ value: Value) {
    storage = Storage(value)
  }

  /// The value; a change is made in place if the box is not shared.
  @inlinable
  public var wrappedValue: Value {
    get { storage.value }
    set {
      if isKnownUniquelyReferenced(&storage) {
        storage.value = newValue
      } else {
        storage = Storage(newValue)
      }
    }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }

  /// The box itself, `$editor`.
  @inlinable
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
    _modify { yield &self }
  }

  /// A member of the value.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Member {
    get { storage.value[keyPath: keyPath] }
    _modify { yield &wrappedValue[keyPath: keyPath] }
  }

  /// A read-only member of the value.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> Member {
    storage.value[keyPath: keyPath]
  }

  /// Changes the value, in place if the box is not shared.
  ///
  /// - Parameter body: Changes the value.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error; changes before it are kept.
  @inlinable
  public mutating func modify<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
    return try body(&storage.value)
  }

  /// Whether both are the same box, and so have the same value.
  @inlinable
  public func isIdentical(to other: Self) -> Bool {
    storage === other.storage
  }
}
