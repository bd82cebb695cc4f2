import StoreActor

@DependencyClient
struct NewsClient: Sendable {
  var fetch: @Sendable (_ number: Int) async throws -> String
}

extension DependencyValues {
  @DependencyEntry(liveValue: NewsClient(fetch: { "\($0)" }))
  var news: NewsClient = NewsClient()
}
