extension Effect {
  /// Runs several effects concurrently.
  public static func merge(_ effects: Self...) -> Self {
    merge(effects)
  }

  /// Runs several effects concurrently.
  public static func merge(_ effects: some Sequence<Self>) -> Self {
    let effects = effects.filter { !$0.isNone }
    if let refusal = effects.first(where: \.isRefusal) { return refusal }
    return effects.count > 1 ? Self(.merge(effects)) : effects.first ?? .none
  }

  /// Runs this effect and another one concurrently.
  @inlinable
  public func merge(with other: Self) -> Self {
    if isNone || other.isRefusal && !isRefusal { return other }
    return other.isNone || isRefusal ? self : merged(other)
  }

  @usableFromInline
  func merged(_ other: Self) -> Self {
    if case .merge(let effects) = operation { return Self(.merge(effects + [other])) }
    return Self(.merge([self, other]))
  }

  /// Runs several effects in sequence: each begins when the previous one has ended.
  public static func concatenate(_ effects: Self...) -> Self {
    concatenate(effects)
  }

  /// Runs several effects in sequence: each begins when the previous one has ended.
  public static func concatenate(_ effects: some Collection<Self>) -> Self {
    let effects = effects.filter { !$0.isNone }
    if let refusal = effects.first(where: \.isRefusal) { return refusal }
    return effects.count > 1 ? Self(.concatenate(effects)) : effects.first ?? .none
  }

  /// Runs this effect, and then another one.
  public func concatenate(with other: Self) -> Self {
    .concatenate(self, other)
  }

  /// Transforms the actions of the effect.
  @inlinable
  public func map<T>(_ transform: @escaping @Sendable (Action) -> T) -> Effect<T> {
    if isNone { return .none }
    if case .send(let action) = operation { return .send(transform(action)) }
    return mapped(transform)
  }

  @usableFromInline
  func mapped<T>(_ transform: @escaping @Sendable (Action) -> T) -> Effect<T> {
    switch operation {
    case .none:
      .none
    case .refuse(let refusal):
      .refuse(refusal)
    case .send(let action):
      .send(transform(action))
    case .run(let run):
      Effect<T>(.run(run.map(transform)))
    case .source(let source):
      Effect<T>(.source(source.map(transform)))
    case .output(let output):
      Effect<T>(.output(output))
    case .reply(let reply):
      Effect<T>(.reply(reply))
    case .merge(let effects):
      Effect<T>(.merge(effects.map { $0.map(transform) }))
    case .concatenate(let effects):
      Effect<T>(.concatenate(effects.map { $0.map(transform) }))
    case .cancellable(let effect, let id, let cancelInFlight):
      Effect<T>(.cancellable(effect.map(transform), id: id, cancelInFlight: cancelInFlight))
    case .cancel(let id):
      Effect<T>(.cancel(id))
    case .tracked(let effect, let lineage):
      Effect<T>(.tracked(effect.map(transform), by: lineage))
    case .child(let effect, let place, let dismissal):
      if let dismissal {
        effect.map(transform).placed(at: place) { transform(dismissal()) }
      } else {
        effect.map(transform).placed(at: place)
      }
    case .schedule(let schedule):
      Effect<T>(.schedule(schedule.map(transform)))
    case .rearm(let number):
      Effect<T>(.rearm(number))
    case .resolve(let resolve):
      Effect<T>(.resolve { resolve($0).map(transform) })
    }
  }
}

extension EffectRun {
  func map<T>(_ transform: @escaping @Sendable (Action) -> T) -> EffectRun<T> {
    EffectRun<T>(
      priority: priority,
      name: name,
      owner: owner,
      location: location,
      path: path,
    ) { [operation] send in
      await operation(send.pullback(transform))
    }
  }
}
