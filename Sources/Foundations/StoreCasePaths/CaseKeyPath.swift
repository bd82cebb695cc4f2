/// A key path to a case of an enum: `\.child.tapped`, `\User.Cases.home`.
///
/// A call makes a root: `let path: CaseKeyPath<Action, Int> = \.tapped` and then `path(1)`. It is
/// also a pattern, `case \.tapped:`.
public typealias CaseKeyPath<Root, Value> = KeyPath<Case<Root>, Case<Value>>

/// A key path to a case of an enum, for any type of that case's value.
public typealias PartialCaseKeyPath<Root> = PartialKeyPath<Case<Root>>

extension KeyPath {
  /// Makes a root from the value of the case that this key path leads to.
  public func callAsFunction<Enum, AssociatedValue>(
    _ value: AssociatedValue
  ) -> Enum where Root == Case<Enum>, Value == Case<AssociatedValue> {
    Case(self)._$path(from: Enum.self).embed(value)
  }

  /// Makes a root of a case without a value.
  public func callAsFunction<Enum>() -> Enum where Root == Case<Enum>, Value == Case<Void> {
    Case(self)._$path(from: Enum.self).embed(())
  }

  /// Returns whether an enum is of a key path's case, for `case \.tapped:` in a switch.
  public static func ~= <Enum: CasePathable, AssociatedValue>(
    keyPath: KeyPath,
    root: Enum,
  ) -> Bool where Root == Case<Enum>, Value == Case<AssociatedValue> {
    Case(keyPath)._$path(from: Enum.self).extract(from: root) != nil
  }
}

extension PartialKeyPath {
  /// Makes a root from a value, or returns nil if the value is not of the case's type.
  @_disfavoredOverload
  public func callAsFunction<Enum>(_ value: Any) -> Enum? where Root == Case<Enum> {
    (Case<Enum>()[keyPath: self] as? any PartialCase)?._$embedAny(value) as? Enum
  }

  /// Returns whether an enum is of the case that a partial key path leads to.
  @_disfavoredOverload
  public static func ~= <Enum: CasePathable>(
    keyPath: PartialKeyPath,
    root: Enum,
  ) -> Bool where Root == Case<Enum> {
    root[case: keyPath] != nil
  }
}
