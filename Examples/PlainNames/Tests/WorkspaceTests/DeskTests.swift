import Simulation
import Testing
import Workspace

@MainActor
@Test func `A day leaves behind what nobody took`() {
  #expect(day(of: [.paperTaken, .paperAdded, .paperAdded, .paperTaken]).papers == 1)
}
