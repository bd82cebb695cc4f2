// swift-format-ignore-file
import StoreActor

@DependencyClient public struct An: Sendable {
  public var start: @Sendable (_ path: String) -> Bool = { path in return false }
  public var two: @Sendable (_ `in`: String, _ for: Int) async throws -> Void
  public var opt: (@Sendable (Int) -> Void)?
  var inoutOne: @Sendable (_ x: inout Int) -> Void
  var main: @MainActor @Sendable (_ x: Int) -> Void
  var typed: @Sendable (_ x: Int) throws(CancellationError) -> Int
  var gen: @Sendable (_ work: @Sendable (Int) async -> Int) async -> Int = { _ in 1 }
  var fatal: @Sendable () -> Int = { fatalError() }
  let name: String = "x"
  var plain = 3
}
func t(_ a: An) async throws {
  _ = a.start(path: "x")
  try await a.two(in: "a", for: 3)
  a.inoutOne
}
