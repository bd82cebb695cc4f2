extension Result {
  /// The outcome of an asynchronous operation: its value, or the error that it threw.
  public init(catching body: () async throws(Failure) -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
