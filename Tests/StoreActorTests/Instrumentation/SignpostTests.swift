#if canImport(CoreMetrics) && canImport(InMemoryTracing) && canImport(MetricsTestKit)
import CoreMetrics
import InMemoryTracing
import MetricsTestKit
import StoreActor
import Testing
import Tracing

@Suite("Signposts", .timeLimit(.minutes(1)))
@MainActor
struct SignpostTests {
  enum Action: Sendable {
    case refresh
    case response(Int)
    case wait
    case stop
  }

  enum CancelID { case wait }

  private func store(_ tracer: InMemoryTracer, _ metrics: TestMetrics) -> Store<Int, Action> {
    Store(initialState: 0) {
      Reduce<Int, Action> { state, action in
        switch action {
        case .refresh:
          return .concatenate(.run(name: "fetch") { send in await send(.response(7)) }, .none)
        case .response(let number):
          state = number
          return .none
        case .wait:
          return .run { _ in try await Task.never() }.cancellable(id: CancelID.wait)
        case .stop:
          return .cancel(id: CancelID.wait)
        }
      }
      .signpost("facts", tracer: tracer, metrics: metrics)
    }
  }

  @Test("Each action and each run of an effect is a span, inside its cause's span")
  func spans() async throws {
    let tracer = InMemoryTracer()
    let store = store(tracer, TestMetrics())
    await store.send(.refresh).finish()
    #expect(store.state == 7)
    await eventually { tracer.finishedSpans.count == 3 }
    let spans = tracer.finishedSpans
    let refresh = try #require(spans.first { $0.operationName.hasSuffix("Action.refresh") })
    let effect = try #require(spans.first { $0.operationName.contains("effect of") })
    let response = try #require(spans.first { $0.operationName.hasSuffix("Action.response") })
    #expect(refresh.operationName == "facts: reduce SignpostTests.Action.refresh")
    #expect(effect.operationName == "facts: effect of SignpostTests.Action.refresh")
    #expect(effect.parentSpanID == refresh.spanID)
    #expect(response.parentSpanID == effect.spanID)
    #expect(effect.attributes["storeactor.effect"]?.toSpanAttribute() == .string("fetch"))
    #expect(effect.attributes["storeactor.cancelled"]?.toSpanAttribute() == .bool(false))
  }

  @Test("Actions and effects are timed, and effects are counted by their outcome")
  func metrics() async throws {
    let metrics = TestMetrics()
    let store = store(InMemoryTracer(), metrics)
    await store.send(.refresh).finish()
    let waiting = store.send(.wait)
    store.send(.stop)
    await waiting.finish()
    let name = "SignpostTests.Action"
    let refresh = [("prefix", "facts"), ("action", "\(name).refresh")]
    let finished = refresh + [("outcome", "finished")]
    #expect(try metrics.expectTimer("storeactor.action.duration", refresh).values.count == 1)
    #expect(try metrics.expectTimer("storeactor.effect.duration", finished).values.count == 1)
    #expect(try metrics.expectCounter("storeactor.effects", finished).totalValue == 1)
  }

  @Test("A cancelled effect is counted separately")
  func cancelled() async throws {
    let metrics = TestMetrics()
    let started = LockIsolated(false)
    let store = Store(initialState: 0) {
      Reduce<Int, Action> { _, _ in
        .run { _ in
          started.setValue(true)
          try await Task.never()
        }
      }
      .signpost(tracer: InMemoryTracer(), metrics: metrics)
    }
    let task = store.send(.wait)
    await eventually { started.value }
    task.cancel()
    await task.finish()
    let counter = try metrics.expectCounter(
      "storeactor.effects",
      [("prefix", ""), ("action", "SignpostTests.Action.wait"), ("outcome", "cancelled")],
    )
    #expect(counter.totalValue == 1)
  }
}
#endif
