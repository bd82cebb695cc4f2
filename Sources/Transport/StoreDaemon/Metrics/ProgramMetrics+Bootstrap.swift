import CoreMetrics

extension ProgramMetrics {
  /// Creates metrics and installs them in swift-metrics, for all counts of the program.
  ///
  /// A process does this once, before it counts: swift-metrics takes one factory only. A program
  /// that has bootstrapped swift-metrics with its own factory passes the metrics to that one
  /// instead, for example in a `MultiplexMetricsHandler`.
  ///
  /// - Returns: The metrics, for ``HostConfiguration/programMetrics``.
  public static func bootstrap() -> ProgramMetrics {
    let metrics = ProgramMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }
}
