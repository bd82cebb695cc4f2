package import PrintFarm
package import StoreDaemon

/// Creates the farm's host.
///
/// - Parameters:
///   - directory: The directory of its sockets; the state is kept in `data` below it.
///   - prepareDependencies: Overrides dependencies of the farm.
/// - Returns: The host, which can run or replay its history.
@MainActor
package func farmHost(
  in directory: String,
  withDependencies prepareDependencies: @escaping (inout DependencyValues) -> Void = { _ in },
) -> StoreHost<Farm.State, Farm.Action> {
  var configuration = HostConfiguration(directory: directory)
  configuration.data = "\(directory)/data"
  return StoreHost(
    initialState: Farm.State(printers: 3),
    exposures: [
      Expose("farm", state: \.self, action: \.self, replies: Int.self),
      Expose(each: "farm/jobs", state: \.jobs, action: \.jobs),
      Expose("settings", shared: \.$settings, isEditable: true),
    ],
    configuration: configuration,
    withDependencies: prepareDependencies,
  ) {
    Farm()
  }
}
