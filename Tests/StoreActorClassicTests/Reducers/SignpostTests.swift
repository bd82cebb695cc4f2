import InMemoryTracing
import StoreActorClassic
import Testing
import Tracing

private enum CounterAction: Equatable {
  case increment
  case fetch(Int)
  case fetched(Int)
  case stop
}

@MainActor
@Suite("signpost()")
struct SignpostTests {
  private struct ID: Hashable {}

  private func spans(
    _ body: (ViewStore<Int, CounterAction>, TestSchedulerOf<DispatchQueue>) -> Void
  ) -> [FinishedInMemorySpan] {
    let tracer = InMemoryTracer()
    let scheduler = DispatchQueue.test
    let reducer = Reducer<Int, CounterAction, Void> { state, action, _ in
      switch action {
      case .increment:
        state += 1
        return .none
      case .fetch(let number):
        return Effect(value: .fetched(number)).delay(for: 1, scheduler: scheduler)
          .cancellable(id: ID())
      case .fetched(let number):
        state = number
        return .none
      case .stop:
        return .cancel(id: ID())
      }
    }
    let store = Store(
      initialState: 0,
      reducer: reducer.signpost("counter", tracer: tracer),
      environment: (),
    )
    body(ViewStore(store), scheduler)
    return tracer.finishedSpans
  }

  @Test("An action is a span, and so is an effect that takes time, as its child")
  func spans() throws {
    let spans = spans { store, scheduler in
      store.send(.fetch(3))
      scheduler.advance(by: 1)
      #expect(store.state == 3)
    }
    let reduce = try #require(spans.first)
    #expect(reduce.operationName == "counter: reduce CounterAction.fetch")
    #expect(spans.count == 3)
    let effect = try #require(spans.first { $0.operationName.contains("effect of") })
    #expect(effect.operationName == "counter: effect of CounterAction.fetch")
    #expect(effect.parentSpanID == reduce.spanID)
    #expect(effect.attributes.get("storeactor.cancelled") == .bool(false))
  }

  @Test("A cancelled effect is marked as cancelled")
  func cancelled() throws {
    let spans = spans { store, _ in
      store.send(.fetch(3))
      store.send(.stop)
    }
    let effect = try #require(spans.first { $0.operationName.contains("effect of") })
    #expect(effect.operationName == "counter: effect of CounterAction.fetch")
    #expect(effect.attributes.get("storeactor.cancelled") == .bool(true))
  }
}
