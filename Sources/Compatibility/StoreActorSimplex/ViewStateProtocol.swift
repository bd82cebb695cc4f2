/// The state of a view in one value.
///
/// `@ViewState` writes one, with a property for each `@State` of the view.
public protocol ViewStateProtocol<Target> {
  /// The view.
  associatedtype Target

  /// Which property of the view each property of this is.
  @MainActor static var keyPathMap: [PartialKeyPath<Self>: PartialKeyPath<Target>] { get }
}

extension ViewStateProtocol {
  /// Takes over what a view has.
  @MainActor
  mutating func read(from target: Target) {
    for (part, place) in Self.keyPathMap {
      (part as? any StatePart)?.read(&self, from: target, at: place)
    }
  }

  /// Gives a view what this has.
  @MainActor
  func write(to target: Target) {
    for (part, place) in Self.keyPathMap {
      (part as? any StatePart)?.write(self, to: target, at: place)
    }
  }
}

/// A key path of whatever type, as something that copies what it leads to.
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
