/// The dependencies of the current task: a value for every key.
///
/// A value that was not set with ``withDependencies(_:operation:)`` is the default of the
/// ``context``, which is created once and kept. Child tasks inherit the values of their parent.
/// Other code, such as a callback or a detached task, receives them with
/// ``withEscapedDependencies(_:)``.
public struct DependencyValues: Sendable {
  /// The values of the current task.
  @TaskLocal public static var _current = unset(defaults: .shared)

  /// Whether values are being set; reading a default is then not a use.
  @TaskLocal static var isSetting = false

  private var overrides: Overrides
  let defaults: DependencyDefaults
  /// The origin of the action that is being reduced, set by the root store; nil for the process.
  package var originInForce: ActionOrigin?

  /// Creates values without overrides and with separate defaults.
  public init() {
    self.init(overrides: .none, defaults: DependencyDefaults())
  }

  private init(overrides: Overrides, defaults: DependencyDefaults) {
    self.overrides = overrides
    self.defaults = defaults
  }

  /// The value of a key: the override, or the default of the ``context``.
  public subscript<Key: TestDependencyKey>(
    key: Key.Type,
    fileID fileID: StaticString = #fileID,
    filePath filePath: StaticString = #filePath,
    line line: UInt = #line,
    column column: UInt = #column,
    function function: StaticString = #function,
  ) -> Key.Value {
    get {
      let value = value(
        of: key,
        access: DependencyAccess(
          name: function,
          fileID: fileID,
          filePath: filePath,
          line: line,
          column: column,
        ),
      )
      if ReducerInputs.areOthersNoted { ReducerInputs.note(value, called: function, of: key) }
      return value
    }
    set {
      overrides = overrides.setting(ObjectIdentifier(key), to: newValue)
    }
  }

  private func value<Key: TestDependencyKey>(
    of key: Key.Type,
    access: @autoclosure () -> DependencyAccess,
  ) -> Key.Value {
    // Two steps: a direct cast of an absent entry would produce an optional value.
    if let base = overrides.values[ObjectIdentifier(key)], let value = base as? Key.Value {
      return value
    }
    return defaults.value(of: key, for: self, access: access())
  }

  /// The kind of process that uses these values: a program, a preview or a test.
  public var context: DependencyContext {
    get { overrides.context ?? .ofProcess }
    set { overrides = overrides.setting(context: newValue) }
  }

  /// The values of a running program, in every context.
  public static var live: DependencyValues { DependencyValues(fresh: .live) }

  /// The values of a preview, in every context.
  public static var preview: DependencyValues { DependencyValues(fresh: .preview) }

  /// The values of a test, in every context.
  public static var test: DependencyValues { DependencyValues(fresh: .test) }

  private init(fresh context: DependencyContext) {
    self.init(
      overrides: Overrides.none.setting(context: context),
      defaults: DependencyDefaults(),
    )
  }

  /// Returns these values with the overrides of `other`.
  package func merging(_ other: DependencyValues) -> DependencyValues {
    let defaults = other.defaults === DependencyDefaults.shared ? defaults : other.defaults
    let overrides = overrides.merging(other.overrides)
    var merged = DependencyValues(overrides: overrides, defaults: defaults)
    // The origin of these values belongs to an earlier action.
    merged.originInForce = other.originInForce
    return merged
  }
}

extension DependencyValues {
  /// The overrides.
  ///
  /// They are immutable, so that equal ones are mostly one object.
  private final class Overrides: Sendable {
    static let none = Overrides(context: nil, values: [:])

    let context: DependencyContext?
    let values: [ObjectIdentifier: any Sendable]

    init(context: DependencyContext?, values: [ObjectIdentifier: any Sendable]) {
      self.context = context
      self.values = values
    }

    var isEmpty: Bool { context == nil && values.isEmpty }

    func setting(_ key: ObjectIdentifier, to value: any Sendable) -> Overrides {
      var values = values
      values[key] = value
      return Overrides(context: context, values: values)
    }

    func setting(context: DependencyContext) -> Overrides {
      Overrides(context: context, values: values)
    }

    func merging(_ other: Overrides) -> Overrides {
      if self === other || isEmpty { return other }
      if other.isEmpty { return self }
      return Overrides(
        context: other.context ?? context,
        values: values.merging(other.values) { _, new in new },
      )
    }
  }

  /// The overrides, by key, for ``prepareDependencies(_:)``.
  var preparation: (values: [ObjectIdentifier: any Sendable], changesContext: Bool) {
    (overrides.values, overrides.context != nil)
  }

  /// Returns values with these defaults and without overrides.
  static func unset(defaults: DependencyDefaults) -> DependencyValues {
    DependencyValues(overrides: .none, defaults: defaults)
  }
}
