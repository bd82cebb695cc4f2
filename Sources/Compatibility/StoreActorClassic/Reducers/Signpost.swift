import StoreActor
public import Tracing

extension AnyReducer {
  /// Reports spans to the program's tracer: the duration of each action, and of each run of
  /// its effects.
  ///
  /// | what | span | attributes |
  /// |---|---|---|
  /// | an action | `PREFIX: reduce LABEL` | `storeactor.action` |
  /// | an effect | `PREFIX: effect of LABEL` | `storeactor.action`, `storeactor.cancelled` |
  ///
  /// LABEL names the action's cases, without values. The span of an effect is a child of the span
  /// of its action. Effects that end at once have no span.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the spans' names; empty by default.
  ///   - tracer: The tracer; by default the one that the program has bootstrapped when an
  ///     action runs.
  /// - Returns: The reducer that also reports spans.
  public func signpost(_ prefix: String = "", tracer: (any Tracer)? = nil) -> Self {
    Self { state, action, environment in
      let signpost = Signpost(prefix: prefix, label: caseLabels(of: action))
      let tracer = tracer ?? InstrumentationSystem.tracer
      let span = signpost.begin("reduce", on: tracer, in: ServiceContext.current ?? .topLevel)
      let effects = reduce(&state, action, environment)
      span.end()
      return effects.aroundRuns {
        let span = signpost.begin("effect of", on: tracer, in: span.context)
        return { isCancelled in
          span.attributes["storeactor.cancelled"] = isCancelled
          span.end()
        }
      }
    }
  }
}

/// The name and the attributes of an action's spans.
private struct Signpost: Sendable {
  let prefix: String
  let label: String

  func begin(
    _ what: String,
    on tracer: any Tracer,
    in context: ServiceContext,
  ) -> any Span {
    let name = "\(prefix.isEmpty ? "" : "\(prefix): ")\(what) \(label)"
    let span = tracer.startAnySpan(name, context: context)
    span.attributes["storeactor.action"] = label
    return span
  }
}

extension Effect {
  /// Returns the effect with closures called around each run of its parts, except parts that end
  /// at once.
  ///
  /// - Parameter begin: Called when a part begins. The closure that it returns is called when the
  ///   part ends, with whether the part was cancelled.
  /// - Returns: The effect.
  fileprivate func aroundRuns(
    _ begin: @escaping @MainActor () -> @MainActor (_ isCancelled: Bool) -> Void
  ) -> Self {
    switch work {
    case .none, .value, .failure:
      self
    case .merge(let effects):
      .merge(effects.map { $0.aroundRuns(begin) })
    case .concatenate(let effects):
      .concatenate(effects.map { $0.aroundRuns(begin) })
    case .begin(let run):
      Self { pipe in
        let end = begin()
        let key = pipe.lifetime.whenOver { end(true) }
        var wasCancelled: (@MainActor () -> Bool)?
        let inner: Pipe<Output, Failure> = pipe.upstream {
          pipe.send($0)
        } onCompletion: { failure in
          pipe.lifetime.forget(key)
          end(wasCancelled?() ?? false)
          pipe.complete(failure)
        }
        wasCancelled = { [weak inner] in inner?.wasCancelled ?? false }
        run(inner)
      }
    }
  }
}
