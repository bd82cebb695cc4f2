/// The state of a view in one value.
///
/// The macro `@ViewState` generates one, with a property for each `@State` of the view.
public protocol ViewStateProtocol<Target> {
  /// The view.
  associatedtype Target

  /// Maps each property of this state to the view's property.
  @MainActor static var keyPathMap: [PartialKeyPath<Self>: PartialKeyPath<Target>] { get }
}

extension ViewStateProtocol {
  /// Copies the values from a view.
  @MainActor
  mutating func read(from target: Target) {
    for (part, place) in Self.keyPathMap {
      (part as? any StatePart)?.read(&self, from: target, at: place)
    }
  }

  /// Copies the values to a view.
  @MainActor
  func write(to target: Target) {
    for (part, place) in Self.keyPathMap {
      (part as? any StatePart)?.write(self, to: target, at: place)
    }
  }
}

/// A key path of any type, which copies its value.
private protocol StatePart {
  func read<State, Target>(_ state: inout State, from target: Target, at: PartialKeyPath<Target>)
  func write<State, Target>(_ state: State, to target: Target, at: PartialKeyPath<Target>)
}

extension WritableKeyPath: StatePart {
  fileprivate func read<State, Target>(
    _ state: inout State,
    from target: Target,
    at place: PartialKeyPath<Target>,
  ) {
    guard
      let part = self as? WritableKeyPath<State, Value>,
      let place = place as? KeyPath<Target, Value>
    else { return }
    state[keyPath: part] = target[keyPath: place]
  }

  fileprivate func write<State, Target>(
    _ state: State,
    to target: Target,
    at place: PartialKeyPath<Target>,
  ) {
    guard
      let part = self as? WritableKeyPath<State, Value>,
      let place = place as? ReferenceWritableKeyPath<Target, Value>
    else { return }
    target[keyPath: place] = state[keyPath: part]
  }
}
