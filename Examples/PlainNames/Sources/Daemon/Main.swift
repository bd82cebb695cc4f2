import StoreDaemon
import Workspace

/// The daemon: `Daemon DIRECTORY`.
@main
struct Main {
  @MainActor static func main() {
    let host = StoreHost(
      initialState: Desk.State(),
      exposures: [Expose("desk", state: \.self, action: \.self)],
      configuration: HostConfiguration(directory: CommandLine.arguments[1]),
    ) {
      Desk()
    }
    host.main()
  }
}
