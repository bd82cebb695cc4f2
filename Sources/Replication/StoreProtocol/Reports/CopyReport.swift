/// What a daemon reports on a copy of its history that another program keeps up to date.
package struct CopyReport: Hashable, Sendable {
  /// The place of the copy.
  package var target: String
  /// The newest revision of the copy.
  package var revision: UInt64
  /// The time since the copy last had everything, in milliseconds; nil if it never had.
  package var sinceComplete: UInt64?
  /// The reason why nothing is copied now; nil if there is none.
  package var fault: String?

  package init(target: String, revision: UInt64, sinceComplete: UInt64?, fault: String?) {
    self.target = target
    self.revision = revision
    self.sinceComplete = sinceComplete
    self.fault = fault
  }

  /// The number of revisions that the copy lacks.
  package func missing(of newest: UInt64) -> UInt64 { newest - min(newest, revision) }

  /// For how long the copy has lacked them, in milliseconds; nil if it never had everything.
  package func behind(_ newest: UInt64) -> UInt64? {
    missing(of: newest) == 0 ? 0 : sinceComplete
  }

  /// The measurements for Prometheus.
  package func samples(of newest: UInt64) -> [MetricSample] {
    let labels = [MetricSample.Label(name: "target", value: target)]
    func gauge(_ name: String, _ value: Double) -> MetricSample {
      MetricSample(name: "storeactor.copy.\(name)", kind: .gauge, labels: labels, value: value)
    }
    return [
      gauge("missing_revisions", Double(missing(of: newest))),
      gauge("behind_seconds", behind(newest).map { Double($0) / 1_000 } ?? .infinity),
      gauge("failing", fault == nil ? 0 : 1),
    ]
  }
}
