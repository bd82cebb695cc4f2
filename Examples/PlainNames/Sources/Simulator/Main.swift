import Simulation

/// Prints what a day leaves behind.
@main
struct Main {
  @MainActor static func main() {
    print(day(of: [.paperAdded, .paperAdded, .paperTaken]).papers)
  }
}
