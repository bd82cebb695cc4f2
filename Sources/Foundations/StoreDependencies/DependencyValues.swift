/// The dependencies that code sees at one moment: a value by key, for every key there is.
///
/// What was not set with ``withDependencies(_:operation:)`` has the default of the ``context``,
/// made once and kept. The current values travel with the task, so that a child task sees what
/// its parent saw; code that a task does not reach (a callback, a detached task) is given them
/// with ``withEscapedDependencies(_:)``.
public struct DependencyValues: Sendable {
  /// The values that the current task sees.
  @TaskLocal public static var _current = unset(defaults: .shared)

  /// Whether values are being written now, when looking at a default is not yet using it.
  @TaskLocal static var isSetting = false

  private var overrides: Overrides
  let defaults: DependencyDefaults
  /// Who began what is being reduced, as the root store says it; nil for the process.
  package var originInForce: ActionOrigin?

  /// Values of which nothing is set, with defaults of their own.
  public init() {
    self.init(overrides: .none, defaults: DependencyDefaults())
  }

  private init(overrides: Overrides, defaults: DependencyDefaults) {
    self.overrides = overrides
    self.defaults = defaults
  }

  /// The value of a key: what was set, or the default of the ``context``.
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
    // In two steps: cast as it is, what a dictionary lacks would be a value that is an optional.
    if let base = overrides.values[ObjectIdentifier(key)], let value = base as? Key.Value {
      return value
    }
    return defaults.value(of: key, for: self, access: access())
  }

  /// Where these values are used: a program, a preview or a test.
  public var context: DependencyContext {
    get { overrides.context ?? .ofProcess }
    set { overrides = overrides.setting(context: newValue) }
  }

  /// The values of a running program, wherever this is called.
  public static var live: DependencyValues { DependencyValues(fresh: .live) }

  /// The values of a preview, wherever this is called.
  public static var preview: DependencyValues { DependencyValues(fresh: .preview) }

  /// The values of a test, wherever this is called.
  public static var test: DependencyValues { DependencyValues(fresh: .test) }

  private init(fresh context: DependencyContext) {
    self.init(
      overrides: Overrides.none.setting(context: context),
      defaults: DependencyDefaults(),
    )
  }

  /// These values, and where `other` has set something, what it has set.
  package func merging(_ other: DependencyValues) -> DependencyValues {
    let defaults = other.defaults === DependencyDefaults.shared ? defaults : other.defaults
    let overrides = overrides.merging(other.overrides)
    var merged = DependencyValues(overrides: overrides, defaults: defaults)
    // Not ours: that was somebody's who made what these values were kept for.
    merged.originInForce = other.originInForce
    return merged
  }
}

extension DependencyValues {
  /// What was set, immutable, so that two equal ones are mostly one object.
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

  /// The values that were set, by key, for ``prepareDependencies(_:)``.
  var preparation: (values: [ObjectIdentifier: any Sendable], changesContext: Bool) {
    (overrides.values, overrides.context != nil)
  }

  /// Values with these defaults of which nothing is set.
  static func unset(defaults: DependencyDefaults) -> DependencyValues {
    DependencyValues(overrides: .none, defaults: defaults)
  }
}
