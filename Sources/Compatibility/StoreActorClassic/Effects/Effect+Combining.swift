extension Effect {
  /// Returns an effect that runs several concurrently; the first failure ends them all.
  public static func merge(_ effects: Self...) -> Self {
    merge(effects)
  }

  /// Returns an effect that runs several concurrently; the first failure ends them all.
  public static func merge(_ effects: some Sequence<Self>) -> Self {
    let effects = effects.filter { !$0.isNone }
    return effects.count > 1 ? Self(.merge(effects)) : effects.first ?? .none
  }

  /// Returns an effect that runs this one and another one concurrently.
  public func merge(with other: Self) -> Self {
    .merge(self, other)
  }

  /// Returns an effect that runs several in order, each after the success of the previous one.
  public static func concatenate(_ effects: Self...) -> Self {
    concatenate(effects)
  }

  /// Returns an effect that runs several in order, each after the success of the previous one.
  public static func concatenate(_ effects: some Collection<Self>) -> Self {
    let effects = effects.filter { !$0.isNone }
    return effects.count > 1 ? Self(.concatenate(effects)) : effects.first ?? .none
  }

  /// Returns an effect that runs this one and, after its success, another one.
  public func concatenate(with other: Self) -> Self {
    .concatenate(self, other)
  }

  @MainActor
  static func begin(all effects: [Self], into pipe: Pipe<Output, Failure>) {
    let group = Lifetime(within: pipe.lifetime)
    var count = effects.count
    for effect in effects where !group.isOver {
      let member: Pipe<Output, Failure> = pipe.upstream(lifetime: group) { output in
        pipe.send(output)
      } onCompletion: { failure in
        count -= 1
        if let failure {
          group.end()
          pipe.complete(failure)
        } else if count == 0 {
          group.close()
          pipe.complete()
        }
      }
      effect.begin(into: member)
    }
  }

  @MainActor
  static func begin(inTurn effects: ArraySlice<Self>, into pipe: Pipe<Output, Failure>) {
    guard let first = effects.first else { return pipe.complete() }
    let rest = effects.dropFirst()
    let member: Pipe<Output, Failure> = pipe.upstream { output in
      pipe.send(output)
    } onCompletion: { failure in
      if let failure { pipe.complete(failure) } else { begin(inTurn: rest, into: pipe) }
    }
    first.begin(into: member)
  }
}
