import CoreMetrics
import StoreServer
import Testing

@testable import StoreDaemon

@Suite struct ProgramMetricsTests {
  private let metrics = ProgramMetrics()

  private func sample(_ name: String) -> MetricSample? {
    metrics.samples.first { $0.name == name }
  }

  @Test func `Counters, timers and recorders keep their values`() {
    let dimensions = [("action", "a")]
    for amount in [1, 2, -5] as [Int64] {
      metrics.makeCounter(label: "c", dimensions: dimensions).increment(by: amount)
    }
    let timer = metrics.makeTimer(label: "t", dimensions: dimensions)
    timer.recordNanoseconds(1_500_000_000)
    timer.recordNanoseconds(500_000_000)
    let all = metrics.makeRecorder(label: "r", dimensions: [], aggregate: true)
    let newest = metrics.makeRecorder(label: "g", dimensions: [], aggregate: false)
    for recorder in [all, newest] {
      recorder.record(3 as Int64)
      recorder.record(0.5)
    }
    let labels = [MetricSample.Label(name: "action", value: "a")]
    #expect(sample("c") == MetricSample(name: "c", kind: .counter, labels: labels, count: 3))
    let time = MetricSample(name: "t.seconds", kind: .summary, labels: labels, count: 2, value: 2)
    #expect(sample("t.seconds") == time)
    let sum = MetricSample(name: "r", kind: .summary, labels: [], count: 2, value: 3.5)
    #expect(sample("r") == sum)
    #expect(sample("g") == MetricSample(name: "g", kind: .gauge, labels: [], value: 0.5))
    #expect(metrics.samples.count == 4)
  }

  @Test func `Of too many series the first ones are kept`() {
    for number in 0..<2_000 {
      metrics.makeCounter(label: "\(number)", dimensions: []).increment(by: 1)
    }
    #expect(metrics.samples.count == 1_024)
    #expect(sample("1023")?.count == 1 && sample("1024") == nil)
  }
}
