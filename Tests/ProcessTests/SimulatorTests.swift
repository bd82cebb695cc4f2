import Testing

extension ProcessTests {
  /// The simulator as a program: a seed that fails must fail again on any machine.
  struct SimulatorTests {
    @Test func `A seed does the same in each process`() async throws {
      // Each process hashes with a seed of its own, so the order of a set differs between the two.
      try await World.run { world in
        let arguments = ["--first", "100", "--seeds", "12", "--verbose"]
        let first = try await world.finish(world.start(.simulator, arguments))
        let second = try await world.finish(world.start(.simulator, arguments))
        #expect(first.end == .status(0), "\(first.errorText)")
        #expect(first.output.count > 1_000)
        #expect(first.output == second.output)
      }
    }
  }
}
