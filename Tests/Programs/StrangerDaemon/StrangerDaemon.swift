import StoreDaemon

/// A daemon of one's own in a page: it owns a laboratory and serves parts of it.
///
///     StrangerDaemon DIRECTORY
@main
struct StrangerDaemon {
  @MainActor
  static func main() throws {
    guard let directory = CommandLine.arguments.dropFirst().first else {
      return print("usage: StrangerDaemon DIRECTORY")
    }
    let host = StoreHost(
      initialState: Laboratory.State(),
      exposures: [
        Expose("laboratory", state: \.self, action: \.self),
        Expose("experiment", state: \.experiment, action: \.experiment),
        Expose(each: "samples", state: \.samples, action: \.samples),
      ],
      configuration: HostConfiguration(directory: directory),
    ) {
      Laboratory()
    }
    try host.run { ready in
      print("ready dir=\(ready.directory) epoch=\(ready.epoch) revision=\(ready.revision)")
      fflush(nil)
    }
  }
}
