import StoreActor

struct Forecast: Sendable {
  var now = "rain"
}

extension DependencyValues {
  @DependencyEntry(liveValue: "sun") var forecast: Forecast = Forecast()

  @DependencyEntry(
    liveValue: Forecast(now: "sun"),
    previewValue: 3,
  ) var preview: Forecast = Forecast()

  @DependencyEntry var test: Forecast = "snow"
}
