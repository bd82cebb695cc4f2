import StoreDaemon

/// A daemon that watches its own reducers while many tasks send at the same time.
///
///     SerialProbe DIRECTORY [LEASE-MILLISECONDS | --keep]
///
/// With `--keep` its root is another one, which has only notes, and keeps them.
@main
struct SerialProbe {
  @MainActor
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let directory = arguments.first else {
      return print("usage: SerialProbe DIRECTORY [LEASE-MILLISECONDS | --keep]")
    }
    var configuration = HostConfiguration(directory: directory)
    if arguments.dropFirst().first == "--keep" {
      configuration.data = "\(directory)/data"
      return run(
        StoreHost(
          initialState: NotesRoot.State(),
          exposures: [Expose("notes", shared: \.$notes, isEditable: true)],
          configuration: configuration,
        ) {
          NotesRoot()
        }
      )
    }
    if let lease = arguments.dropFirst().first.flatMap(Int.init) {
      configuration.lease = .milliseconds(lease)
      configuration.grace = .milliseconds(lease)
    }
    let helpers = ProbeHelpers()
    let host = StoreHost(
      initialState: ProbeRoot.State(),
      exposures: [
        Expose("probe", state: \.probe, action: \.probe, output: Probe.Output.self),
        Expose("journal", state: \.journal),
        Expose("notes", shared: \.$notes, isEditable: true),
      ],
      configuration: configuration,
    ) {
      ProbeRoot(helpers: helpers)
    }
    let root = host.root
    helpers.root.setValue(root)
    run(host)
  }

  @MainActor
  private static func run<State, Action>(_ host: StoreHost<State, Action>) {
    host.main()
  }
}
