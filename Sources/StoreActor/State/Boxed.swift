/// A value behind a reference, copied only when it is written to while others share it.
///
/// ```swift
/// struct State: Equatable {
///   @Boxed var editor = Editor.State()
///   @Boxed var player = Player.State()
/// }
/// ```
///
/// The property is used as if the wrapper was not there. Inside, the state around it holds one
/// pointer in the place of the value, however large that is.
///
/// ## When to use it
///
/// A state that holds its children's states holds them *inline*: an app's root state can come to
/// some ten kilobytes. Every function on the way from a store to the deepest reducer may have such
/// a state on its stack, some of them several, above all in debug builds, and a stack is small:
/// 512 KiB on a thread of an Apple platform that is not the main one. A feature that crashes on the
/// way into a deep child, with a stack overflow and nothing wrong in its logic, crashes for that
/// reason. Box
///
/// - the states of the children of a root feature, and of tabs and screens that have children of
///   their own, once `MemoryLayout<State>.size` exceeds a kilobyte or two;
/// - the payloads of an enum's large cases: an enum is as large as the largest of them. There it is
///   a type: `case editor(Boxed<Editor.State>)`;
/// - a part of a state that seldom changes, beside parts that often do: a copy of the state then
///   retains one reference in the place of one for each array and text in that part, and where
///   neither of two copies was written to they are found equal, and without a delta, at once.
///
/// What `@Presents` and a `StackState` hold is behind a reference anyway. A small value gains
/// nothing: a box is an allocation, and each first write to a shared one copies the value.
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

  // What others have a reference to is never written to.
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

  /// The value; a change is made in place where nobody shares the box.
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

  /// A member of the value that cannot be set.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> Member {
    storage.value[keyPath: keyPath]
  }

  /// Changes the value, in place where nobody shares the box.
  ///
  /// - Parameter body: Changes the value.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; what it changed before stays changed.
  @inlinable
  public mutating func modify<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
    return try body(&storage.value)
  }

  /// Whether both are one box, and so have the same value.
  @inlinable
  public func isIdentical(to other: Self) -> Bool {
    storage === other.storage
  }
}
