import StoreActor

struct Gauge: Reducer {
  struct State: Equatable { var value = 0 }

  enum Action { case readButtonTapped }
}
