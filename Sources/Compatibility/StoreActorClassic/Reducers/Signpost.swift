import StoreActor
public import Tracing

extension AnyReducer {
  /// Reports each action, and each run of an effect, to the program's tracer: how long the action
  /// took, and when its effects ran.
  ///
  /// | what | span | attributes |
  /// |---|---|---|
  /// | an action | `PREFIX: reduce LABEL` | `storeactor.action` |
  /// | an effect | `PREFIX: effect of LABEL` | `storeactor.action`, `storeactor.cancelled` |
  ///
  /// LABEL names the action's cases; values are left out. The span of an effect is a child of the
  /// span of its action. Effects that are over at once have none.
  ///
  /// - Parameters:
  ///   - prefix: What the names begin with; nothing unless told otherwise.
  ///   - tracer: What spans are reported to. Unless told otherwise the one that the program has
  ///     bootstrapped by then.
  /// - Returns: The reducer, which reports.
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

/// What an action's spans are called.
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
  /// The effect with something done around each run of its parts that are not over at once.
  ///
  /// - Parameter begin: Is called when a part begins; what it returns is called when the part ends,
  ///   with whether it was cancelled.
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
