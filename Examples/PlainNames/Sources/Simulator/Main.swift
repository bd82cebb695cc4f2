import Simulation

/// Prints the number of papers at the end of a day.
@main
struct Main {
  @MainActor static func main() {
    print(day(of: [.paperAdded, .paperAdded, .paperTaken]).papers)
  }
}
