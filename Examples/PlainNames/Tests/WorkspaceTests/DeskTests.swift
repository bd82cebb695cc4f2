import Simulation
import Testing
import Workspace

@MainActor
@Test func `A day ends with the papers that were added and not taken`() {
  #expect(day(of: [.paperTaken, .paperAdded, .paperAdded, .paperTaken]).papers == 1)
}
