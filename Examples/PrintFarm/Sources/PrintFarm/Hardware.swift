package import StoreActor

/// The printers' hardware.
package struct Hardware: Sendable {
  /// Prints a layer of a job; throws a `Jam` if the layer was not printed.
  package var printLayer: @Sendable (_ layer: Int, _ job: Job.State) async throws -> Void

  package init(printLayer: @escaping @Sendable (Int, Job.State) async throws -> Void) {
    self.printLayer = printLayer
  }
}

/// The error of a layer that was not printed.
package struct Jam: Error {
  package init() {}
}

extension Hardware: DependencyKey {
  /// A simulation: a layer takes a second, and a file called "jam" jams in its third layer.
  package static var liveValue: Hardware {
    @Dependency(\.continuousClock) var clock
    return Hardware { [clock] layer, job in
      try await clock.sleep(for: .seconds(1))
      if job.file == "jam", layer == 2 { throw Jam() }
    }
  }

  /// Fails the test: no print is expected.
  package static let testValue = Hardware { layer, job in
    reportIssue("The test expects no print, but job #\(job.id) has reached layer \(layer).")
  }
}

extension DependencyValues {
  /// The printers' hardware.
  package var hardware: Hardware {
    get { self[Hardware.self] }
    set { self[Hardware.self] = newValue }
  }
}
