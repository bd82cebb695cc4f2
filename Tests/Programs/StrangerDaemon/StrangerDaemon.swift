import StoreDaemon

/// A custom daemon in one page: it owns a laboratory and serves parts of it.
///
///     StrangerDaemon DIRECTORY [--keep] [--safe] [--opening] [--replay] [--doubled]
///
/// With `--keep` it keeps its state, and with `--safe` it holds interrupted work back; with
/// `--opening` it notes its first start, and an inspection that is still due at a later one. With
/// `--replay` it runs the kept actions again. With `--doubled` it acts as another build, whose
/// experiments double their readings.
@main
struct StrangerDaemon {
  @MainActor
  static func main() {
    guard let directory = CommandLine.arguments.dropFirst().first else {
      return print(
        "usage: StrangerDaemon DIRECTORY [--keep] [--safe] [--opening] [--replay] [--doubled]"
      )
    }
    let options = Set(CommandLine.arguments.dropFirst(2))
    var configuration = HostConfiguration(directory: directory)
    if !options.isDisjoint(with: ["--keep", "--replay"]) {
      configuration.data = "\(directory)/data"
    }
    configuration.startsSafely = options.contains("--safe")
    let host = StoreHost(
      initialState: Laboratory.State(),
      exposures: [
        Expose("laboratory", state: \.self, action: \.self),
        Expose("experiment", state: \.experiment, action: \.experiment),
        Expose(
          each: "samples",
          state: \.samples,
          action: \.samples,
          replies: Sample.State.self,
        ),
      ],
      configuration: configuration,
    ) {
      if options.contains("--opening") {
        Laboratory().onStart { state, start in
          if start.isFirst { state.technician = "Opener" }
          if start.hasSchedule("inspection") { state.technician = "Waiting" }
          return .none
        }
      } else {
        Laboratory(readingFactor: options.contains("--doubled") ? 2 : 1)
      }
    }
    if options.contains("--replay") {
      return host.attempt { print(try host.replay()) }
    }
    host.main()
  }
}
