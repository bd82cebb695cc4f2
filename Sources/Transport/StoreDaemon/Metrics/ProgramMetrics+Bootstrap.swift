import CoreMetrics

extension ProgramMetrics {
  /// Makes metrics and gives them to swift-metrics, for everything that the program counts.
  ///
  /// A process does this once, before it counts anything: swift-metrics takes one factory only. A
  /// program that has bootstrapped swift-metrics with a factory of its own gives that one the
  /// metrics instead, for example in a `MultiplexMetricsHandler`.
  ///
  /// - Returns: The metrics, for ``HostConfiguration/programMetrics``.
  public static func bootstrap() -> ProgramMetrics {
    let metrics = ProgramMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }
}
